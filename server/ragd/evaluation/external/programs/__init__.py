"""Programs for the environments of other tools. Nothing of ours imports them."""
