#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources with loops that a run waits for are compiled with -O3, and only the preset quick compiles others with less than -O2.

usage: loops_are_compiled.py SOURCE_FOLDER BUILD_FOLDER

Looks at the commands of the build, not at the lists that they come from.
"""
import json
import pathlib
import re
import sys

# Folders of which every source computes.
COMPUTING = ("attention/", "tensor/", "sampling/", "models/wan/", "models/vae/", "models/encoders/", "models/animate/",
             "models/layers/", *(f"kernels/{folder}/" for folder in ("attention", "convolution", "linear", "pixels", "rows", "tiles")))
# Gives parts of a loop to workers, or is made of vectors.
SIGNS = re.compile(r"parallelFor\(|isa_region\.h|rows/exponential\.h|rows/lanes\.h|tiles/tile_unit_")


def sources_of(unit):
    """The files that a unit joins; the unit itself where it joins none."""
    if "/Unity/" not in unit.as_posix():
        return [unit]
    return [pathlib.Path(name) for name in re.findall(r'#include "(.*?)"', unit.read_text())]


def mistakes_in(source, build):
    engine, tests = source / "engine", source / "tests"
    quick = "MESHREEL_QUICK:BOOL=ON" in (build / "CMakeCache.txt").read_text()
    seen = 0
    for command in json.loads((build / "compile_commands.json").read_text()):
        unit = pathlib.Path(command["file"])
        if not re.search(r"\.(cpp|cxx)$", unit.name) or "_autogen" in unit.as_posix():
            continue
        level = re.findall(r" -(O\S+)", command["command"])[-1]
        for file in sources_of(unit):
            if file.is_relative_to(tests) or build in file.parents:
                continue
            name = file.relative_to(source).as_posix()
            if not quick and level not in ("O2", "O3"):
                yield f"{name} is compiled with -{level}, though it is installed"
            if not file.is_relative_to(engine):
                continue
            inner = file.relative_to(engine).as_posix()
            loops = inner.startswith(COMPUTING) or SIGNS.search(file.read_text())
            if not loops:
                continue
            seen += 1
            if level != "O3":
                yield (f"{name} has loops that a run waits for, and is compiled with -{level}: take it from WORDS of its layer's "
                       "CMakeLists.txt, or name it among LOOPS")
    if seen < 50:
        yield f"only {seen} sources with loops are found: is this the build of {source}?"


def main(source, build):
    mistakes = sorted(mistakes_in(pathlib.Path(source), pathlib.Path(build)))
    print("\n".join(mistakes) or "loops are compiled as loops")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
