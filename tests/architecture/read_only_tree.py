# SPDX-License-Identifier: GPL-3.0-or-later
"""read_only_tree.py ROOT TARGET...: an out-of-source build writes nothing into the source tree.

Configures a write-protected copy of the tree, builds the targets there, and compares every file's time and size after it: root
may write in spite of the protection.
"""
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

root, targets = pathlib.Path(sys.argv[1]), sys.argv[2:]
NOT_SOURCES = {".git", "build", "runs"}       # at the root; engine/runs and ui/runs are sources


def no_source(folder: str, names: list[str]) -> set[str]:
    return (NOT_SOURCES if pathlib.Path(folder) == root else {"__pycache__"}) & set(names)


def listing(tree: pathlib.Path) -> dict[str, tuple[int, int]]:
    return {path.relative_to(tree).as_posix(): (path.lstat().st_mtime_ns, path.lstat().st_size)
            for path in (tree, *tree.rglob("*"))}


def set_writable(tree: pathlib.Path, writable: bool) -> None:
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | stat.S_IWUSR if writable else mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


with tempfile.TemporaryDirectory() as scratch:
    source, build = pathlib.Path(scratch, "source"), pathlib.Path(scratch, "build")
    shutil.copytree(root, source, symlinks=True, ignore=no_source)
    set_writable(source, False)
    before = listing(source)
    try:
        subprocess.run(["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_UNITY_BUILD=ON", "-DMESHREEL_PRECOMPILE=OFF"],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", build, "--target", *targets], check=True)
    finally:
        after = listing(source)
        set_writable(source, True)
changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
print("\n".join(f"written into the source tree: {name}" for name in changed) or "nothing is written into the source tree")
sys.exit(bool(changed))
