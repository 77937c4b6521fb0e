# SPDX-License-Identifier: GPL-3.0-or-later
"""Every source, script and CMake file names its licence in the first three lines."""
import pathlib
import subprocess
import sys

SUFFIXES = {".h", ".cpp", ".cmake", ".py", ".sh"}
root = pathlib.Path(sys.argv[1])
try:
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True, text=True).stdout
    files = [root / name for name in listed.split("\0") if name]
except (OSError, subprocess.CalledProcessError):
    files = [p for top in ("app", "cmake", "engine", "tests", "tools", "ui") for p in (root / top).rglob("*")]
missing = [f for f in files
           if (f.suffix in SUFFIXES or f.name == "CMakeLists.txt") and f.is_file()
           and "SPDX-License-Identifier: GPL-3.0-or-later" not in "".join(f.open().readlines()[:3])]
print("\n".join(str(f.relative_to(root)) for f in missing) or "every file names its licence")
sys.exit(bool(missing))
