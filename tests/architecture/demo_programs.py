#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""./demo builds the programs that a guest of the project is told of, and no other that is installed or tests.

usage: demo_programs.py SOURCE_FOLDER BUILD_FOLDER NINJA
"""
import pathlib
import re
import subprocess
import sys

TOLD_OF = {"meshreel", "meshreel-studio", "meshreel-render"}
ON_REQUEST = {"meshreel-bench-ui"}  # `meshreel bench ui` says how it is built


def programs_of(target, build, ninja):
    """Names in bin/ of all that the target is made of."""
    graph = subprocess.run([ninja, "-C", build, "-t", "graph", target], check=True, capture_output=True, text=True)
    return set(re.findall(r'label="bin/([^"/]+)"', graph.stdout))


def main(source, build, ninja):
    lines = re.findall(r"^build quick (.*)$", (pathlib.Path(source) / "demo").read_text(), re.MULTILINE)
    built = set().union(*(programs_of(target, build, ninja) for line in lines for target in line.split()))
    installed = programs_of("programs", build, ninja)
    mistakes = [f"./demo does not build {name}" for name in sorted(TOLD_OF - built)]
    unasked = {name for name in built if name in installed - TOLD_OF - {"shader-forms"} or name.endswith("_test")}
    mistakes += [f"./demo builds {name}, for which nobody asked" for name in sorted(unasked)]
    for target in ("programs", "all"):
        left_out = (TOLD_OF | ON_REQUEST) - programs_of(target, build, ninja)
        mistakes += [f"a build of {target} leaves out {name}" for name in sorted(left_out)]
    print("\n".join(mistakes) or "as told")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
