# SPDX-License-Identifier: GPL-3.0-or-later
"""Encoded clips with their captions, in windows that batches are drawn from.

Clip number i of a size is a function of (seed, size, i). A step sees a window of the clips of its size that moves on by one block
every `stay` visits, so that drawing and encoding can cost less than training; a resumed training makes the window again. All of a
window lies on the device, and picking a batch of it waits for nothing there."""
from dataclasses import dataclass

import torch

from .held_out import normalised
from .latents import TOKENS, clips_of, tokens_of
from .randomness import python_random
from .scenes.captions import caption
from .scenes.renderer import View, render

CAPTIONS = 4                        # of every clip
LONGEST = 47                       # pieces of a caption with its end; of 3,000 one is cut
_CHUNKS = {"cpu": 64 * TOKENS, "cuda": 256 * TOKENS}    # tokens encoded at once


class Drawer:
    """Clips to train on. `draw` makes a scene of a random generator, `twin` another of it and a generator; no caption is one
    of `forbidden`."""

    def __init__(self, encoder, tokenizer, device, seed, draw, precision, forbidden=frozenset(), twin=None):
        self.encoder, self.tokenizer, self.device, self.seed = encoder, tokenizer, torch.device(device), seed
        self.draw, self.twin, self.precision, self.forbidden = draw, twin, precision, forbidden

    def _encoded(self, scenes, size):
        chunk = max(1, _CHUNKS[self.device.type] // tokens_of(size))
        parts = []
        for i in range(0, len(scenes), chunk):
            with self.precision(self.device):
                parts.append(self.encoder(render(scenes[i:i + chunk], View(*size), self.device)))
        return torch.cat(parts)

    def _caption(self, scene, rng):
        row = caption(scene, rng)
        while normalised(row) in self.forbidden:
            row = caption(scene, rng)
        return row

    def _captions(self, scenes, size, first):
        rows = []
        for i, scene in enumerate(scenes):
            rng = python_random(self.seed, f"captions {size}", first + i)
            rows += [self._caption(scene, rng) for _ in range(CAPTIONS)]
        ids = self.tokenizer.padded(rows, LONGEST)
        return ids.view(len(scenes), CAPTIONS, LONGEST).to(self.device)

    def block(self, size, first, count):
        """Clips `first` to `first + count`: latents [count, sides, C, F, h, w], captions [count, sides, CAPTIONS, pieces]; the
        second side is the twin's."""
        scenes = [self.draw(python_random(self.seed, f"clip {size}", i)) for i in range(first, first + count)]
        sides = [scenes]
        if self.twin:
            sides.append([self.twin(scene, python_random(self.seed, f"twin {size}", first + i)) for i, scene in enumerate(scenes)])
        latents = self._encoded([scene for side in sides for scene in side], size)
        captions = [self._captions(side, f"{size} {i}", first) for i, side in enumerate(sides)]
        return torch.stack(latents.chunk(len(sides)), 1), torch.stack(captions, 1)


@dataclass
class Batch:
    latents: torch.Tensor           # [B, C, F, h, w]
    twins: torch.Tensor             # the same; None without
    captions: torch.Tensor          # [B, pieces], zeros for padding


class _Window:
    def __init__(self, blocks):
        self.blocks, self.newest, self.latents, self.captions = blocks, -1, None, None

    def put(self, block, latents, captions):
        if self.latents is None:
            self.latents = latents.new_empty(self.blocks * len(latents), *latents.shape[1:])
            self.captions = captions.new_empty(self.blocks * len(captions), *captions.shape[1:])
        first = block % self.blocks * len(latents)
        self.latents[first:first + len(latents)], self.captions[first:first + len(latents)] = latents, captions
        self.newest = block


class LatentPool:
    """`share` says of a size how often it comes; `window` and `fresh` count clips of 64x64x17, as TOKENS says. Clips are made in
    blocks, always the same ones together, so that a resumed training encodes to the same bits."""

    def __init__(self, drawer, share, window, fresh, stay=1):
        self.drawer, self.share, self.wanted, self.fresh, self.stay = drawer, share, window, fresh, stay
        self.windows = {}

    def move_on(self, size, visit):
        """Makes what is missing of the window that `visit` sees."""
        block = clips_of(self.fresh, size)
        window = self.windows.setdefault(size, _Window(max(1, clips_of(self.wanted * self.share(size), size) // block)))
        newest = visit // self.stay + window.blocks - 1
        for number in range(max(window.newest + 1, newest - window.blocks + 1), newest + 1):
            window.put(number, *self.drawer.block(size, number * block, block))

    def batch(self, size, count, generator):
        """Of the window as it is. A clip is its twin's twin."""
        window = self.windows[size]
        clips, sides = window.latents.shape[:2]
        picked = lambda choices: torch.randint(choices, (count,), generator=generator, device=window.latents.device)
        clip, side, words = picked(clips), picked(sides), picked(CAPTIONS)
        twins = window.latents[clip, 1 - side] if sides == 2 else None
        return Batch(window.latents[clip, side], twins, window.captions[clip, side, words])
