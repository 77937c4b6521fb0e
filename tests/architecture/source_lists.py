# SPDX-License-Identifier: GPL-3.0-or-later
"""Every .cpp stands by name in the CMakeLists.txt of its folder or of one above it; no globbing."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
problems = []
for lists in [root / "CMakeLists.txt", *(p for top in ("app", "engine", "ui", "tests") for p in (root / top).rglob("CMakeLists.txt"))]:
    if re.search(r"file\s*\(\s*GLOB", lists.read_text(), re.IGNORECASE):
        problems.append(f"{lists.relative_to(root)}: globs for sources")
for source in sorted(p for top in ("app", "engine", "ui", "tests") for p in (root / top).rglob("*.cpp")):
    folder = source.parent
    while folder != root:
        lists = folder / "CMakeLists.txt"
        if lists.exists() and re.search(rf"(^|[\s/\"]){re.escape(source.relative_to(folder).as_posix())}(?=[\s\")])", lists.read_text()):
            break
        folder = folder.parent
    else:
        problems.append(f"{source.relative_to(root)}: is in no CMakeLists.txt")
print("\n".join(problems) or "every source is listed")
sys.exit(bool(problems))
