# SPDX-License-Identifier: GPL-3.0-or-later
"""Where to compute: CUDA when there is one, otherwise the CPU; in bfloat16 where it multiplies that."""
import contextlib
import functools

import torch


def add_device_options(parser):
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=1, help="of the CPU")


def chosen_device(arguments):
    torch.set_num_threads(arguments.threads)
    torch.backends.cudnn.benchmark = False          # its choices may differ between two runs
    torch.backends.cudnn.deterministic = True
    return torch.device(arguments.device)


@functools.lru_cache(maxsize=None)
def multiplies_bfloat16(kind):
    """True for CUDA and for CPUs with instructions for it; others would emulate it."""
    if kind == "cuda":
        return True
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((line for line in file if line.startswith("flags")), "").split()
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


def mixed_precision(device):
    """Matrix products and convolutions in bfloat16 where the device multiplies it, else all in float32."""
    if multiplies_bfloat16(device.type):
        # Weights that were cast without gradients would be kept and never be trained.
        return torch.autocast(device.type, dtype=torch.bfloat16, cache_enabled=False)
    return contextlib.nullcontext()
