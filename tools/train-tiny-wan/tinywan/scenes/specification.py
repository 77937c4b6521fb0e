# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene: what a clip shows. Drawn at random; the scenes of held-out prompts are never drawn."""
from dataclasses import dataclass, field, replace

from .tables import (BACKGROUNDS, COLORS, CREATURES, DIRECTIONS, LANDSCAPES, MOTIONS_OF, OTHER_MOTIONS, SHAPES,
                     SHARES_OF_BACKGROUNDS, SHARES_OF_MOTIONS, SHARES_OF_SHAPES, VEHICLES)


@dataclass
class Actor:
    """Lengths in units of the shorter side of the frame; a, b, c, d in [0, 1] place it."""
    figure: str
    color: str
    motion: str
    r0: float
    r1: float
    a: float
    b: float
    c: float
    d: float
    tilt: float = 0.0
    region: tuple = (0.0, 1.0)      # the part of the frame's height that is its own


@dataclass
class Scene:
    actors: list
    background: str = ""            # a plain colour, or
    landscape: str = ""             # day or night
    pan: float = 0.0                # of the camera, frame widths in the clip; to the right when positive
    shadow: bool = False
    details: float = field(default=0.0)    # places hills and trees

    def combination(self):
        """What a prompt of one actor on a plain background asks for; None for richer scenes."""
        if len(self.actors) != 1 or self.landscape or self.shadow:
            return None
        actor = self.actors[0]
        return (actor.figure, actor.color, actor.motion, self.background)


# Shares of the kinds of scenes; simple ones come most often, since they are what is asked for first.
KINDS = {"all": [("simple", 0.42), ("shadow", 0.07), ("pair", 0.17), ("figure", 0.21), ("landscape", 0.13)],
         "rich": [("simple", 0.25), ("shadow", 0.05), ("pair", 0.12), ("figure", 0.36), ("landscape", 0.22)],
         "simple": [("simple", 1.0)]}


def _radii(motion, rng, scale):
    if motion in ("growing", "shrinking"):
        radii = (0.07 + 0.06 * rng.random(), 0.30 + 0.10 * rng.random())
        return radii if motion == "growing" else radii[::-1]
    r = (0.16 + 0.16 * rng.random() if motion in ("spinning", "still") else 0.13 + 0.11 * rng.random()) * scale
    return r, r


def _drawn(rng, shares):
    return rng.choices(list(shares), list(shares.values()))[0]


def _actor(rng, figure, motions, avoid, scale=1.0, region=(0.0, 1.0)):
    color = rng.choice([c for c in COLORS if c not in avoid])
    motion = rng.choice(motions)
    r0, r1 = _radii(motion, rng, scale)
    turned = figure in SHAPES
    return Actor(figure, color, motion, r0, r1, rng.random(), rng.random(), rng.random(), rng.random(),
                 (rng.random() - 0.5) * 0.16 if turned else 0.0, region)


def _motions_of_shapes(rng):
    return DIRECTIONS if rng.random() < 0.55 else OTHER_MOTIONS


def _pair(rng, background):
    upper = _actor(rng, rng.choice(SHAPES), ["right", "left", "still"], [background], 0.8, (0.0, 0.5))
    lower = _actor(rng, rng.choice(SHAPES), ["right", "left", "still"], [background, upper.color], 0.8, (0.5, 1.0))
    return Scene([upper, lower], background)


def _figure(rng, background):
    figure = rng.choice(CREATURES + VEHICLES)
    return Scene([_actor(rng, figure, MOTIONS_OF[figure], [background], 1.5)], background)


def _landscape(rng):
    figure = rng.choice(SHAPES + CREATURES + VEHICLES)
    motions = MOTIONS_OF.get(figure, ["right", "left", "bouncing", "still"])
    pan = rng.choice([0.0, 0.0, 0.25, -0.25])
    return Scene([_actor(rng, figure, motions, [], 0.9 if figure in SHAPES else 1.3)], landscape=rng.choice(list(LANDSCAPES)), pan=pan,
                 details=rng.random())


def _draw(rng, kinds):
    background = _drawn(rng, SHARES_OF_BACKGROUNDS)
    kind = rng.choices([name for name, _ in kinds], [share for _, share in kinds])[0]
    if kind == "pair":
        return _pair(rng, background)
    if kind == "figure":
        return _figure(rng, background)
    if kind == "landscape":
        return _landscape(rng)
    actor = _actor(rng, _drawn(rng, SHARES_OF_SHAPES), [_drawn(rng, SHARES_OF_MOTIONS)], [background])
    shadow = kind == "shadow" and background not in ("black", "navy")
    return Scene([actor], background, shadow=shadow)


def random_scene(rng, held_out=frozenset(), kinds="all"):
    while True:
        scene = _draw(rng, KINDS[kinds])
        if scene.combination() not in held_out:
            return scene


def reshaped(scene, rng, held_out=frozenset()):
    """The scene with another shape in place of every actor's figure."""
    def other(actor):
        figure = rng.choice([shape for shape in SHAPES if shape != actor.figure])
        return replace(actor, figure=figure)

    while True:
        twin = replace(scene, actors=[other(actor) for actor in scene.actors])
        if twin.combination() not in held_out:
            return twin


def scene_of(rng, shape, color, motion, background):
    """One shape on a plain background as asked for, placed at random."""
    avoid = [c for c in COLORS if c != color]
    return Scene([_actor(rng, shape, [motion], avoid)], background)


def random_simple_scene(rng):
    """One shape on a plain background, held out or not: what reconstruction is measured on."""
    background = rng.choice(list(BACKGROUNDS))
    return Scene([_actor(rng, rng.choice(SHAPES), _motions_of_shapes(rng), [background])], background)
