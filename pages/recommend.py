"""Recommend page."""

from pages.shared import frame

with frame.page("Recommend", "What this page decides.") as choice:
    frame.say(f"{choice.data.suite} {choice.axis}")
