# SPDX-License-Identifier: GPL-3.0-or-later
"""Train a small LoRA that makes a video in 4 steps without guidance.

From each of its four levels the student learns to predict the clean clip where the teacher arrives by many guided
steps from the same point. Samplers that noise the prediction anew for the next level (LCM) take four such steps:
Meshreel's `preset: distill-4`, with its flow shift of 5.

    python3 distill_lora.py --model runs/t2v.pt --vae runs/vae.pt --vocabulary runs/spiece.model --out runs/distill.pt \\
        --export models/loras/tiny-wan-t2v-distill-4-steps.safetensors
"""
import argparse
import functools

import torch

from tinywan import safetensors_io
from tinywan.checkpoints import load, transformer_of, vae_of
from tinywan.device import add_device_options, chosen_device, mixed_precision
from tinywan.held_out import combinations, texts
from tinywan.latents import SIZES_OF, Encoder, LatentPool, SizePlan, tokens_of
from tinywan.lora import added, adapters, named_pairs
from tinywan.randomness import python_random, torch_random
from tinywan.sampler import GUIDANCE, denoised, levels, velocity
from tinywan.scenes.specification import KINDS, random_scene
from tinywan.tokenizer import Tokenizer
from tinywan.training import Training, add_training_options
from train_transformer import captions_of

_TOKENS_OF_BATCH = 80
STUDENT_SHIFT = 5.0                 # of the levels that the preset asks for


def arguments():
    on_gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser()
    add_training_options(parser, steps=4000, lr=5e-4)
    add_device_options(parser)
    parser.add_argument("--model", required=True, help="checkpoint of train_transformer.py")
    parser.add_argument("--vae", required=True)
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--student-steps", type=int, default=4)
    parser.add_argument("--teacher-steps", type=int, default=6, help="from each of the student's levels")
    parser.add_argument("--guidance", type=float, default=GUIDANCE, help="of the teacher")
    parser.add_argument("--batch", type=int, default=256 if on_gpu else 4)
    parser.add_argument("--sizes", choices=list(SIZES_OF), default="all" if on_gpu else "small")
    parser.add_argument("--scenes", choices=list(KINDS), default="all")
    parser.add_argument("--export", help="write the adapter in PEFT naming to this file")
    return parser.parse_args()


class Step:
    def __init__(self, a, device):
        self.a, self.device = a, device
        checkpoint = load(a.model)
        self.dit, self.text, mean, std = transformer_of(checkpoint, device)
        if self.dit.cfg["in_channels"] != 16:
            raise SystemExit("the adapter is trained on a text-to-video model; give one to --model")
        encoder = Encoder(vae_of(load(a.vae), device), mean, std, images=False)
        window = 4 * a.batch
        draw = functools.partial(random_scene, held_out=combinations(), kinds=a.scenes)
        self.pool = LatentPool(encoder, device, a.seed, draw, lambda size: window, max(1, a.batch // 4), mixed_precision)
        self.sizes = SizePlan(SIZES_OF[a.sizes], a.seed)
        self.tokenizer, self.forbidden = Tokenizer(a.vocabulary), texts()
        self.sigmas = levels(a.student_steps, STUDENT_SHIFT)[:-1]
        self.pairs = adapters(self.dit, a.rank, a.seed, device)

    def _words(self, rows):
        ids, mask = self.tokenizer.batch([*rows, ""])
        words = self.text(ids.to(self.device), mask.to(self.device))
        return words[:-1], words[-1:]

    def __call__(self, step):
        size, visit = self.sizes.at(step)
        rng = python_random(self.a.seed, "distill", step)
        x0, _, scenes = self.pool.batch(size, visit, max(1, self.a.batch * _TOKENS_OF_BATCH // tokens_of(size)), rng)
        start = rng.choice(self.sigmas)
        noise = torch.randn(x0.shape, generator=torch_random(self.a.seed, "distill", step, self.device), device=self.device)
        x = (1 - start) * x0 + start * noise
        with mixed_precision(self.device):
            words, empty = self._words(captions_of(scenes, rng, 0.0, self.forbidden))
            arrived = denoised(self.dit, x, start, self.a.teacher_steps, words, empty, self.a.guidance)
            with added(self.dit, self.pairs):
                predicted = velocity(self.dit, x, start, words)
        return ((predicted.float() - (x - arrived) / start) ** 2).mean()


def main():
    a = arguments()
    device = chosen_device(a)
    step = Step(a, device)
    training = Training(a, dict(lora=step.pairs), step.pairs.parameters(), averaging=0.995,
                        facts=dict(rank=a.rank, student_steps=a.student_steps))
    training.run(step)
    if a.export:
        training.optimiser.swap()
        safetensors_io.write(a.export, {name: value.bfloat16() for name, value in named_pairs(step.pairs).items()})
        print(f"written: {a.export}")


if __name__ == "__main__":
    main()
