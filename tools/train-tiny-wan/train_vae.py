# SPDX-License-Identifier: GPL-3.0-or-later
"""Train the autoencoder on windows of synthetic clips.

    python3 train_vae.py --out runs/vae.pt
"""
import argparse
import os

import torch

from tinywan.checkpoints import load
from tinywan.device import add_device_options, chosen_device, mixed_precision
from tinywan.held_out import combinations
from tinywan.randomness import python_random, torch_random
from tinywan.scenes.renderer import View, render
from tinywan.scenes.specification import KINDS, random_scene
from tinywan.training import Training, add_training_options
from tinywan.vae import WanVAE
from tinywan.vae_init import structured_init

# (frames, height and width, clips for each 64 of --batch), in turn
WINDOWS = [(5, 64, 64), (9, 48, 64), (9, 64, 32), (17, 64, 16), (5, 96, 24), (17, 48, 32)]
POSTERIOR = -5.0                    # log-variance that the decoder alone learns to forgive: latents are not exact


def batch(arguments, step, held_out, device):
    frames, side, clips = WINDOWS[step % len(WINDOWS)]
    count = max(1, arguments.batch * clips // 64)
    rng = python_random(arguments.seed, "vae", step)
    whole = max(side, 52) + round(64 * rng.random() ** 2)       # small shapes, the hardest, more often
    origin = torch.tensor([[rng.uniform(0, whole - side) for _ in range(2)] for _ in range(count)])
    scenes = [random_scene(rng, held_out, arguments.scenes) for _ in range(count)]
    return render(scenes, View(frames, side, side, (whole, whole), origin), device)


def gradients(x):
    return x[..., 1:] - x[..., :-1], x[..., 1:, :] - x[..., :-1, :], x[:, :, 1:] - x[:, :, :-1]


def reconstruction_loss(y, x):
    edges = sum((p - q).abs().mean() for p, q in zip(gradients(y), gradients(x)))
    return (y - x).abs().mean() + 0.5 * edges + 10.0 * ((y - x) ** 2).mean()


def loss_of(vae, x, arguments, generator):
    with mixed_precision(x.device):
        mean, log_variance = vae.encode(x)
        mean, log_variance = mean.float(), log_variance.float()
        if arguments.decoder_only:
            log_variance = torch.full_like(log_variance, POSTERIOR)
        noise = torch.randn(mean.shape, generator=generator, device=x.device)
        y = vae.decode(mean + noise * (0.5 * log_variance).exp()).float()
    divergence = 0.5 * (mean * mean + log_variance.exp() - 1 - log_variance).mean()
    return reconstruction_loss(y, x) + arguments.kl * divergence


def main():
    parser = argparse.ArgumentParser()
    add_training_options(parser, steps=40000, lr=6e-4)
    add_device_options(parser)
    parser.add_argument("--batch", type=int, default=64 if torch.cuda.is_available() else 3, help="scales the windows")
    parser.add_argument("--kl", type=float, default=1e-4)
    parser.add_argument("--scenes", choices=list(KINDS), default="all")
    parser.add_argument("--base-dim", type=int, default=16)
    parser.add_argument("--decoder-only", action="store_true",
                        help="sharpen the decoder; the latents, and a transformer trained on them, stay as they are")
    a = parser.parse_args()
    device = chosen_device(a, tries_convolutions=True)
    torch.manual_seed(a.seed)
    vae = WanVAE(base_dim=a.base_dim)
    structured_init(vae)
    if a.init and not os.path.exists(a.out):
        vae.load_state_dict(load(a.init)["vae"])
    if a.decoder_only:
        if not (a.init or os.path.exists(a.out)):
            parser.error("--decoder-only needs --init: the encoder whose latents the decoder shall read")
        vae.encoder.requires_grad_(False)
        vae.quant_conv.requires_grad_(False)
    if os.path.exists(a.out):                       # what is not trained comes from the file as well
        vae.load_state_dict(load(a.out)["vae"])
    vae.to(device)
    parameters = [p for p in vae.parameters() if p.requires_grad]
    training = Training(a, dict(vae=vae), parameters, averaging=0.998, facts=dict(cfg=vae.cfg))
    held_out = combinations()
    training.run(lambda step: loss_of(vae, batch(a, step, held_out, device), a,
                                      torch_random(a.seed, "vae", step, device)))


if __name__ == "__main__":
    main()
