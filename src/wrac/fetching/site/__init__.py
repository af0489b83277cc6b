"""A whole site: which addresses belong to it, what may be asked of it and how often, and the crawl itself."""
