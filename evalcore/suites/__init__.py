"""Suites as the analysis sees them: one protocol's scores, its models, and the blocks of today."""
