# SPDX-License-Identifier: GPL-3.0-or-later
"""What computes where is the kernels' matter: above them nobody asks in whose memory rows lie, names what Vulkan computes
with, or looks into the folder of GPU kernels; and among the kernels only the dispatch asks."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])

# The layers below, which know Vulkan or the host; everything else computes by operations of engine/kernels.
below = ("engine/base", "engine/timing", "engine/tensor", "engine/gpu", "engine/kernels")

# What truly describes hardware, for who chooses, plans and shows it.
hardware = {
    "chosen_gpu.h": "the GPUs that work goes to",
    "gpu_exchange.h": "how GPUs exchange numbers",
    "gpu_facts.h": "what a GPU is and has",
    "gpu_list.h": "the drivers of this system and their GPUs",
    "unopened_gpus.h": "what drivers say of GPUs that nothing opens",
    "gpu_memory.h": "the sizes of blocks and staging, for estimates of memory",
    "gpu_tuning.h": "what was measured on a GPU",
    "matrix_forms.h": "the forms in which a GPU multiplies",
}

# Asking where rows are; what Vulkan computes with; the kernels of an operation, which the dispatch calls.
asking = re.compile(r"\bisOnHost\b")
guessing = re.compile(r"\b(?:memory\(\)|execution(?:\(\))?(?:\.|->)gpu|m_execution\.gpu)\s*[!=]=\s*nullptr")
vulkan = re.compile(r"\b(?:Gpu(?:Stream|Pipelines|Pipeline|Work|Shader|Program|Address|Matrix|Vector|Buffer)|Vk[A-Z]\w*)\b")
kernels = re.compile(r"\bOn(?:Host|Vulkan)\b")

# Kernels of the host that are bound when a layer is prepared, and look once more at the rows.
asserting = ("engine/kernels/linear/host_linear.cpp", "engine/kernels/convolution/host_convolution.cpp")

comments = re.compile(r"//[^\n]*")
include = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

problems = []


def find(name, text, pattern, instead):
    for match in pattern.finditer(text):
        problems.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: names {match[0]}; {instead}")


for source in sorted(p for top in ("engine", "ui", "app") for p in (root / top).rglob("*") if p.suffix in (".h", ".cpp")):
    name = source.relative_to(root).as_posix()
    text = comments.sub("", source.read_text())
    if name.startswith("engine/kernels/") and not name.startswith(("engine/kernels/gpu/", "engine/kernels/dispatch/")):
        if name not in asserting:
            find(name, text, asking, "call dispatch() of engine/kernels/dispatch/device_dispatch.h")
        continue
    if name.startswith(below):
        continue
    for header in include.findall(text):
        folder, _, file = header.rpartition("/")
        if folder.startswith("engine/kernels/gpu"):
            problems.append(f"{name}: includes {header}; call an operation of engine/kernels")
        elif folder == "engine/gpu" and file not in hardware:
            problems.append(f"{name}: includes {header}, which describes no hardware; see engine/tensor/compute_device.h")
    find(name, text, asking, "call an operation of engine/kernels, which computes where its operands lie")
    find(name, text, guessing, "ask Execution::hasOwnMemory(), or the plan's placement")
    find(name, text, vulkan, "call an operation of engine/kernels, or ask the ComputeDevice")
    find(name, text, kernels, "call the operation, not one of its kernels")
print("\n".join(problems) or "what computes where is the kernels' matter")
sys.exit(bool(problems))
