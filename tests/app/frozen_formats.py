# SPDX-License-Identifier: GPL-3.0-or-later
"""What other programs read stays: keys, columns, events, exit codes and the bytes of results.

usage: frozen_formats.py RUNNER DATA_DIR [--record | --record-latents]

DATA_DIR/formats.json lists what the version that it was recorded with wrote. Later versions may add keys and columns,
which --record then adds to the list; none may go, nor change its type. DATA_DIR/run-1589ffd is a run folder that
commit 1589ffd left when it was cancelled after five of twelve steps.

DATA_DIR/votes.json is a file of votes of version 1, which later versions read.

DATA_DIR/latents.json holds, for each core of OpenBLAS by its own name, the hashes of latents.safetensors: of PROJECT run
as a whole, and of run-1589ffd continued. The instruction set of Meshreel's own kernels makes no difference to them.
--record-latents adds those of every core that this machine can be made to take; of a core that is there already, the
hashes must be as they were.
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
recording_latents = sys.argv[3:] == ["--record-latents"]

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
# The cores of OpenBLAS that --record-latents asks for; which of them a machine has, OpenBLAS says.
CORES = ("Sapphirerapids Cooperlake SkylakeX Haswell Zen Excavator Steamroller Piledriver Bulldozer Sandybridge Nehalem Dunnington "
         "Penryn Core2 Prescott Atom Nano Bobcat Barcelona Opteron_SSE3 Opteron").split()
# With most cores a row's bits depend on the rows that a worker computes with it. Those of the kept run folder were two.
WORKERS = 2
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


def run(*words, expected=0, core=None):
    own = {**environment, "OPENBLAS_CORETYPE": core} if core else environment
    result = subprocess.run([runner, *map(str, words)], cwd=work, env=own, text=True, capture_output=True)
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
    found["compare --json of rated runs"] = paths(json.loads(run("compare", "whole", rated_beside(whole), "--json")))
    for line in filter(None, run("decode", "whole", "--json-events").splitlines()):
        event = json.loads(line)
        found.setdefault(f"decode event {event['event']}", set()).update(paths(event))
    return {name: sorted(set(values)) for name, values in sorted(found.items())}


def rated_beside(whole):
    """Another run of other settings, and in their folder the votes of version 1 about both. Returns its name."""
    other = work / "other"
    shutil.copytree(whole, other)
    project = other / "project.yaml"
    project.write_text(project.read_text().replace("num_inference_steps: 12", "num_inference_steps: 13"))
    shutil.copy(data / "votes.json", work / "votes.json")
    return other.name


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


def latents(isa, core=None):
    """What this machine makes with an instruction set, and what multiplied: its name, and two hashes."""
    told = json.loads(run("--isa", isa, "isa", "--json", core=core))
    whole, old = work / f"whole-{isa}", work / f"old-{isa}"
    for folder in (whole, old):
        shutil.rmtree(folder, ignore_errors=True)
    run("--isa", isa, "run", "project.yaml", "--workers", WORKERS, "--no-cache", "--out", whole, core=core)
    shutil.copytree(data / "run-1589ffd", old)
    run("--isa", isa, "run", "--resume", old, "--allow-different-machine", core=core)
    status = json.loads((old / "status.json").read_text())
    if status["status"] != "done" or status["resumes"] != 1:
        problems.append(f"the run folder of 1589ffd did not go on: {status}")
    if (old / "steps.csv").read_text().count("\n") != 13:
        problems.append("the run folder of 1589ffd has other than twelve steps")
    return told["blas"], {"whole": digest(whole / "latents.safetensors"), "resumed": digest(old / "latents.safetensors")}


def check_latents(offered):
    recorded = json.loads((data / "latents.json").read_text())
    for isa in offered:
        blas, made = latents(isa)
        if blas not in recorded:
            print(f"latents of {blas} are not recorded: frozen_formats.py {runner} {data} --record-latents")
        elif made != recorded[blas]:
            problems.append(f"latents.safetensors with {isa} and {blas} are {made} in place of {recorded[blas]}")


def record_latents(offered):
    file = data / "latents.json"
    recorded = json.loads(file.read_text()) if file.exists() else {}
    for core in CORES:
        for isa in offered:
            told = json.loads(run("--isa", isa, "isa", "--json", core=core))
            if told["blas_core"] != core:
                print(f"{core}: with {isa}, {told['blas']} multiplies ({' '.join(told['notes'] + told['refusals'])})")
                continue
            blas, made = latents(isa, core)
            if recorded.setdefault(blas, made) != made:
                problems.append(f"latents.safetensors with {isa} and {blas} are {made} in place of {recorded[blas]}")
    file.write_text(json.dumps(dict(sorted(recorded.items())), indent=1) + "\n")


def check_exit_codes():
    for code, words in EXIT_CODES.items():
        run(*words, expected=code)


with tempfile.TemporaryDirectory(prefix="meshreel-frozen-") as name:
    work = pathlib.Path(name)
    environment = {**{key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "MESHREEL_"))},
                   "HOME": str(work / "home"), "LC_ALL": "C.UTF-8"}
    offered = json.loads(run("isa", "--json"))["offered"]
    if recording_latents:
        (work / "project.yaml").write_text(PROJECT)
        record_latents(offered)
    else:
        found = formats()
        if recording:
            known = json.loads((data / "formats.json").read_text()) if (data / "formats.json").exists() else {}
            merged = {key: sorted(set(known.get(key, [])) | set(found.get(key, []))) for key in sorted({*known, *found})}
            (data / "formats.json").write_text(json.dumps(merged, indent=1, ensure_ascii=False) + "\n")
        compare(found)
        check_exit_codes()
        check_latents(offered)
print("\n".join(problems) or "what other programs read is as it was")
sys.exit(bool(problems))
