"""From needs to a recommendation: limits, facts, blocks, ties, and the words that say it."""
