# SPDX-License-Identifier: GPL-3.0-or-later
"""No two classes share a name: the linker keeps one of both sets of inline members, and gives them to either class."""
import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
definition = re.compile(r"(?:class|struct|union|enum(?: class)?)\s+(\w+)(?:\s+final)?\s*(?::(?!:)[^;]*)?\{")


def classes(text):
    """Those at the left edge that are not in an unnamed namespace."""
    unnamed = False
    for line in text.splitlines():
        if re.match(r"namespace\s*\{", line):
            unnamed = True
        elif re.match(r"\}\s*// namespace$", line):
            unnamed = False
        elif not unnamed and (found := definition.match(line)):
            yield found[1]


places = collections.defaultdict(list)
for source in sorted(p for top in ("app", "engine", "ui") for p in (root / top).rglob("*") if p.suffix in (".cpp", ".h")):
    for name in classes(source.read_text()):
        places[name].append(str(source.relative_to(root)))
problems = [f"{name}: defined in {', '.join(files)}" for name, files in sorted(places.items()) if len(files) > 1]
print("\n".join(problems) or f"{len(places)} classes, each defined once")
sys.exit(bool(problems))
