"""The application: its objects, built once, and the services over them."""
