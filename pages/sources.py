"""Sources page."""

from pages.shared import frame

with frame.page("Sources", "What this page decides.") as choice:
    frame.say(f"{choice.data.suite} {choice.axis}")
