# SPDX-License-Identifier: GPL-3.0-or-later
"""What several places once did, each in its own way and wrong, is done by one file.

usage: decided_in_one_place.py SOURCE_FOLDER

docs/notebook/field.md tells of the reports behind each row.
"""
import pathlib
import re
import sys

RULES = [  # what is looked for, the files that may, and what all others use
    (r'"\\x[eE][fF]\\x[bB][bB]\\x[bB][fF]"', {"engine/base/written_text.h"}, "withoutByteOrderMark()"),
    (r"\bsched_getaffinity\(\w", {"engine/base/cpu_set.cpp"}, "allowedCpus()"),
    (r"\bstarted\s*(?:<|>|<=|>=)\s*\w", {"engine/runs/run_time.cpp"}, "isNewer() of engine/runs/run_time.h"),
]

root = pathlib.Path(sys.argv[1])
problems = []
for top in ("engine", "ui", "app"):
    for path in sorted((root / top).rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for pattern, allowed, instead in RULES:
                if name not in allowed and re.search(pattern, line.split("//")[0]):
                    problems.append(f"{name}:{number}: use {instead}")
print("\n".join(problems) or "each of these is decided in one place")
sys.exit(bool(problems))
