"""The pages of the board, by what a person does there."""
