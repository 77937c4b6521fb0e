# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the list of held-out prompts: every shape, motion, colour and background about equally often.

    python3 make_prompts.py
"""
import argparse
import json
import os
import random

from tinywan.held_out import PROMPTS
from tinywan.scenes.captions import canonical_caption, english_caption
from tinywan.scenes.specification import random_simple_scene
from tinywan.scenes.tables import MOTIONS, SHAPES


def balanced_scenes(count, rng):
    """One combination each, shapes and motions in turn; among random scenes the one whose colours are rarest so far."""
    scenes, seen, uses = [], set(), {}
    pairs = [(shape, motion) for motion in MOTIONS for shape in SHAPES]
    while len(scenes) < count:
        if len(scenes) % len(pairs) == 0:
            rng.shuffle(pairs)
        wanted = pairs[len(scenes) % len(pairs)]
        choices = [s for s in (random_simple_scene(rng) for _ in range(2000))
                   if (s.actors[0].figure, s.actors[0].motion) == wanted and s.combination() not in seen]
        scene = min(choices, key=lambda s: uses.get(s.actors[0].color, 0) + uses.get("on " + s.background, 0))
        for key in (scene.actors[0].color, "on " + scene.background):
            uses[key] = uses.get(key, 0) + 1
        seen.add(scene.combination())
        scenes.append(scene)
    return scenes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--varied", type=float, default=0.4, help="share of prompts that are not in the canonical form")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--out", default=PROMPTS)
    a = parser.parse_args()
    rng = random.Random(a.seed)
    rows = []
    for scene in balanced_scenes(a.count, rng):
        actor = scene.actors[0]
        varied = rng.random() < a.varied
        text = english_caption(scene, rng, complete=True) if varied else canonical_caption(scene)
        rows.append(dict(prompt=text, shape=actor.figure, color=actor.color, background=scene.background,
                         motion=actor.motion))
    os.makedirs(os.path.dirname(a.out), exist_ok=True)
    with open(a.out, "w", encoding="utf-8") as file:
        lines = ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in rows)
        file.write('{\n  "prompts": [\n' + lines + "\n  ]\n}\n")


if __name__ == "__main__":
    main()
