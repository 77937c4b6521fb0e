# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes in words: many phrasings in English, some in Chinese; now and then a part is left out."""
from .tables import SHAPES
from .words_en import (BACKGROUND_WORDS, COLOR_WORDS, DIRECTION_WORDS, EXTRA_DIRECTION_WORDS, FIGURE_WORDS, MOTION_WORDS,
                       MOVE_VERBS, THIRD_PERSON)
from .words_zh import chinese_caption

_CHINESE = 0.12                     # share of the captions


def _motion(actor, rng):
    name = actor.motion
    if name not in DIRECTION_WORDS:
        return rng.choice(MOTION_WORDS[name])
    if name in EXTRA_DIRECTION_WORDS and rng.random() < 0.2:
        return rng.choice(EXTRA_DIRECTION_WORDS[name])
    verb = rng.choice(MOVE_VERBS)
    if actor.figure == "ball" and name in ("left", "right") and rng.random() < 0.15:
        verb = "rolling"
    if rng.random() < 0.2:
        verb = "that " + THIRD_PERSON[verb]
    return verb + " " + rng.choice(DIRECTION_WORDS[name])


def _size(actor, rng):
    if actor.motion in ("growing", "shrinking") or actor.figure not in SHAPES or rng.random() > 0.35:
        return ""
    small, big = (0.20, 0.28) if actor.motion in ("spinning", "still") else (0.16, 0.21)
    if actor.r0 < small:
        return rng.choice(["small ", "small ", "little ", "tiny "])
    return rng.choice(["big ", "big ", "large "]) if actor.r0 > big else ""


def _subject(actor, rng, with_color=True, with_motion=True):
    color = rng.choice(COLOR_WORDS.get(actor.color, [actor.color])) + " " if with_color else ""
    thing = _size(actor, rng) + color + rng.choice(FIGURE_WORDS[actor.figure])
    article = rng.choice(["a "] * 6 + ["one ", "the ", ""])
    if article == "a " and thing[0] in "aeiou":
        article = "an "
    return article + thing + (" " + _motion(actor, rng) if with_motion else "")


def _where(scene, rng):
    """-> as an adverbial, as a noun."""
    if scene.landscape:
        light = rng.choice({"day": ["by day", "in daylight", "on a sunny day"],
                            "night": ["at night", "by night", "under the moon"]}[scene.landscape])
        return rng.choice(["in a landscape " + light, light, "over hills " + light]), light
    name = rng.choice(BACKGROUND_WORDS.get(scene.background, [scene.background]))
    form = rng.choice(["on a {} background"] * 6 + ["on {} background", "against a {} background", "on {}",
                      "over a {} background", "in front of a {} background", "on a {} backdrop"])
    return form.format(name), name + " background"


def _additions(scene, rng):
    text = ""
    if scene.shadow and rng.random() < 0.8:
        text += rng.choice([" with a shadow", ", casting a shadow"])
    if scene.pan and rng.random() < 0.8:
        way = "right" if scene.pan > 0 else "left"
        text += rng.choice([f", the camera pans {way}", f", camera moving {way}", f", panning to the {way}"])
    return text


def _styled(text, rng):
    kind = rng.random()
    if kind < 0.35:
        text = text[0].upper() + text[1:]
    elif kind < 0.37:
        text = text.upper()
    elif kind < 0.39:
        text = text.title()
    return text + ("." if rng.random() < 0.3 else "")


def english_caption(scene, rng, complete=False):
    """`complete`: nothing is left out."""
    left_out = 1.0 if complete or len(scene.actors) > 1 else rng.random()
    with_motion = not (left_out < 0.06 or 0.16 <= left_out < 0.19)
    with_where = not (0.06 <= left_out < 0.14 or 0.16 <= left_out < 0.19)
    with_color = not 0.14 <= left_out < 0.16
    subject = " and ".join(_subject(actor, rng, with_color, with_motion) for actor in scene.actors)
    subject += _additions(scene, rng)
    if not with_where:
        form = rng.choice(["{s}"] * 3 + ["a video of {s}", "{s}, simple animation"])
        return _styled(form.format(s=subject), rng)
    where, noun = _where(scene, rng)
    form = rng.choice(["{s} {w}"] * 8 + ["{s}, {n}"] * 2 + ["{w}, {s}", "{w} there is {s}", "{n}, {s}", "a video of {s} {w}",
                      "a clip of {s} {w}", "an animation of {s} {w}", "{s} {w}, smooth animation"])
    return _styled(form.format(s=subject, w=where, n=noun), rng)


def canonical_caption(scene):
    """The one form that the model card recommends; of one actor on a plain background."""
    actor = scene.actors[0]
    motion = {"still": "standing still"}.get(actor.motion, actor.motion)
    if actor.motion in DIRECTION_WORDS:
        motion = "moving " + actor.motion
    article = "an" if actor.color[0] in "aeiou" else "a"
    return f"{article} {actor.color} {actor.figure} {motion} on a {scene.background} background"


def caption(scene, rng):
    return chinese_caption(scene, rng) if rng.random() < _CHINESE else english_caption(scene, rng)
