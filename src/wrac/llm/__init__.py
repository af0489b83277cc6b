"""What stages share that has to do with language models."""
