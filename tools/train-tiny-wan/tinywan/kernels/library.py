# SPDX-License-Identifier: GPL-3.0-or-later
"""kernels.cpp as a shared library, compiled for this CPU on first use and kept in the user's cache."""
import ctypes
import functools
import hashlib
import os
import subprocess
import sys

import torch

from ..device import multiplies_bfloat16

SOURCE = os.path.join(os.path.dirname(__file__), "kernels.cpp")
OPTIONS = ["-std=c++17", "-O3", "-march=native", "-mprefer-vector-width=512", "-fno-math-errno", "-fno-trapping-math", "-fassociative-math",
           "-fno-signed-zeros", "-ffinite-math-only", "-fopenmp-simd", "-fPIC", "-shared"]


def _flags_of_cpu():
    with open("/proc/cpuinfo") as file:
        return next((line for line in file if line.startswith("flags")), "")


def _compiled():
    with open(SOURCE) as file:
        key = hashlib.sha256("\n".join([file.read(), *OPTIONS, _flags_of_cpu()]).encode()).hexdigest()[:16]
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tinywan")
    path = os.path.join(folder, f"kernels-{key}.so")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        part = f"{path}.{os.getpid()}"
        subprocess.run([os.environ.get("CXX", "c++"), *OPTIONS, SOURCE, "-o", part], check=True, capture_output=True)
        os.replace(part, path)
    return path


@functools.lru_cache(maxsize=None)
def library():
    """None where there is no compiler, or a CPU that would emulate bfloat16."""
    if not multiplies_bfloat16("cpu"):
        return None
    try:
        return ctypes.CDLL(_compiled())
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"steps will be slower: the kernels could not be compiled ({error})", file=sys.stderr)
        return None


def usable(x):
    """Whether the kernels take the place of PyTorch's operations on `x` and what is made of it."""
    if x.device.type != "cpu" or library() is None:
        return False
    return torch.is_autocast_cpu_enabled() or x.dtype == torch.bfloat16


def call(name, *arguments):
    """Tensors are passed by the address of their contiguous data, None as null, int as int64, float as float."""
    passed = []
    for argument in arguments:
        if argument is None:
            passed.append(ctypes.c_void_p(None))
        elif isinstance(argument, torch.Tensor):
            assert argument.is_contiguous(), name
            passed.append(ctypes.c_void_p(argument.data_ptr()))
        elif isinstance(argument, int):
            passed.append(ctypes.c_int64(argument))
        else:
            passed.append(ctypes.c_float(argument))
    getattr(library(), name)(*passed)
