# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine and the runner name no Qt header and link no Qt library; only engine/project includes yaml-cpp."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
problems = []
for top in ("engine", "app/runner"):
    for path in sorted((root / top).rglob("*")):
        if path.suffix not in (".h", ".cpp") and path.name != "CMakeLists.txt":
            continue
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        if re.search(r"#\s*include\s*<Q[A-Za-z/]+>|Qt6?::", text):
            problems.append(f"{name}: uses Qt")
        if re.search(r"#\s*include\s*<yaml-cpp", text) and not name.startswith("engine/project/"):
            problems.append(f"{name}: reads YAML outside engine/project")
print("\n".join(problems) or "the engine is free of Qt, and YAML stays in engine/project")
sys.exit(bool(problems))
