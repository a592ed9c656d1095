"""Questions made from the chunks of a collection, with the places that answer them."""
