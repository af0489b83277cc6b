"""The command line: options in, JSON or a readable page out. Order and rules live in `flow`."""
