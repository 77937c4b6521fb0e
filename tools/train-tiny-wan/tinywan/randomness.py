# SPDX-License-Identifier: GPL-3.0-or-later
"""Random numbers as a function of (seed, purpose, index): nothing to store, nothing to replay on a resume."""
import hashlib
import random

import torch


def _number(seed, purpose, index):
    return int.from_bytes(hashlib.sha256(f"{seed}/{purpose}/{index}".encode()).digest()[:7], "little")


def python_random(seed, purpose, index):
    return random.Random(_number(seed, purpose, index))


def torch_random(seed, purpose, index, device):
    return seeded(torch.Generator(device=device), seed, purpose, index)


def seeded(generator, seed, purpose, index):
    return generator.manual_seed(_number(seed, purpose, index))
