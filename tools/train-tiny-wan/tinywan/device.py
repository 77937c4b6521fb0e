# SPDX-License-Identifier: GPL-3.0-or-later
"""Where to compute: CUDA when there is one, otherwise the CPU; in bfloat16 where it multiplies that."""
import contextlib
import functools

import torch


def add_device_options(parser):
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=1, help="of the CPU")


def chosen_device(arguments, tries_convolutions=False):
    """`tries_convolutions`: of all that there are for each, which takes seconds and saves a third of an autoencoder's step; its
    choices may differ between two runs."""
    torch.set_num_threads(arguments.threads)
    torch.backends.cudnn.benchmark = tries_convolutions
    torch.backends.cudnn.deterministic = not tries_convolutions
    if arguments.device.startswith("cuda") and hasattr(torch, "compile"):
        from torch import _dynamo
        _dynamo.config.cache_size_limit = 64        # a function is compiled for every number of channels
    return torch.device(arguments.device)


def compiled_for_cuda(function):
    """As one kernel or few where the first argument lies on a GPU and PyTorch can make them (2.0 and newer): what lies between
    matrix products costs a GPU more than they do."""
    made = torch.compile(function, dynamic=True) if hasattr(torch, "compile") else function

    @functools.wraps(function)
    def called(x, *rest):
        return (made if x.is_cuda else function)(x, *rest)

    return called


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
