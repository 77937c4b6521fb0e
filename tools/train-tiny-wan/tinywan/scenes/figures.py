# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures as parts. A part is a primitive at a place given in radii of its actor, for one that looks to the right."""
from dataclasses import dataclass

from . import distance
from .tables import SHAPES


@dataclass
class Part:
    primitive: object
    x: float = 0.0
    y: float = 0.0
    sx: float = 1.0
    sy: float = 1.0
    color: tuple = ()               # RGB; empty: the actor's
    wag: float = 0.0                # radians that it swings by
    glossy: bool = False            # lit as a sphere


_DARK, _PALE, _GLASS, _FLAME = (30, 30, 34), (250, 250, 250), (190, 225, 240), (255, 170, 30)

PARTS = {
    "ball": [Part(distance.ellipse, glossy=True)],
    "square": [Part(distance.box, sx=0.84, sy=0.84)],
    "triangle": [Part(distance.triangle)],
    "star": [Part(distance.star)],
    "ring": [Part(distance.ring)],
    "fish": [Part(distance.triangle, -0.82, 0.0, 0.46, 0.5, wag=0.5), Part(distance.ellipse, 0.1, 0.0, 0.85, 0.56),
             Part(distance.ellipse, 0.5, -0.12, 0.2, 0.2, _PALE), Part(distance.ellipse, 0.55, -0.12, 0.11, 0.11, _DARK)],
    "bird": [Part(distance.ellipse, -0.1, 0.15, 0.75, 0.42), Part(distance.ellipse, 0.55, -0.25, 0.34, 0.34),
             Part(distance.triangle, 0.98, -0.2, 0.24, 0.2, _FLAME), Part(distance.ellipse, -0.2, -0.2, 0.28, 0.62, wag=0.9),
             Part(distance.ellipse, 0.64, -0.32, 0.1, 0.1, _DARK)],
    "snail": [Part(distance.box, 0.1, 0.6, 0.95, 0.2), Part(distance.ellipse, 0.86, 0.15, 0.24, 0.5),
              Part(distance.ellipse, -0.2, -0.05, 0.66, 0.66), Part(distance.ring, -0.2, -0.05, 0.42, 0.42, _PALE),
              Part(distance.ellipse, 0.92, -0.1, 0.1, 0.1, _DARK)],
    "car": [Part(distance.box, -0.05, -0.25, 0.6, 0.4), Part(distance.box, -0.05, -0.25, 0.46, 0.24, _GLASS),
            Part(distance.box, 0.0, 0.2, 1.0, 0.32), Part(distance.ellipse, -0.55, 0.5, 0.32, 0.32, _DARK),
            Part(distance.ellipse, 0.55, 0.5, 0.32, 0.32, _DARK)],
    "boat": [Part(distance.triangle, 0.05, -0.3, 0.6, 0.7, _PALE), Part(distance.box, 0.0, 0.0, 0.08, 0.75, _DARK),
             Part(distance.box, 0.0, 0.6, 0.9, 0.3)],
    "rocket": [Part(distance.triangle, 0.0, 0.95, 0.34, -0.4, _FLAME, wag=0.3), Part(distance.box, 0.0, 0.62, 0.66, 0.2),
               Part(distance.ellipse, 0.0, -0.05, 0.44, 0.95), Part(distance.ellipse, 0.0, -0.3, 0.22, 0.22, _GLASS)],
}


def has_front(figure):
    """Whether it is mirrored when it goes to the left."""
    return figure not in SHAPES and figure != "rocket"
