"""What tests that try thousands of odd inputs share: how many, and how a file is damaged.

``EVALCORE_FUZZ=20`` tries twenty times as many as CI.
"""

import os

TIMES = int(os.environ.get("EVALCORE_FUZZ", "1"))
STRANGE = [
    b"null", b"NaN", b"1e999", b"-0", b"\x00", b"\xff\xfe", b"\xf0\x9f", b'"', b"'", b",", b";",
    b"\t", b"\r", b"{", b"[", b"]]", b"data:", b"../", b"/dev/zero", b"<image>", b"\xe2\x80\x8d",
    b"\\ud800", b"true", b"9" * 5000, b"id", b'"id": 1, "id": 2', b"=", b"answers",
]  # fmt: skip


def damaged(content, dice):
    found = bytearray(content)
    for _ in range(dice.randint(1, 4)):
        place = dice.randrange(len(found) + 1)
        match dice.randrange(4):
            case 0 if place < len(found):
                found[place] = dice.randrange(256)
            case 1:
                del found[place:]
            case 2:
                found[place:place] = dice.choice(STRANGE)
            case _:
                end = min(len(found), place + dice.randint(1, 20))
                found[place:end] = dice.choice(STRANGE)
    return bytes(found)
