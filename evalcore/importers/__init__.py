"""Readers of result files: each turns one file into score rows, or says what is wrong with it."""
