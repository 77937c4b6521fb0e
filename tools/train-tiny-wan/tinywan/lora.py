# SPDX-License-Identifier: GPL-3.0-or-later
"""Low-rank adapters of the linear layers of the transformer's blocks, kept apart from its weights."""
import contextlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class Pair(nn.Module):
    """up(down(x)); starts without effect. alpha = rank, so that readers scale by 1."""

    def __init__(self, layer, rank, generator):
        super().__init__()
        down = torch.randn(rank, layer.in_features, generator=generator) * layer.in_features ** -0.5
        self.down = nn.Parameter(down)
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))

    def forward(self, x):
        return F.linear(F.linear(x, self.down), self.up)


def _layers(dit):
    return {name: m for name, m in dit.named_modules() if name.startswith("blocks.") and isinstance(m, nn.Linear)}


def adapters(dit, rank, seed, device):
    """A module of pairs, one a linear layer, named by the layer with "/" for "."."""
    generator = torch.Generator().manual_seed(seed)
    return nn.ModuleDict({name.replace(".", "/"): Pair(layer, rank, generator)
                          for name, layer in _layers(dit).items()}).to(device)


@contextlib.contextmanager
def added(dit, pairs):
    """The layers with their pairs, inside the block."""
    layers = _layers(dit)
    handles = [layers[name.replace("/", ".")].register_forward_hook(lambda _, inputs, out, pair=pair: out + pair(inputs[0]))
               for name, pair in pairs.items()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def named_pairs(pairs):
    """Tensors in PEFT's naming, as diffusers saves them."""
    tensors = {}
    for name, pair in pairs.items():
        layer = "transformer." + name.replace("/", ".")
        tensors[layer + ".lora_A.weight"] = pair.down.detach()
        tensors[layer + ".lora_B.weight"] = pair.up.detach()
    return tensors
