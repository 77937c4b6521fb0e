# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances, in pixels, negative inside: functions of coordinates relative to a primitive's centre and axes.

x, y, and the sizes broadcast; a primitive's half extents are (sx, sy)."""
import math

import torch


def ellipse(x, y, sx, sy):
    scaled = torch.sqrt((x / sx) ** 2 + (y / sy) ** 2 + 1e-9)
    gradient = torch.sqrt((x / sx ** 2) ** 2 + (y / sy ** 2) ** 2 + 1e-12)
    return scaled * (scaled - 1) / gradient


def box(x, y, sx, sy):
    rounding = 0.12 * torch.minimum(sx, sy)
    qx, qy = x.abs() - sx + rounding, y.abs() - sy + rounding
    return torch.sqrt(qx.clamp(min=0) ** 2 + qy.clamp(min=0) ** 2) + torch.maximum(qx, qy).clamp(max=0) - rounding


def triangle(x, y, sx, sy):
    """Equilateral, pointing up, for sx = sy; stretched otherwise."""
    root = math.sqrt(3.0)
    side = sx * 0.95
    x, y = x.abs() - side, -(y * sx / sy + sx * 0.08) + side / root
    beyond = x + root * y > 0
    x, y = torch.where(beyond, (x - root * y) / 2, x), torch.where(beyond, (-root * x - y) / 2, y)
    x = x - torch.maximum(x.clamp(max=0.0), -2.0 * side)
    return -torch.sqrt(x * x + y * y + 1e-9) * torch.sign(y)


def star(x, y, sx, sy):
    """Five points; the plane is folded into one arm, then it is the distance to the arm's edge."""
    r, inner, sector = sx * 1.12, 0.45, 2 * math.pi / 5
    angle = torch.remainder(torch.atan2(x, -y) + sector / 2, sector) - sector / 2
    radius = torch.sqrt(x * x + y * y + 1e-9)
    px, py = radius * angle.cos(), (radius * angle.sin()).abs()
    bx, by = r * inner * math.cos(sector / 2), r * inner * math.sin(sector / 2)
    ex, ey = bx - r, by
    return ((px - r) * ey - py * ex) / torch.sqrt(ex * ex + ey * ey)


def ring(x, y, sx, sy):
    """A hoop of outer half extents (sx, sy), seen from the side when they differ."""
    narrow = sx / sy
    px = x / narrow
    radius = torch.sqrt(px * px + y * y + 1e-9)
    gradient = torch.sqrt((px / narrow) ** 2 + y * y) / radius.clamp(min=1e-3)
    return ((radius - sy * 0.78).abs() - sy * 0.22) / gradient.clamp(min=1.0)


PRIMITIVES = [ellipse, box, triangle, star, ring]
