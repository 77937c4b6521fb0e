# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips whose objects hardly differ from their background.

In latents a blue shape on gray differs from what is around it, in squares, by an eighth of what it does on white. In a loss of
squares it weighs as little, and noise hides it until its level is low, where few of the levels lie. Such clips get
more of the loss and lower levels."""
from .sampler import shifted

_TYPICAL = 0.3                      # mean square of a clip of one shape, see contrasts()
_RANGE = 0.1, 3.0


def contrasts(x0, weights):
    """[B], about 1: mean square of clips [B, C, F, h, w] about their own mean, channels weighed by `weights` [1, C, 1, 1, 1]."""
    deviation = x0 - x0.mean((2, 3, 4), keepdim=True)
    return ((weights * deviation ** 2).mean((1, 2, 3, 4)) / _TYPICAL).clamp(*_RANGE)


def shares_of_loss(contrasts):
    return contrasts ** -0.75


def levels(levels, contrasts):
    """Where the same part of what is to be seen shows under the noise as in a clip of contrast 1."""
    return shifted(levels, contrasts.sqrt())
