"""The engine of Sextant: published and measured results in one store, and the analysis of them."""

__version__ = "0.7.0"
