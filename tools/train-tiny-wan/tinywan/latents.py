# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as latents: which size a step has, how clips become latents, and what these weigh in the loss."""
from dataclasses import dataclass

import torch

from .randomness import python_random, torch_random
from .scenes.renderer import View, render
from .scenes.specification import random_scene

# (frames, height, width): share of the steps
SIZES = [((17, 64, 64), 0.26), ((17, 64, 96), 0.05), ((17, 96, 64), 0.05), ((17, 96, 96), 0.12), ((33, 64, 64), 0.04),
         ((49, 64, 64), 0.04), ((17, 128, 128), 0.16), ((17, 128, 192), 0.16), ((33, 96, 96), 0.06), ((49, 128, 192), 0.06)]
SIZES_OF = {"all": SIZES, "small": SIZES[:5], "one": SIZES[:1]}     # of --sizes
TOKENS = 80                         # of a clip of 64x64x17, in which --batch, --window and --fresh count
_CYCLE = 200                        # steps after which the order of sizes repeats


def tokens_of(size):
    frames, height, width = size
    return ((frames + 3) // 4) * (height // 16) * (width // 16)


def clips_of(count, size):
    """As many of `size` as have the tokens of `count` clips of 64x64x17."""
    return max(1, round(count * TOKENS / tokens_of(size)))


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
