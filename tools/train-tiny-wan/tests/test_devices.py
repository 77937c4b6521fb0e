# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of the trainings on a device that is not the host, on machines that have none: PyTorch's "meta" device computes nothing, but
refuses tensors that lie elsewhere and to tell a value, which a GPU would have to be waited for."""
import argparse
import contextlib
import os
import tempfile
import unittest
from unittest import mock

import torch

import distill_lora
import train_decoder
import train_transformer
import train_vae
from tinywan import held_out, pool
from tinywan.dit import WanDiT
from tinywan.latents import SIZES_OF, Encoder, SizePlan
from tinywan.pool import Drawer, LatentPool
from tinywan.scenes.specification import random_scene, reshaped
from tinywan.text_encoder import TextEncoder
from tinywan.tokenizer import Tokenizer
from tinywan.vae import WanVAE

VOCABULARY = os.path.join(os.path.dirname(held_out.PROMPTS), "..", "models", "tiny-wan-t2v", "tokenizer", "spiece.model")
AWAY = torch.device("meta")
TRAININGS = train_vae, train_decoder, train_transformer, distill_lora
BATCH = 2


def without_generator(make):
    return lambda *arguments, generator=None, **options: make(*arguments, **options)


@contextlib.contextmanager
def away_from_the_host():
    """What that device lacks is left out: generators and mixed precision."""
    with contextlib.ExitStack() as stack:
        for name in ("randn", "rand", "randint"):
            stack.enter_context(mock.patch.object(torch, name, without_generator(getattr(torch, name))))
        stack.enter_context(mock.patch.object(torch, "Generator"))
        stack.enter_context(mock.patch.object(torch, "autocast", lambda *_, **__: contextlib.nullcontext()))
        stack.enter_context(mock.patch.dict(pool._CHUNKS, meta=pool._CHUNKS["cpu"]))
        for training in TRAININGS:
            stack.enter_context(mock.patch.object(training, "mixed_precision", lambda _: contextlib.nullcontext()))
        yield


class Away(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.vae = WanVAE(base_dim=4, num_res_blocks=1)
        text = TextEncoder(len(Tokenizer(VOCABULARY)))
        dit = WanDiT(num_layers=1, ffn_dim=32, text_dim=96, num_attention_heads=2, attention_head_dim=12)
        model, vae = (os.path.join(self.folder.name, name) for name in ("t2v.pt", "vae.pt"))
        torch.save(dict(dit=dit.state_dict(), text=text.state_dict(), dit_cfg=dit.cfg, text_cfg=text.cfg, mean=torch.zeros(16),
                        std=torch.ones(16), weights=torch.ones(16)), model)
        torch.save(dict(vae=self.vae.state_dict(), cfg=self.vae.cfg), vae)
        self.arguments = argparse.Namespace(model=model, vae=vae, vocabulary=VOCABULARY, seed=1, batch=BATCH, scenes="all", sizes="one",
                                            kl=1e-4, decoder_only=False, rank=2, student_steps=4, teacher_steps=2, guidance=3.0, drop=0.1)
        self.dit, self.text = dit.to(AWAY), text.to(AWAY)
        self.vae.to(AWAY)

    def stays(self, loss_of):
        with away_from_the_host():
            for number in range(2):
                self.assertEqual(loss_of(number).device, AWAY)

    def test_the_device_refuses_what_lies_elsewhere_and_tells_no_value(self):
        x = torch.ones(3, device=AWAY)
        self.assertRaises(RuntimeError, lambda: x + torch.ones(3))
        self.assertRaises((RuntimeError, NotImplementedError), lambda: float(x.sum()))

    def test_a_step_of_the_autoencoder_stays_there(self):
        a = self.arguments
        self.stays(lambda number: train_vae.loss_of(self.vae, train_vae.batch(a, number, frozenset(), AWAY), a, None))

    def test_a_step_of_the_decoder_stays_there(self):
        with away_from_the_host():
            step = train_decoder.Step(self.arguments, self.vae, AWAY)
        self.stays(step)

    def test_a_step_of_the_transformer_stays_there(self):
        a = self.arguments
        sizes = SizePlan(SIZES_OF[a.sizes], a.seed)
        encoder = Encoder(self.vae, torch.zeros(16), torch.ones(16), images=False)
        with away_from_the_host():
            drawer = Drawer(encoder, Tokenizer(VOCABULARY), AWAY, a.seed, random_scene, train_transformer.mixed_precision, twin=reshaped)
            window = LatentPool(drawer, sizes.share, window=4, fresh=2)
            step = train_transformer.Step(a, AWAY, self.dit, self.text, sizes, window, torch.ones(16))
        self.stays(lambda number: step.loss(step.prepare(number)))

    def test_a_step_of_the_adapter_stays_there(self):
        with away_from_the_host():
            step = distill_lora.Step(self.arguments, AWAY)
        self.stays(step)
