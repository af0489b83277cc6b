"""What several stages share about text: token counts, search terms, sentence ends, renderings. No stage is imported."""
