# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets quote published numbers, and only those.

A preset with block sizes has a line `# published: NAME key=value …`. NAME is a row of tests/data/published_settings.csv. Each
value on the line is the row's; where the key is in the file, it is the file's too. The line says all block sizes of the file, and
every time in seconds that the comment quotes.
"""
import csv
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
with open(root / "tests/data/published_settings.csv", newline="", encoding="utf-8") as file:
    table = {row["name"]: dict(pair.split("=") for pair in row["values"].split()) for row in csv.DictReader(file)}

MARK = "# published: "
SETTING = re.compile(r"^ *(\w+): (\S+)$", re.MULTILINE)
SECONDS = re.compile(r"(\d+\.\d+) s\b")


def problems(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.startswith("#")]
    settings = dict(SETTING.findall("\n".join(line for line in text.splitlines() if not line.startswith("#"))))
    published = [line.removeprefix(MARK).split() for line in lines if line.startswith(MARK)]
    blocks = {key for key in settings if key.startswith("block_")}
    if blocks and not published:
        return ["has block sizes and no `# published:` line"]
    found = []
    stated = {}
    for name, *pairs in published:
        if name not in table:
            found.append(f"{name} is no row of tests/data/published_settings.csv")
            continue
        values = dict(pair.split("=") for pair in pairs)
        stated |= values
        for key, value in values.items():
            if table[name].get(key) != value:
                found.append(f"says {key}={value}, and {name} has {table[name].get(key)}")
            if settings.get(key, value) != value:
                found.append(f"says {key}={value}, and sets {settings[key]}")
    found += [f"sets {key} and does not say what is published" for key in sorted(blocks - stated.keys())]
    prose = " ".join(line.removeprefix("# ") for line in lines if not line.startswith(MARK))
    found += [f"quotes {time} s, which is not on its `# published:` line" for time in SECONDS.findall(prose)
              if time not in stated.values()]
    return found


presets = sorted((root / "configs/presets").glob("*.yaml"))
texts = {preset.name: preset.read_text(encoding="utf-8") for preset in presets}
faults = [f"{name}: {problem}" for name, text in texts.items() for problem in problems(text)]
faults += [f"{name} is quoted by no preset" for name in table
           if not any(f"{MARK}{name} " in text for text in texts.values())]

# The test can fail: a number changed on the line, in the file, and in the prose.
sample = next(text for text in texts.values() if "step_seconds=" in text)
changed = {"line": re.sub(r"step_seconds=[\d.]+", "step_seconds=0.01", sample, count=1),
           "file": re.sub(r"^  block_q: \d+", "  block_q: 1", sample, flags=re.MULTILINE),
           "prose": sample.replace("version: 3", "# It took 0.02 s.\nversion: 3", 1)}
faults += [f"a changed {what} is not noticed" for what, text in changed.items() if not problems(text)]

print("\n".join(faults) or f"{len(presets)} presets quote what was published")
sys.exit(bool(faults))
