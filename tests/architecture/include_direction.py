# SPDX-License-Identifier: GPL-3.0-or-later
"""Every include points down the house: engine layers in order, then rooms of ui/, then app. No '../' anywhere."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
LAYERS = re.search(r"set\(MESHREEL_LAYERS([^)]*)\)", (root / "cmake/MeshreelTargets.cmake").read_text())[1].split()
ROOMS = re.findall(r"^meshreel_room\(NAME (\w+)", (root / "ui/CMakeLists.txt").read_text(), re.MULTILINE)
FLOOR = {name: index for index, name in enumerate([*(f"engine/{layer}" for layer in LAYERS), *(f"ui/{room}" for room in ROOMS), "app"])}


def floor_of(path: str) -> int | None:
    parts = path.split("/")
    return FLOOR.get("/".join(parts[:2])) if parts[0] in ("engine", "ui") else FLOOR.get(parts[0])


def main():
    problems = []
    for source in sorted(p for top in ("engine", "ui", "app") for p in (root / top).rglob("*") if p.suffix in (".h", ".cpp")):
        name = source.relative_to(root).as_posix()
        own = floor_of(name)
        if own is None:
            problems.append(f"{name}: lies in no known layer")
            continue
        for number, line in enumerate(source.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            target = floor_of(match.group(1))
            if ".." in match.group(1):
                problems.append(f"{name}:{number}: includes by a '..' path")
            elif target is not None and target > own:
                problems.append(f"{name}:{number}: includes {match.group(1)}, which lies above it")
            elif target is None and match.group(1).startswith(("engine/", "ui/", "app/")):
                problems.append(f"{name}:{number}: includes {match.group(1)} of no known layer")
    print("\n".join(problems) or "every include points down")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
