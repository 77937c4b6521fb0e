# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow matching: noise levels, training batches, guidance, Euler steps."""
import torch

GUIDANCE = 3.0
SHIFT = 3.0                         # of the noise levels, in training and sampling alike
TIMESTEPS = 1000.0


def shifted(u, shift=SHIFT):
    return shift * u / (1 + (shift - 1) * u)


def unshifted(level, shift=SHIFT):
    """The inverse of shifted()."""
    return level / (shift - (shift - 1) * level)


def levels(steps, shift=SHIFT):
    """`steps` + 1 noise levels from 1 to 0."""
    return shifted(torch.linspace(1.0, 0.0, steps + 1, dtype=torch.float64), shift).tolist()


def stratified_levels(count, generator, device):
    """A noise level for each clip of a batch, spread evenly over all of them before the shift."""
    u = (torch.arange(count, device=device) + torch.rand(count, device=device, generator=generator)) / count
    return shifted(u).clamp(1e-4, 1 - 1e-4)


def noisy(x0, level, generator, shown=None):
    """-> x_t, velocity target. The noise covers `shown`, another clip than the one that the velocity leads to when given."""
    shown = x0 if shown is None else shown
    noise = torch.randn(x0.shape, device=x0.device, generator=generator)
    s = level.view(-1, 1, 1, 1, 1)
    x = (1 - s) * shown + s * noise
    return x, noise - x0 + (1 - s) / s * (shown - x0)


def velocity(dit, x, level, text, condition=None):
    """`level` a number or [B]."""
    level = torch.as_tensor(level, dtype=torch.float32, device=x.device).expand(x.shape[0])
    return dit(x if condition is None else torch.cat([x, condition], 1), level * TIMESTEPS, text)


def guided_velocity(dit, x, level, text, empty, scale, condition=None):
    """Classifier-free guidance; `empty` is the text of the empty prompt, padded as `text` is."""
    both = torch.cat([text, empty.expand_as(text)])
    level = torch.as_tensor(level, dtype=torch.float32, device=x.device).expand(x.shape[0]).repeat(2)
    out = velocity(dit, x.repeat(2, 1, 1, 1, 1), level, both, None if condition is None else condition.repeat(2, 1, 1, 1, 1))
    conditional, unconditional = out.chunk(2)
    return unconditional + scale * (conditional - unconditional)


@torch.no_grad()
def denoised(dit, x, start, steps, words, empty, scale):
    """Where `steps` guided Euler steps lead from x at level `start`."""
    path = shifted(unshifted(start) * torch.linspace(1.0, 0.0, steps + 1, dtype=torch.float64)).tolist()
    for now, then in zip(path[:-1], path[1:]):
        x = x + (then - now) * guided_velocity(dit, x, now, words, empty, scale).float()
    return x


@torch.no_grad()
def euler(velocity_at, x, steps, shift=SHIFT):
    """velocity_at(x, level) -> velocity"""
    sigmas = levels(steps, shift)
    for now, then in zip(sigmas[:-1], sigmas[1:]):
        x = x + (then - now) * velocity_at(x, now)
    return x
