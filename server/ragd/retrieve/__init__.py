"""Questions to passages: the query pipeline and its pure stages."""
