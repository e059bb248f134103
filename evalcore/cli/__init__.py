"""The command line: arguments in, frames out as a table, CSV or JSON."""
