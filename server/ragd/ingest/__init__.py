"""Documents in: loaders, sections, chunks, and the pipeline that stores them."""
