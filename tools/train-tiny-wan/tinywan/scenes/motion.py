# SPDX-License-Identifier: GPL-3.0-or-later
"""Where actors are: for N actors at once, centre, radius (pixels) and angle (radians) in each of T frames."""
import math

import torch

from .tables import MOTIONS

_CODE = {name: i for i, name in enumerate(MOTIONS)}


def _columns(actors, device):
    rows = [(a.r0, a.r1, a.a, a.b, a.c, a.d, a.tilt, *a.region) for a in actors]
    return torch.tensor(rows, dtype=torch.float32, device=device).unsqueeze(-1).unbind(1)     # each [N, 1]


def _across(u, radius, length, a, b):
    """From one side to the other, in the direction of growing coordinates."""
    low, high = radius * 1.1 + 0.10 * length * a, length - radius * 1.1 - 0.10 * length * b
    return low + (high - low) * u


def _aside(u, radius, length, c, d):
    """A constant place on the other axis, more often in the middle."""
    room = (length - 2.3 * radius).clamp(min=0.0)
    return (length * 0.5 + (c + d - 1.0) * 0.5 * room).expand_as(u)


def trajectories(actors, frames, height, width, device):
    """-> x, y, r, angle, each [N, T]."""
    r0, r1, a, b, c, d, tilt, top, bottom = _columns(actors, device)
    code = torch.tensor([_CODE[actor.motion] for actor in actors], device=device).unsqueeze(-1)
    is_ = lambda *names: sum((code == _CODE[n]) for n in names).bool()
    u = torch.linspace(0, 1, frames, device=device).expand(len(actors), frames)
    periods = max(1.0, (frames - 1) / 16.0)                      # longer clips repeat, they do not slow down
    r = min(height, width) * (r0 + (r1 - r0) * u)
    rm = r.amax(1, keepdim=True)
    own = height * (bottom - top)                                # the region that the actor keeps to

    x = width * 0.5 + 0.2 * (a - 0.5) * (width - 2 * rm) + 0 * u
    y = own * 0.5 + 0.2 * (b - 0.5) * (own - 2 * rm) + 0 * u
    way = torch.where(is_("left", "up"), 1 - u, u)
    horizontal, vertical = is_("left", "right"), is_("up", "down")
    x = torch.where(horizontal, _across(way, rm, width, a, b), x)
    y = torch.where(horizontal, _aside(u, rm, own, c, d), y)
    y = torch.where(vertical, _across(way, rm, own, a, b), y)
    x = torch.where(vertical, _aside(u, rm, torch.full_like(rm, float(width)), c, d), x)
    floor, apex = own - rm * 1.15, rm * 1.2 + 0.18 * own * a
    bounce = floor - (floor - apex) * torch.sin(math.pi * (u * 2.0 * periods + b)).abs()
    y = torch.where(is_("bouncing"), bounce, y)
    x = torch.where(is_("bouncing"), (width * (0.5 + 0.3 * (c - 0.5))).expand_as(u), x)
    turn = torch.where(is_("spinning"), u * math.pi * (0.9 + 0.5 * c) * periods, torch.zeros_like(u))
    return x, y + height * top, r, tilt + turn
