# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips with something else under the noise, for the transformer to put right.

A clip under noise always shows the shape that its caption names, so a transformer learns to read shapes off the noise. When it
samples, what lies under the noise is its own first guess, mostly a blob, and it keeps that. Here some of the clips are
blends with a twin of other shapes while the target stays the clip of the caption: shapes are to be taken from the words.
And some came to their level by a step of the transformer itself (cf. Ren et al. 2024, "Multi-Step Denoising Scheduled
Sampling")."""
import torch

from .sampler import GUIDANCE, guided_velocity, noisy

SHARE = 0.5                         # of blends among the clips whose caption says anything
_FAINTEST, _FULL = 0.3, 0.6         # levels of noise from which on blends begin, and may be all twin
OWN_SHARE = 0.25                    # of clips under own steps, blends or not
_OWN_LEVELS = 0.2, 0.97             # of the noise after own steps,
_LONGEST = 0.3                      # of which none is longer


def blends(x0, twins, level, named, generator):
    """Clips [B, C, F, h, w] to put under noise of `level` [B]: blends of x0 with its twin, half of them by another weight
    in each latent frame; x0 itself where not `named` [B] (its caption is empty) and under little noise."""
    count, frames = x0.shape[0], x0.shape[2]
    random = lambda *shape: torch.rand(*shape, device=x0.device, generator=generator)
    weight = torch.where(random(count, 1) < 0.5, random(count, 1).expand(count, frames), random(count, frames))
    chosen = (random(count) < SHARE) & named
    most = ((level - _FAINTEST) / (_FULL - _FAINTEST)).clamp(0, 1) * chosen
    return x0 + (weight * most[:, None]).view(count, 1, frames, 1, 1) * (twins - x0)


@torch.no_grad()
def own_steps(dit, x0, shown, level, named, generator, words, empty, condition=None):
    """-> places [n] in the batch, which of them are meant [n] (the others are too near the ends, or have no words), x_t and
    velocity targets [n, C, F, h, w]: clips that came to their level by a guided step of the transformer, as when it samples, from
    where `shown` lies under more noise. The target is the clip x0."""
    random = lambda count: torch.rand(count, device=x0.device, generator=generator)
    eligible = named & (level > _OWN_LEVELS[0]) & (level < _OWN_LEVELS[1])
    order = random(len(x0)).masked_fill(~eligible, 2.0).argsort()
    places = order[:max(1, round(OWN_SHARE * len(x0)))]         # a number that asks the device for nothing
    level, x0 = level[places], x0[places]
    start = level + (1 - level).clamp(max=_LONGEST) * random(len(places))
    x, _ = noisy(x0, start, generator, shown[places])
    velocity = guided_velocity(dit, x, start, words[places], empty, GUIDANCE, None if condition is None else condition[places])
    wide = lambda values: values.view(-1, 1, 1, 1, 1)
    x = x + wide(level - start) * velocity.float()
    return places, eligible[places], x, (x - x0) / wide(level)
