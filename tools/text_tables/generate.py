#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the character tables of engine/text/data from Python's standard library.

    tools/text_tables/generate.py        (from the repository root; needs Python 3 only)
"""
import html.entities
import pathlib

DATA = pathlib.Path(__file__).resolve().parents[2] / "engine" / "text" / "data"
HEAD = "// SPDX-License-Identifier: GPL-3.0-or-later\n// Made by tools/text_tables/generate.py. {}\n"

# In the order in which ftfy tries them; "sloppy": bytes without a character stand for themselves, as in Latin-1.
ENCODINGS = [
    ("latin-1", False),
    ("windows-1252", True),
    ("windows-1251", True),
    ("windows-1250", True),
    ("windows-1253", True),
    ("windows-1254", True),
    ("windows-1257", True),
    ("iso-8859-2", False),
    ("macroman", False),
    ("cp437", False),
]


def literal(text):
    return 'U"' + "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in text) + '"'


def write_encodings():
    rows = []
    for name, sloppy in ENCODINGS:
        upper = ""
        for byte in range(0x80, 0x100):
            try:
                upper += bytes([byte]).decode(name)
            except UnicodeDecodeError:
                upper += chr(byte)
        lines = "\n     ".join(literal(upper[i : i + 32]) for i in range(0, 128, 32))
        rows.append(f'    {{"{name}", {str(sloppy).lower()},\n     {lines}}},\n')
    head = HEAD.format("Rows: name, sloppy, characters of the bytes 80 to FF.")
    (DATA / "single_byte_encodings.inc").write_text(head + "".join(rows), encoding="utf-8")


def write_entities():
    items = []
    for name, text in sorted(html.entities.html5.items()):
        codes = [f"0x{ord(c):X}" for c in text] + ["0"]
        items.append(f'{{"{name}", {codes[0]}, {codes[1]}}},')
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) > 108:
            lines.append(line.rstrip())
            line = ""
        line += item + " "
    lines.append(line.rstrip())
    head = HEAD.format("Rows: HTML5 entity (sorted; some need no semicolon), one or two code points.")
    (DATA / "html5_entities.inc").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


DATA.mkdir(exist_ok=True)
write_encodings()
write_entities()
