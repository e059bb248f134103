"""``python -m evalcore COMMAND``; installed, the same is called ``sextant``."""

from evalcore.cli.app import main, script
from evalcore.cli.output import BAD_INPUT

__all__ = ["BAD_INPUT", "main"]

if __name__ == "__main__":
    script()
