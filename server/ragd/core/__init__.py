"""Types, errors, ids and traces that everything else stands on."""
