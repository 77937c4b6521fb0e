# SPDX-License-Identifier: GPL-3.0-or-later
"""Encoded clips to train the transformer on: which size a step has, and which clips are in its batch.

Clip number i of a size is a function of (seed, size, i). A step sees a window of the clips of its size that moves
on by one block of clips every `stay` visits, so that drawing and encoding can cost less than training; a resumed
training makes the window again."""
from dataclasses import dataclass

import torch

from .randomness import python_random, torch_random
from .scenes.renderer import View, render
from .scenes.specification import random_scene

# (frames, height, width): share of the steps
SIZES = [((17, 64, 64), 0.26), ((17, 64, 96), 0.05), ((17, 96, 64), 0.05), ((17, 96, 96), 0.12), ((33, 64, 64), 0.04),
         ((49, 64, 64), 0.04), ((17, 128, 128), 0.16), ((17, 128, 192), 0.16), ((33, 96, 96), 0.06), ((49, 128, 192), 0.06)]
SIZES_OF = {"all": SIZES, "small": SIZES[:5], "one": SIZES[:1]}     # of --sizes
_CHUNK_TOKENS = 64 * 80             # encoded at once
_CYCLE = 200                        # steps after which the order of sizes repeats


def tokens_of(size):
    frames, height, width = size
    return ((frames + 3) // 4) * (height // 16) * (width // 16)


class SizePlan:
    """Step -> (size, how many steps of that size came before it)."""

    def __init__(self, sizes, seed):
        total = sum(share for _, share in sizes)
        order = [size for size, share in sizes for _ in range(max(1, round(_CYCLE * share / total)))]
        python_random(seed, "sizes", 0).shuffle(order)
        self.order = order

    def share(self, size):
        """Of steps, in that of the commonest size."""
        return self.order.count(size) / max(map(self.order.count, self.order))

    def at(self, step):
        cycle, place = divmod(step, len(self.order))
        size = self.order[place]
        return size, cycle * self.order.count(size) + self.order[:place].count(size)


@dataclass
class Encoder:
    """Clips to normalised latents, with the condition of image-to-video when `images`."""
    vae: object
    mean: torch.Tensor              # [C]
    std: torch.Tensor
    images: bool

    def _normalised(self, clips):
        mean, _ = self.vae.encode(clips)
        view = lambda v: v.view(1, -1, 1, 1, 1).to(clips.device)
        return (mean.float() - view(self.mean)) / view(self.std)

    @torch.no_grad()
    def __call__(self, clips):
        """[B, 16, F, h, w], or [B, 36, ...]: latents, mask (4), latents of the first frame followed by grey."""
        if not self.images:
            return self._normalised(clips)
        first = torch.zeros_like(clips)
        first[:, :, 0] = clips[:, :, 0]
        # Together: PyTorch 1.13 takes its slow convolution for a single small clip.
        latents, condition = self._normalised(torch.cat([clips, first])).chunk(2)
        mask = torch.zeros(latents.shape[0], 4, *latents.shape[2:], device=clips.device)
        mask[:, :, 0] = 1.0
        return torch.cat([latents, mask, condition], 1)


@torch.no_grad()
def statistics(vae, device, seed, count=256, chunk=16):
    """Mean and standard deviation [C] of the latents of `count` clips."""
    sums = torch.zeros(2, vae.cfg["z_dim"], dtype=torch.float64)
    values = 0
    for first in range(0, count, chunk):
        scenes = [random_scene(python_random(seed, "statistics", first + i)) for i in range(chunk)]
        latents = vae.encode(render(scenes, View(17, 64, 64), device))[0].double().cpu()
        sums += torch.stack([latents.sum((0, 2, 3, 4)), (latents ** 2).sum((0, 2, 3, 4))])
        values += latents[:, 0].numel()
    mean, square = sums / values
    return mean.float(), (square - mean ** 2).sqrt().clamp_min(1e-3).float()


@torch.no_grad()
def sensitivities(vae, std, device, seed, count=32, chunk=8, change=0.3):
    """[C], 1 on average: by how much the squared error of pixels grows with that of each normalised latent channel. Of
    decoded clips under a little noise in one channel at a time."""
    view = lambda v: v.view(1, -1, 1, 1, 1).to(device)
    grown = torch.zeros(len(std))
    for first in range(0, count, chunk):
        scenes = [random_scene(python_random(seed, "sensitivities", first + i)) for i in range(chunk)]
        latents = vae.encode(render(scenes, View(17, 64, 64), device))[0]
        generator = torch_random(seed, "sensitivities", first, device)
        noise = change * view(std) * torch.randn(latents.shape, generator=generator, device=device)
        clips = vae.decode(latents)
        for channel in range(len(std)):
            only = torch.zeros_like(noise)
            only[:, channel] = noise[:, channel]
            grown[channel] += float(((vae.decode(latents + only) - clips) ** 2).mean())
    return grown / grown.mean()


def loss_weights(sensitivities):
    """[C], 1 on average. The root is half-way between a loss that counts pixels and one that counts channels alike."""
    weights = sensitivities.sqrt()
    return weights / weights.mean()


class LatentPool:
    """`window` says of a size how many of its clips a step sees. Clips are made in blocks of `fresh`, always the same
    ones together, so that a resumed training encodes to the same bits. `draw` makes a scene of a random generator,
    `twin` another of it and a generator."""

    def __init__(self, encoder, device, seed, draw, window, fresh, precision, twin=None, stay=1):
        self.encoder, self.device, self.seed, self.draw, self.twin = encoder, device, seed, draw, twin
        self.window, self.fresh, self.precision, self.stay = window, fresh, precision, stay
        self.kept = {}              # size -> {block: _block()}

    def _encoded(self, scenes, size):
        chunk = max(1, _CHUNK_TOKENS // tokens_of(size))
        parts = []
        for i in range(0, len(scenes), chunk):
            with self.precision(self.device):
                parts.append(self.encoder(render(scenes[i:i + chunk], View(*size), self.device)))
        return torch.cat(parts)

    def _block(self, size, block):
        """[(latents, scenes), the same of their twins]"""
        numbers = range(block * self.fresh, (block + 1) * self.fresh)
        scenes = [self.draw(python_random(self.seed, f"clip {size}", i)) for i in numbers]
        if not self.twin:
            return [(self._encoded(scenes, size), scenes)]
        twins = [self.twin(scene, python_random(self.seed, f"twin {size}", i)) for i, scene in zip(numbers, scenes)]
        return list(zip(self._encoded([*scenes, *twins], size).chunk(2), (scenes, twins)))

    def batch(self, size, visit, count, rng):
        """-> latents [count, ...], those of their twins (None without `twin`), scenes. A clip is its twin's twin."""
        known, first = self.kept.get(size, {}), visit // self.stay
        blocks = range(first, first + max(1, self.window(size) // self.fresh))
        window = {b: known.get(b) or self._block(size, b) for b in blocks}
        self.kept[size] = window
        picks = [(rng.choice(blocks), rng.randrange(self.fresh), rng.randrange(2) if self.twin else 0) for _ in range(count)]
        latents = torch.stack([window[b][side][0][i] for b, i, side in picks])
        twins = torch.stack([window[b][1 - side][0][i] for b, i, side in picks]) if self.twin else None
        return latents, twins, [window[b][side][1][i] for b, i, side in picks]
