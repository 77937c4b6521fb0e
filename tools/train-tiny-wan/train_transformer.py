# SPDX-License-Identifier: GPL-3.0-or-later
"""Train the text encoder and the diffusion transformer together on encoded clips.

    python3 train_transformer.py --vae runs/vae.pt --vocabulary runs/spiece.model --out runs/t2v.pt
    python3 train_transformer.py --task i2v --init runs/t2v.pt --vae runs/vae.pt --vocabulary runs/spiece.model --out runs/i2v.pt
"""
import argparse
import functools
import os

import torch

from tinywan import contrast, corrections
from tinywan.checkpoints import load, vae_of, with_channels, with_layers, with_vocabulary
from tinywan.device import add_device_options, chosen_device, mixed_precision
from tinywan.dit import LAYERS, WanDiT
from tinywan.held_out import combinations, texts
from tinywan.latents import SIZES_OF, Encoder, SizePlan, clips_of, loss_weights, sensitivities, statistics
from tinywan.pool import Drawer, LatentPool
from tinywan.randomness import seeded
from tinywan.sampler import noisy, stratified_levels, velocity
from tinywan.scenes.specification import KINDS, random_scene, reshaped
from tinywan.text_encoder import TextEncoder
from tinywan.tokenizer import Tokenizer, empty_caption
from tinywan.training import Training, add_training_options

CHANNELS = {"t2v": 16, "i2v": 36}


def arguments():
    on_gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser()
    add_training_options(parser, steps=60000, lr=1e-3)
    add_device_options(parser)
    parser.add_argument("--vae", required=True)
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--init-vocabulary", help="of --init, when it is another: embeddings are carried over by piece")
    parser.add_argument("--task", choices=list(CHANNELS), default="t2v")
    parser.add_argument("--layers", type=int, help=f"as many as --init has, or more; not given: those, or {LAYERS}")
    parser.add_argument("--ffn", type=int, default=768)
    parser.add_argument("--batch", type=int, default=256 if on_gpu else 16, help="in clips of 64x64x17, or as many tokens of others")
    parser.add_argument("--sizes", choices=list(SIZES_OF), default="all" if on_gpu else "small")
    parser.add_argument("--scenes", choices=list(KINDS), default="all")
    parser.add_argument("--window", type=int, default=3072 if on_gpu else 1024,
                        help="clips of the commonest size to draw batches from, counted as in a batch; of others in proportion to their steps")
    parser.add_argument("--fresh", type=int, default=256 if on_gpu else 16, help="new clips each time the window moves on, counted alike")
    parser.add_argument("--stay", type=int, default=64 if on_gpu else 16, help="steps of a size before its window moves on")
    parser.add_argument("--drop", type=float, default=0.1, help="share of empty prompts")
    return parser.parse_args()


def layers_of(a):
    start = a.out if os.path.exists(a.out) else a.init
    return a.layers or (load(start)["dit_cfg"]["num_layers"] if start else LAYERS)


def start_from(a, dit, text):
    """Weights of --init, fitted to this training's channels, layers and vocabulary."""
    checkpoint = load(a.init)
    dit.load_state_dict(with_layers(with_channels(checkpoint["dit"], dit.patch_embedding.weight.detach()), dit.cfg["num_layers"]))
    words = checkpoint["text"]
    if a.init_vocabulary:
        words = with_vocabulary(words, a.init_vocabulary, a.vocabulary, text.shared.weight.detach())
    text.load_state_dict(words)
    return checkpoint["mean"], checkpoint["std"]


class Step:
    """The loss of a step, as a function of its number alone; see tinywan/differentiation.py."""

    def __init__(self, a, device, dit, text, sizes, pool, weights):
        self.a, self.device, self.dit, self.text, self.sizes, self.pool = a, device, dit, text, sizes, pool
        self.weights = weights.view(1, -1, 1, 1, 1).to(device)
        self.generator = torch.Generator(device=device)

    def prepare(self, step):
        size, visit = self.sizes.at(step)
        self.pool.move_on(size, visit)
        seeded(self.generator, self.a.seed, "step", step)
        return size

    def loss(self, size):
        count, generator = max(2, clips_of(self.a.batch, size)), self.generator
        batch = self.pool.batch(size, count, generator)
        x0, condition = batch.latents[:, :16], batch.latents[:, 16:] if batch.latents.shape[1] > 16 else None
        named = torch.rand(count, generator=generator, device=self.device) >= self.a.drop
        empty = empty_caption(batch.captions)
        captions = torch.where(named[:, None], batch.captions, empty)
        contrasts = contrast.contrasts(x0, self.weights)
        level = contrast.levels(stratified_levels(count, generator, self.device), contrasts)
        shown = corrections.blends(x0, batch.twins[:, :16], level, named, generator)
        x, target = noisy(x0, level, generator, shown)
        with mixed_precision(self.device):
            words = self.text(torch.cat([captions, empty]))
            words, nothing = words[:-1], words[-1:]
            own, meant, *of_own = corrections.own_steps(self.dit, x0, shown, level, named, generator, words, nothing, condition)
            meant = meant.view(-1, 1, 1, 1, 1)
            for values, changed in zip((x, target), of_own):
                values[own] = torch.where(meant, changed, values[own])
            predicted = velocity(self.dit, x, level, words, condition)
        losses = (self.weights * (predicted.float() - target) ** 2).mean((1, 2, 3, 4))
        return (contrast.shares_of_loss(contrasts) * losses).mean()


def main():
    a = arguments()
    device = chosen_device(a)
    torch.manual_seed(a.seed)
    tokenizer = Tokenizer(a.vocabulary)
    text = TextEncoder(len(tokenizer))
    dit = WanDiT(num_layers=layers_of(a), ffn_dim=a.ffn, text_dim=text.cfg["d_model"], in_channels=CHANNELS[a.task])
    vae = vae_of(load(a.vae), device)
    if os.path.exists(a.out):
        known = load(a.out)
        mean, std, weights = known["mean"], known["std"], known["weights"]
    else:
        mean, std = start_from(a, dit, text) if a.init else statistics(vae, device, a.seed)
        weights = loss_weights(sensitivities(vae, std, device, a.seed))
    dit.to(device), text.to(device)
    draw = functools.partial(random_scene, held_out=combinations(), kinds=a.scenes)
    twin = functools.partial(reshaped, held_out=combinations())
    sizes = SizePlan(SIZES_OF[a.sizes], a.seed)
    drawer = Drawer(Encoder(vae, mean, std, a.task == "i2v"), tokenizer, device, a.seed, draw, mixed_precision, texts(), twin)
    pool = LatentPool(drawer, sizes.share, a.window, a.fresh, a.stay)
    training = Training(a, dict(dit=dit, text=text), [*dit.parameters(), *text.parameters()], averaging=0.9995,
                        facts=dict(dit_cfg=dit.cfg, text_cfg=text.cfg, mean=mean, std=std, weights=weights))
    training.run(Step(a, device, dit, text, sizes, pool, weights))


if __name__ == "__main__":
    main()
