"""Evidence to an answer whose every citation is checked against what was sent. No model, no store."""
