"""Readers of benchmarks: folders, tables, shards, columns, authors' files, addresses."""
