"""An answer in words: its sentences, what it rests on, what would change it."""
