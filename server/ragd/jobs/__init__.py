"""The queue of background jobs and what runs them."""
