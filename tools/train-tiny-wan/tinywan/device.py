# SPDX-License-Identifier: GPL-3.0-or-later
"""Where to compute: CUDA in bfloat16 when there is one, otherwise the CPU in float32."""
import contextlib

import torch


def add_device_options(parser):
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=1, help="of the CPU")


def chosen_device(arguments):
    torch.set_num_threads(arguments.threads)
    torch.backends.cudnn.benchmark = False          # its choices may differ between two runs
    torch.backends.cudnn.deterministic = True
    return torch.device(arguments.device)


def mixed_precision(device):
    """Matrix products and convolutions in bfloat16 on CUDA; nothing on the CPU, where that is emulated."""
    if device.type == "cuda":
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return contextlib.nullcontext()
