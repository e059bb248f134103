"""Contrastive models, which compare pictures with texts: zero-shot and relation benchmarks."""
