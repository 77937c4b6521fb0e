# SPDX-License-Identifier: GPL-3.0-or-later
"""What other programs read stays: keys, columns, events, exit codes and the bytes of results.

usage: frozen_formats.py RUNNER DATA_DIR [--record]

DATA_DIR/formats.json lists what the version that it was recorded with wrote. Later versions may add keys and columns,
which --record then adds to the list; none may go, nor change its type. DATA_DIR/run-1589ffd is a run folder that
commit 1589ffd left when it was cancelled after five of twelve steps.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

runner, data = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
recording = sys.argv[3:] == ["--record"]

PROJECT = """version: 1
prompt: a red ball moving right on a white background
negative_prompt: blurry
width: 32
height: 32
num_frames: 5
num_inference_steps: 12
seed: 7
run_name: frozen
"""
# Of PROJECT's latents.safetensors, where products are the same: AVX-512 and wider give the same bytes.
LATENTS = {
    "avx2": "91c0165bf9590253bca507c59c745924b418ef35f5be1834d4015b5b23252f10",
    "avx512": "992b3b7444298ed99d526fcf3df5ee5ca1a09db1ad221fd269ee0454c3a48d49",
    "avx512_bf16": "992b3b7444298ed99d526fcf3df5ee5ca1a09db1ad221fd269ee0454c3a48d49",
    "amx": "992b3b7444298ed99d526fcf3df5ee5ca1a09db1ad221fd269ee0454c3a48d49",
}
OPENBLAS = "0.3.21"  # that these bytes were made with
EXIT_CODES = {
    0: ["validate", "project.yaml"],
    2: ["run", "project.yaml", "--set", "width=33"],
    3: ["run", "project.yaml", "--set", "pretrained_model_name_or_path=/nowhere"],
    4: ["run", "project.yaml", "--set", "memory_budget=0.0001"],
    6: ["check", "--covering", "--transport", "threads", "--devices", "1", "--perturb", "1"],
}

problems = []


def paths(value, at=""):
    """Every key of JSON as PATH: TYPE; elements of an array share one path."""
    kinds = {dict: "object", list: "array", str: "text", bool: "flag", int: "number", float: "number", type(None): "null"}
    found = {f"{at}: {kinds[type(value)]}"} if at else set()
    if isinstance(value, dict):
        for key, inner in value.items():
            found |= paths(inner, f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for inner in value:
            found |= paths(inner, f"{at}[]")
    return found


def run(*words, expected=0):
    result = subprocess.run([runner, *map(str, words)], cwd=work, env=environment, text=True, capture_output=True)
    if result.returncode != expected:
        problems.append(f"{' '.join(map(str, words))} ended with {result.returncode} in place of {expected}: {result.stderr}")
    return result.stdout


def header(file):
    return file.read_text().splitlines()[0].split(",")


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def formats():
    """What this version writes, a sorted list for each format."""
    found = {}
    (work / "project.yaml").write_text(PROJECT)
    events = run("run", "project.yaml", "--out", "whole", "--json-events", "--previews")
    whole = work / "whole"
    for line in filter(None, events.splitlines()):
        event = json.loads(line)
        found.setdefault(f"event {event['event']}", set()).update(paths(event))
    for name in ("timings.json", "environment.json", "status.json"):
        found[name] = paths(json.loads((whole / name).read_text()))
    for name in ("steps.csv", "devices.csv"):
        found[name] = header(whole / name)
    found["files of a run"] = [entry.name for entry in whole.iterdir() if not entry.name.startswith(".")]
    found["project keys"] = [line.split(":")[0].strip() for line in (whole / "project.yaml").read_text().splitlines()
                             if ":" in line and not line.startswith("#")]
    # Options begin with a dash; commands stand in groups.
    found["commands"] = [line.split()[0] for line in run("--help").splitlines()
                         if line.startswith("  ") and line[2:3].isalpha()]
    model = runner_resources() / "tiny-wan-t2v"
    for words in (["plan", "project.yaml"], ["compare", "whole"], ["import", "project.yaml"], ["isa"], ["models"],
                  ["cache", "list"], ["inspect", model / "transformer"], ["inspect", model],
                  ["bench", "elementwise", "--rounds", "1", "--row-seconds", "0", "--peak-seconds", "0", "--tokens", "64"],
                  ["check", "--covering", "--transport", "threads", "--devices", "1"],
                  ["evaluate", "tiny-wan-t2v", "--prompts", "1", "--size", "64x64x5", "--steps", "2", "--out", "evaluated"]):
        name = " ".join("MODEL" if isinstance(word, pathlib.Path) else word for word in words[:2])
        found.setdefault(f"{name} --json", set()).update(paths(json.loads(run(*words, "--json"))))
    for line in filter(None, run("decode", "whole", "--json-events").splitlines()):
        event = json.loads(line)
        found.setdefault(f"decode event {event['event']}", set()).update(paths(event))
    return {name: sorted(set(values)) for name, values in sorted(found.items())}


def runner_resources():
    return pathlib.Path(environment.get("MESHREEL_RESOURCES", data.parents[2] / "resources")) / "models"


def compare(found):
    for name, frozen in json.loads((data / "formats.json").read_text()).items():
        here = set(found.get(name, []))
        keys = {entry.split(": ")[0] for entry in here}
        for lost in sorted(set(frozen) - here):
            key, _, kind = lost.partition(": ")
            # What could not be measured is null, here or where the list was recorded.
            if kind == "null" and key in keys or f"{key}: null" in here:
                continue
            problems.append(f"{name}: '{lost}' is gone")


def check_results():
    offered = json.loads(run("isa", "--json"))
    for isa in offered["offered"]:
        run("--isa", isa, "run", "project.yaml", "--no-cache", "--out", f"bytes-{isa}")
        made = digest(work / f"bytes-{isa}" / "latents.safetensors")
        if OPENBLAS in offered["blas"] and made != LATENTS[isa]:
            problems.append(f"latents.safetensors with {isa} is {made} in place of {LATENTS[isa]}")
    for code, words in EXIT_CODES.items():
        run(*words, expected=code)
    shutil.copytree(data / "run-1589ffd", work / "old")
    run("run", "--resume", "old", "--allow-different-machine")
    status = json.loads((work / "old" / "status.json").read_text())
    if status["status"] != "done" or status["resumes"] != 1:
        problems.append(f"the run folder of 1589ffd did not go on: {status}")
    if (work / "old" / "steps.csv").read_text().count("\n") != 13:
        problems.append("the run folder of 1589ffd has other than twelve steps")
    widest = offered["offered"][0]
    if widest in ("amx", "avx512_bf16", "avx512") and digest(work / "old" / "latents.safetensors") != \
            digest(work / f"bytes-{widest}" / "latents.safetensors"):
        problems.append("the run folder of 1589ffd goes on to other latents than a run that was never cancelled")


with tempfile.TemporaryDirectory(prefix="meshreel-frozen-") as name:
    work = pathlib.Path(name)
    environment = {**{key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "MESHREEL_"))},
                   "HOME": str(work / "home"), "LC_ALL": "C.UTF-8"}
    found = formats()
    if recording:
        known = json.loads((data / "formats.json").read_text()) if (data / "formats.json").exists() else {}
        merged = {key: sorted(set(known.get(key, [])) | set(found.get(key, []))) for key in sorted({*known, *found})}
        (data / "formats.json").write_text(json.dumps(merged, indent=1, ensure_ascii=False) + "\n")
    compare(found)
    check_results()
print("\n".join(problems) or "what other programs read is as it was")
sys.exit(bool(problems))
