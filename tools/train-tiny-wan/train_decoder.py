# SPDX-License-Identifier: GPL-3.0-or-later
"""Train the autoencoder's decoder on latents as the transformer makes them; the latents themselves stay as they are.

Half of the clips are noised and denoised again by the transformer before they are decoded, so that the decoder learns to draw
straight sides and sharp corners of latents that are nearly right.

    python3 train_decoder.py --vae runs/vae-1.pt --model runs/t2v.pt --vocabulary runs/spiece.model --out runs/vae.pt
"""
import argparse
import os

import torch

from tinywan import contrast
from tinywan.checkpoints import load, transformer_of, vae_of
from tinywan.device import add_device_options, chosen_device, mixed_precision
from tinywan.held_out import combinations
from tinywan.latents import SizePlan, clips_of, loss_weights, sensitivities
from tinywan.pool import LONGEST
from tinywan.randomness import python_random, torch_random
from tinywan.sampler import GUIDANCE, denoised
from tinywan.scenes.captions import caption
from tinywan.scenes.renderer import View, render
from tinywan.scenes.specification import KINDS, random_scene
from tinywan.tokenizer import Tokenizer
from tinywan.training import Training, add_training_options
from train_vae import POSTERIOR, reconstruction_loss

_SIZES = [((17, 64, 64), 0.5), ((17, 96, 96), 0.25), ((17, 128, 128), 0.25)]
_LEVELS = 0.1, 0.5                  # of the noise; under more, shapes are lost that no decoder can know
_STEPS = 4                          # back from there


class Step:
    def __init__(self, a, vae, device):
        self.a, self.vae, self.device = a, vae, device
        checkpoint = load(a.model)
        self.dit, self.text, mean, std = transformer_of(checkpoint, device)
        # A model that was imported comes without.
        weights = checkpoint["weights"] if "weights" in checkpoint else loss_weights(sensitivities(vae, std, device, a.seed))
        self.mean, self.std, self.weights = (each.view(1, -1, 1, 1, 1).to(device) for each in (mean, std, weights))
        self.tokenizer, self.held_out = Tokenizer(a.vocabulary), combinations()
        self.sizes = SizePlan(_SIZES, a.seed)

    @torch.no_grad()
    def _drawn_again(self, z, scenes, rng, generator):
        """Normalised latents, noised and denoised."""
        if not scenes:
            return z
        words = self.text(self.tokenizer.padded([*(caption(scene, rng) for scene in scenes), ""], LONGEST).to(self.device))
        start = rng.uniform(*_LEVELS)
        z = (1 - start) * z + start * torch.randn(z.shape, generator=generator, device=self.device)
        return denoised(self.dit, z, start, _STEPS, words[:-1], words[-1:], GUIDANCE)

    def __call__(self, step):
        rng, generator = python_random(self.a.seed, "decoder", step), torch_random(self.a.seed, "decoder", step, self.device)
        size, _ = self.sizes.at(step)
        count = clips_of(self.a.batch, size)
        scenes = [random_scene(rng, self.held_out, self.a.scenes) for _ in range(count)]
        clips, again = render(scenes, View(*size), self.device), (count + step % 2) // 2
        with mixed_precision(self.device):
            with torch.no_grad():
                z = (self.vae.encode(clips)[0].float() - self.mean) / self.std
                drawn = self._drawn_again(z[:again], scenes[:again], rng, generator)
            noise = torch.randn(z.shape, generator=generator, device=self.device) * torch.exp(torch.tensor(0.5 * POSTERIOR))
            decoded = self.vae.decode(torch.cat([drawn, z[again:]]) * self.std + self.mean + noise).float()
        scale = (contrast.shares_of_loss(contrast.contrasts(z, self.weights)) ** (1 / 3)).view(-1, 1, 1, 1, 1)
        return reconstruction_loss(scale * decoded, scale * clips)


def main():
    parser = argparse.ArgumentParser()
    add_training_options(parser, steps=3000, lr=3e-4)
    add_device_options(parser)
    parser.add_argument("--vae", required=True, help="whose decoder is trained on")
    parser.add_argument("--model", required=True, help="checkpoint of train_transformer.py, of text-to-video")
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--batch", type=int, default=64 if torch.cuda.is_available() else 8, help="in clips of 64x64x17")
    parser.add_argument("--scenes", choices=list(KINDS), default="all")
    a = parser.parse_args()
    device = chosen_device(a, tries_convolutions=True)
    torch.manual_seed(a.seed)
    vae = vae_of(load(a.out if os.path.exists(a.out) else a.vae), device)
    parameters = [*vae.decoder.requires_grad_(True).parameters(), *vae.post_quant_conv.requires_grad_(True).parameters()]
    training = Training(a, dict(vae=vae), parameters, averaging=0.998, facts=dict(cfg=vae.cfg))
    training.run(Step(a, vae, device))


if __name__ == "__main__":
    main()
