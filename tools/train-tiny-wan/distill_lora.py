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
from tinywan.latents import SIZES_OF, Encoder, SizePlan, clips_of
from tinywan.lora import added, adapters, named_pairs
from tinywan.pool import Drawer, LatentPool
from tinywan.randomness import python_random, torch_random
from tinywan.sampler import GUIDANCE, denoised, levels, velocity
from tinywan.scenes.specification import KINDS, random_scene
from tinywan.tokenizer import Tokenizer, empty_caption
from tinywan.training import Training, add_training_options

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
        draw = functools.partial(random_scene, held_out=combinations(), kinds=a.scenes)
        drawer = Drawer(Encoder(vae_of(load(a.vae), device), mean, std, images=False), Tokenizer(a.vocabulary), device, a.seed, draw,
                        mixed_precision, texts())
        self.sizes = SizePlan(SIZES_OF[a.sizes], a.seed)
        self.pool = LatentPool(drawer, self.sizes.share, window=16 * a.batch, fresh=a.batch, stay=4)
        self.sigmas = levels(a.student_steps, STUDENT_SHIFT)[:-1]
        self.pairs = adapters(self.dit, a.rank, a.seed, device)

    def __call__(self, step):
        size, visit = self.sizes.at(step)
        generator = torch_random(self.a.seed, "distill", step, self.device)
        self.pool.move_on(size, visit)
        batch = self.pool.batch(size, clips_of(self.a.batch, size), generator)
        start = python_random(self.a.seed, "distill", step).choice(self.sigmas)
        x = (1 - start) * batch.latents + start * torch.randn(batch.latents.shape, generator=generator, device=self.device)
        with mixed_precision(self.device):
            words = self.text(torch.cat([batch.captions, empty_caption(batch.captions)]))
            words, nothing = words[:-1], words[-1:]
            arrived = denoised(self.dit, x, start, self.a.teacher_steps, words, nothing, self.a.guidance)
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
