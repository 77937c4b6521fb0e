# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the first frames that image-to-video models are judged with: one for each held-out prompt, in rows of 20.

    python3 make_first_frames.py
"""
import argparse
import os

import torch

from tinywan.held_out import PROMPTS, read_prompts
from tinywan.pictures import save_png
from tinywan.randomness import python_random
from tinywan.scenes.renderer import View, render
from tinywan.scenes.specification import scene_of

SIDE, FRAMES, COLUMNS = 64, 17, 20


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(PROMPTS), "first-frames.png"))
    a = parser.parse_args()
    scenes = [scene_of(python_random(a.seed, "first frame", i), row["shape"], row["color"], row["motion"], row["background"])
              for i, row in enumerate(read_prompts())]
    frames = [render([scene], View(FRAMES, SIDE, SIDE))[0, :, 0] for scene in scenes]
    save_png(a.out, torch.cat([torch.cat(frames[i:i + COLUMNS], 2) for i in range(0, len(frames), COLUMNS)], 1))


if __name__ == "__main__":
    main()
