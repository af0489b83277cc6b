"""The board: pages for people over the HTTP API's application, where chunks, their source and their hits are seen."""
