# SPDX-License-Identifier: GPL-3.0-or-later
"""PSNR of the autoencoder on a fixed set of clips of held-out combinations.

    python3 measure_vae.py runs/vae.pt [--sheet vae.png]
"""
import argparse

import torch

from tinywan.checkpoints import load, vae_of
from tinywan.device import add_device_options, chosen_device
from tinywan.held_out import combinations
from tinywan.pictures import psnr, row_of, save_png
from tinywan.randomness import python_random
from tinywan.scenes.renderer import View, render
from tinywan.scenes.specification import random_simple_scene


def held_out_scenes(count):
    held_out, scenes, i = combinations(), [], 0
    while len(scenes) < count:
        scene = random_simple_scene(python_random(0, "measure", i))
        if scene.combination() in held_out:
            scenes.append(scene)
        i += 1
    return scenes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", nargs="+")
    parser.add_argument("--clips", type=int, default=16)
    parser.add_argument("--size", type=int, nargs=3, default=[17, 64, 64], metavar=("FRAMES", "HEIGHT", "WIDTH"))
    parser.add_argument("--sheet", help="write originals and reconstructions of the last checkpoint in turn")
    add_device_options(parser)
    a = parser.parse_args()
    device = chosen_device(a)
    clips = render(held_out_scenes(a.clips), View(*a.size), device)
    for path in a.checkpoint:
        vae = vae_of(load(path), device)
        with torch.no_grad():
            again = torch.cat([vae.decode(vae.encode(clip[None])[0]).clamp(-1, 1) for clip in clips])
        each = [psnr(x, y) for x, y in zip(clips, again)]
        print(f"{path}: {psnr(clips, again):.2f} dB over all pixels, {sum(each) / len(each):.2f} dB mean, "
              f"{min(each):.2f} dB worst of {a.clips} clips", flush=True)
    if a.sheet:
        save_png(a.sheet, torch.cat([row_of(c) for pair in zip(clips[:8], again[:8]) for c in pair], 1))


if __name__ == "__main__":
    main()
