"""Text that is shown as it is, whatever it holds."""

import re


def plain(text: str) -> str:
    """Text with Markdown's special characters escaped: names and files are hostile text.

    Addresses and ``:name:`` are also looked for after the escapes are gone; a word joiner, which
    is not drawn, breaks them.
    """
    broken = re.sub(r"(https?:(?=//)|www(?=\.)|@|:(?=[\w/+-]+:))", "\\1\u2060", text, flags=re.I)
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&])", r"\\\1", broken)
