"""Profiles page."""

from pages.shared import frame

with frame.page("Profiles", "What this page decides.") as choice:
    frame.say(f"{choice.data.suite} {choice.axis}")
