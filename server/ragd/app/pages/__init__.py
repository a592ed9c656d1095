"""Documents page by page: their text, its places, and the outline that leads to them."""
