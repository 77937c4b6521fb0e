# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips with the wrong shapes under the noise, for the transformer to put right.

A clip under noise always shows the shape that its caption names, so a transformer learns to read shapes off the noise. When it
samples, what lies under the noise is its own first guess, mostly a blob, and it keeps that. Here some of the clips are
blends with a twin of other shapes while the target stays the clip of the caption: shapes are to be taken from the words."""
import torch

SHARE = 0.5                         # of the clips whose caption says anything
_FAINTEST, _FULL = 0.3, 0.6         # levels of noise from which on blends begin, and may be all twin


def blends(x0, twins, level, named, generator):
    """Clips [B, C, F, h, w] to put under noise of `level` [B]: blends of x0 with its twin, half of them by another weight
    in each latent frame; x0 itself where not `named` [B] (its caption is empty) and under little noise."""
    count, frames = x0.shape[0], x0.shape[2]
    random = lambda *shape: torch.rand(*shape, device=x0.device, generator=generator)
    weight = torch.where(random(count, 1) < 0.5, random(count, 1).expand(count, frames), random(count, frames))
    chosen = (random(count) < SHARE) & named
    most = ((level - _FAINTEST) / (_FULL - _FAINTEST)).clamp(0, 1) * chosen
    return x0 + (weight * most[:, None]).view(count, 1, frames, 1, 1) * (twins - x0)
