# SPDX-License-Identifier: GPL-3.0-or-later
"""Each file includes what it uses: for every type and free function of a public header that a file names, the file, or its own
header (the one of the same stem), includes that header.

usage: own_includes.py SOURCE_FOLDER [--mend | --trial]

Reads text, not C++: a name counts as used where it stands unqualified outside comments and strings, and the file and its own header
declare nothing of that name. --mend adds the includes that are missing. --trial proves that the check can fail: it takes an include
from each of 200 files in turn, and fails where the check does not miss it.
"""
import functools
import pathlib
import re
import sys

from include_direction import floor_of

TOPS = ("engine", "ui", "app")
# What a header brings along: the values that its own are made of, which nobody meets without it.
BRINGS = {
    "engine/base/error.h": ["engine/base/problem.h", "engine/base/problem_ids.h", "engine/base/sentence.h"],
    "engine/base/problem.h": ["engine/base/problem_ids.h", "engine/base/sentence.h"],
    "engine/tensor/tensor.h": ["engine/tensor/dtype.h", "engine/tensor/memory.h", "engine/tensor/shape.h"],
}
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                   re.DOTALL | re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"((?:engine|ui|app)/[^"]+)"', re.MULTILINE)
PREAMBLE = re.compile(r'\s*(?://.*|#\s*(?:include|pragma once)\b.*|extern "C" \{|\})?$')
TYPE = re.compile(r"\b(?:struct|class|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?(\w+)\s*(?:final\s*)?(?::[^:].*)?$", re.DOTALL)
ALIAS = re.compile(r"\b(?:using\s+(\w+)\s*=|concept\s+(\w+)\b)")
FUNCTION = re.compile(r"[\w>&*\]]\s+[&*]*(\w+)\s*\(")
FORWARD = re.compile(r"^[ \t]*(?:class|struct)\s+\w+;", re.MULTILINE)  # what a source needs whole
NOT_TYPES = {"return", "throw", "else", "case", "new", "delete", "co_return", "co_await", "and", "or", "not", "const_cast", "in"}


def stripped(text):
    """Without comments, strings, characters and preprocessor lines; a line stays a line."""
    return NOISE.sub(lambda match: '""' if match[0][0] in "\"R" else "\n" * match[0].count("\n"), text)


def statements(text):
    """What stands at namespace scope, up to each ';' or '{', and the names of inner namespaces."""
    scopes, statement, position = [], "", 0
    for match in re.finditer(r"[;{}]", text):
        inside = all(scopes)
        if inside:
            statement += text[position:match.start()]
        position = match.end()
        if match[0] == "{":
            named = re.search(r"\bnamespace(?:\s+([\w:]*))?\s*$", statement) if inside else None
            scopes.append(bool(named and named[1]))
            if inside:
                yield statement.strip(), "{"
                statement = ""
        elif match[0] == "}":
            if scopes:
                scopes.pop()
            statement = statement if all(scopes) else ""
        elif inside:
            yield statement.strip(), ";"
            statement = ""


def public_names(text):
    """Types and free functions that a header declares in its namespace: {name: pattern of a use}."""
    names = {}
    for statement, end in statements(stripped(text)):
        inner = re.search(r"\bnamespace\s+(\w+)$", statement)
        if inner:
            if inner[1] != "meshreel":
                break  # what follows is named by way of the inner namespace
            continue
        if re.match(r"(?:template\s*<.*>\s*)?(?:extern|friend|static_assert|using namespace)\b", statement, re.DOTALL):
            continue
        alias = ALIAS.search(statement)
        kind = TYPE.search(statement) if end == "{" else None
        if alias:
            names[alias[1] or alias[2]] = "type"
        elif kind:
            names[kind[1]] = "type"
        elif "operator" not in statement and "=" not in statement.split("(")[0]:
            function = FUNCTION.search(statement)
            if function:
                names[function[1]] = "function"
    return names


def uses(name, kind, code):
    call = r"\s*(?:<[^<>;]*>)?\(" if kind == "function" else ""
    return re.search(rf"(?<![\w.:~])(?<!->)(?:meshreel::)?{name}\b{call}", code) is not None


@functools.cache
def declared(code):
    """Words that a file gives a meaning of its own: types of any depth, functions, members and variables."""
    words = set(re.findall(r"\b(?:struct|class|enum|enum\s+class|union|typename|concept|namespace)\s+(\w+)", code))
    words |= set(re.findall(r"\busing\s+(\w+)\s*=", code))
    words |= {name for before, name in re.findall(r"(\w+|[>\]]|\w[&*]+|>[&*]+)\s+(\w+)\s*(?=[({;=,):\[])", code)
              if before not in NOT_TYPES}
    for members in re.findall(r"\benum\b[^{;]*\{([^}]*)\}", code):
        words |= set(re.findall(r"\w+", members))
    return words


def own_header(path):
    header = path.with_suffix(".h")
    return header if path.suffix == ".cpp" and header.exists() else None


class House:
    def __init__(self, root):
        self.root = root
        self.files = {path.relative_to(root).as_posix(): path.read_text()
                      for top in TOPS for path in sorted((root / top).rglob("*")) if path.suffix in (".h", ".cpp")}
        # What stands between marks is compiled for more than the CPU has: its shared headers are included before.
        self.behind_marks = {header for text in self.files.values()
                             for part in re.findall(r"^MESHREEL_BEGIN_\w+$(.*?)^(?:MESHREEL_END_ISA|namespace)", text,
                                                    re.MULTILINE | re.DOTALL)
                             for header in INCLUDE.findall(part)}
        self.headers = {}  # name: {header: kind}
        for file, text in self.files.items():
            if file.endswith(".h"):
                for name, kind in public_names(text).items():
                    self.headers.setdefault(name, {})[file] = kind

    def missing_in(self, file, text=None):
        """(name, header) of each name whose header is not included."""
        text = self.files[file] if text is None else text
        if file in self.behind_marks:
            return
        code = stripped(text)
        header = own_header(self.root / file)
        header = header.relative_to(self.root).as_posix() if header else None
        own = self.files[header] if header else ""
        included = set(INCLUDE.findall(text)) | set(INCLUDE.findall(own))
        included |= {part for whole in included & BRINGS.keys() for part in BRINGS[whole]} | {file, header}
        meanings = declared(code) | declared(FORWARD.sub("", stripped(own)))
        words = set(re.findall(r"\w+", code))
        for name in sorted(words & self.headers.keys()):
            homes = self.headers[name]
            below = [home for home in homes if floor_of(home) is not None and floor_of(home) <= floor_of(file)]
            if not below or included & homes.keys() or name in meanings:
                continue
            kind = homes[below[0]]
            if kind == "function" and len(homes) > 1:
                continue  # overloads are told apart by their arguments, whose types are looked for
            if uses(name, kind, code):
                yield name, below[0]


def mended(file, text, headers):
    """The text with more includes: sorted, in the last block before the code that quotes."""
    lines = text.split("\n")
    code = next(number for number, line in enumerate(lines) if not PREAMBLE.match(line))
    quoted = [number for number, line in enumerate(lines[:code]) if INCLUDE.match(line)]
    own = [number for number in quoted if file.replace(".cpp", ".h") in lines[number]]
    block = [number for number in quoted if number not in own]
    new = {f'#include "{header}"' for header in headers}
    if block:
        while block[0] + len(block) - 1 != block[-1]:
            new.add(lines[block[0]])  # beside the own header
            lines[block.pop(0)] = None
        lines[block[0]:block[-1] + 1] = sorted({*lines[block[0]:block[-1] + 1], *new})
    else:
        last = max((number for number, line in enumerate(lines[:code]) if re.match(r"\s*#", line)), default=0)
        lines[last + 1:last + 1] = ["", *sorted(new)]
    return "\n".join(line for line in lines if line is not None)


def trial(house):
    """Takes an include away from each of 200 files and tells which of them nobody would miss."""
    tried = 0
    for file, text in house.files.items():
        code, header = stripped(text), own_header(house.root / file)
        meanings = declared(code)
        others = set(INCLUDE.findall(header.read_text())) if header else set()
        included = [match for match in INCLUDE.finditer(text) if match[1] != file.replace(".cpp", ".h")]
        brought = {part for match in included for part in BRINGS.get(match[1], [])}
        for match in included:
            names = [name for name, homes in house.headers.items() if list(homes) == [match[1]] and name not in meanings]
            if file in house.behind_marks or match[1] in others | brought or not any(
                    uses(name, house.headers[name][match[1]], code) for name in names):
                continue
            tried += 1
            if not any(home == match[1] for _, home in house.missing_in(file, text.replace(match[0], ""))):
                yield f"{file}: without {match[1]} nothing is missed"
            break
        if tried == 200:
            return
    yield f"only {tried} files were tried"


def main():
    root = pathlib.Path(sys.argv[1])
    if "--mend" in sys.argv:
        for ending in (".h", ".cpp"):  # headers first: their sources need no more than they do
            house = House(root)
            for file in house.files:
                missing = {header for _, header in house.missing_in(file)} if file.endswith(ending) else set()
                if missing:
                    (root / file).write_text(mended(file, house.files[file], missing))
    house = House(root)
    faults = list(trial(house)) if "--trial" in sys.argv else [
        f"{file}: uses {name} without {header}" for file in house.files for name, header in house.missing_in(file)]
    print("\n".join(faults) or "each file includes what it uses")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
