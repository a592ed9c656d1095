"""Labels: which passages answer a question, as people judged them; their agreement, and datasets made of them."""
