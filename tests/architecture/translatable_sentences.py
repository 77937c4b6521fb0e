# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine and the Studio tell people can be translated: errors and problems are made of sentence("…"), not of bare text.

Defects of Meshreel itself (ErrorKind::Internal) are told in English only."""
import pathlib
import re
import sys

BARE = r'\s*(?:"|fmt::format\()'
RULES = (
    re.compile(r"\b\w*Error\(\s*ErrorKind::(?!Internal)\w+," + BARE),
    re.compile(r"\b(?:byHand|setKey)\(" + BARE),
    re.compile(r"\.(?:message|words|hint|why|detail|refusal|problem|doubt|relative) =" + BARE),
)
root = pathlib.Path(sys.argv[1])
bare = [f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}: {match.group(0)}"
        for folder in ("engine", "ui")
        for path in sorted((root / folder).rglob("*.cpp"))
        for text in [path.read_text()]
        for rule in RULES
        for match in rule.finditer(text)]
print("\n".join(bare) or "every error and problem can be translated")
sys.exit(bool(bare))
