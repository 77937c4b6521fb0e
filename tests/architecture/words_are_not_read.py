# SPDX-License-Identifier: GPL-3.0-or-later
"""Code asks a problem for its id and its keys, and never for words: nothing in the engine, the programs or the Studio compares
or searches a message, a hint, the words of a fix or what()."""
import pathlib
import re
import sys

WORDS = r"\b(?:(?:message|hint)(?:\(\))?|what\(\)|asSentence\(\))(?:\.text\(\))?"
PROBLEM = r"\b(?:problem|fault|known|told|other|refused|error)"
SEARCH = r"\.(?:r?find\w*|contains|starts_with|ends_with|startsWith|endsWith|compare|substr)\("
RULES = (
    re.compile(r"(?:\.|->)" + WORDS + SEARCH),                   # error.message().text().find("...")
    re.compile(r"(?:\.|->)" + WORDS + r"\s*[!=]="),              # problem.message == other.message
    re.compile(r"[!=]=\s*[\w.>()-]*(?:\.|->)" + WORDS),
    re.compile(r"&\w+::(?:message|hint)\b"),                    # ranges::find(problems, words, &Problem::message)
    re.compile(PROBLEM + r"\.text\(\)(?:\s*[!=]=|" + SEARCH + r")"),
    re.compile(r"(?:\.|->)" + WORDS + r"\.text\(\)\s*\+"),     # handed on as one text, to be searched elsewhere
    re.compile(r"regex_\w+\([^;]*(?:\.|->)" + WORDS),
)
OTHERS = "message.find(\"failure\")"  # a JSON message between ranks

root = pathlib.Path(sys.argv[1])
read = set()
for folder in ("engine", "app", "ui"):
    for path in sorted((root / folder).rglob("*.cpp")) + sorted((root / folder).rglob("*.h")):
        text = path.read_text()
        for rule in RULES:
            for match in rule.finditer(text):
                line = text[text.rfind("\n", 0, match.start()) + 1:text.find("\n", match.end())]
                if OTHERS not in line:
                    read.add(f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}: {line.strip()}")
print("\n".join(sorted(read)) or "no words are read")
sys.exit(bool(read))
