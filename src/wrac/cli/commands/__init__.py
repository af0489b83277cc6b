"""The commands: options to values, values to output. Order and rules are `flow`'s; each command imports its own."""
