"""Fresh results: from a launch to a sealed run, resumable, readable while it goes on."""
