"""The HTTP API over workspaces: searches, answers, pages, jobs, feedback and statistics, under /v1."""
