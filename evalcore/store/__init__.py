"""The results store: built from the catalogue, figures and runs, never edited."""
