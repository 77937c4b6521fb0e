# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled kernels against the PyTorch code that they replace."""
import math
import unittest
from unittest import mock

import torch

from tinywan import activations, dit
from tinywan.activations import gelu, norm_silu
from tinywan.dit import WanDiT
from tinywan.kernels.library import library
from tinywan.optimiser import AveragedAdamW

REASON = "a CPU without bfloat16, or no compiler"


def distance(a, b):
    return ((a.float() - b.float()).norm() / b.float().norm().clamp_min(1e-12)).item()


def without_kernels():
    return mock.patch.multiple(activations, usable=lambda x: False), mock.patch.multiple(dit, usable=lambda x: False)


@unittest.skipUnless(library(), REASON)
class Kernels(unittest.TestCase):
    def assert_same(self, function, *inputs):
        """Values and gradients, to the rounding of bfloat16."""
        def run(kind):
            leaves = [x.to(kind).requires_grad_() for x in inputs]
            out = function(*leaves)
            out.backward(torch.linspace(-1, 1, out.numel()).view(out.shape).to(out.dtype))
            return [out.detach(), *(leaf.grad for leaf in leaves)]

        for ours, exact in zip(run(torch.bfloat16), run(torch.float32)):
            self.assertEqual(ours.shape, exact.shape)
            self.assertLess(distance(ours, exact), 0.01)

    def setUp(self):
        torch.manual_seed(1)

    def test_gelu(self):
        for count in (1, 31, 3000):
            self.assert_same(gelu, 3 * torch.randn(count))

    def test_norm_silu_of_odd_sizes_behind_frames_of_zeros(self):
        clips, gamma = torch.randn(2, 5, 3, 17, 7).bfloat16().float(), torch.rand(5, 1, 1, 1) + 0.5
        self.assert_same(lambda x, gain: norm_silu(x, gain, 2), clips, gamma.bfloat16().float())
        out = norm_silu(clips.bfloat16(), gamma, 2)
        self.assertEqual(out.shape, (2, 5, 5, 17, 7))
        self.assertFalse(out[:, :, :2].any())

    def test_transformer(self):
        """As far from float32 as PyTorch's own bfloat16, in the output and in every gradient."""
        model = WanDiT(num_attention_heads=2, attention_head_dim=32, num_layers=2, ffn_dim=96, text_dim=24)
        for parameter in model.parameters():
            parameter.data.add_(0.05 * torch.randn(parameter.shape))
        x, level, text = torch.randn(3, 16, 3, 6, 4), torch.tensor([1.0, 300.0, 950.0]), torch.randn(3, 7, 24)
        wanted = torch.randn(3, 16, 3, 6, 4)

        def run(bfloat):
            model.zero_grad(set_to_none=True)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat):
                out = model(x, level, text)
            ((out.float() - wanted) ** 2).mean().backward()
            return {"output": out.detach(), **{name: p.grad for name, p in model.named_parameters()}}

        kernels, exact = run(True), run(False)
        one, other = without_kernels()
        with one, other:
            torchs = run(True)
        for name, value in exact.items():
            self.assertLess(distance(kernels[name], value), 1.5 * distance(torchs[name], value) + 0.004, name)


class Optimiser(unittest.TestCase):
    def steps(self, averaging=0.9, count=5):
        torch.manual_seed(2)
        parameters = [torch.nn.Parameter(torch.randn(shape)) for shape in ((3, 7), (5,))]
        optimiser = AveragedAdamW(parameters, averaging)
        for step in range(count):
            for parameter in parameters:
                parameter.grad = (parameter.detach() * (step + 1)).cos() * (step % 2 + 0.1)
            optimiser.step(1e-2)
        return optimiser

    def test_equals_that_of_pytorch(self):
        ours = self.steps().parameters
        torch.manual_seed(2)
        theirs = [torch.nn.Parameter(torch.randn(shape)) for shape in ((3, 7), (5,))]
        adamw = torch.optim.AdamW([dict(params=theirs[:1], weight_decay=0.01), dict(params=theirs[1:], weight_decay=0.0)], lr=1e-2,
                                  betas=(0.9, 0.98))
        for step in range(5):
            for parameter in theirs:
                parameter.grad = (parameter.detach() * (step + 1)).cos() * (step % 2 + 0.1)
            torch.nn.utils.clip_grad_norm_(theirs, 1.0)
            adamw.step()
        for a, b in zip(ours, theirs):
            self.assertTrue(torch.allclose(a, b, atol=1e-6))

    def test_is_the_same_without_the_kernel(self):
        with mock.patch("tinywan.optimiser.library", lambda: None):
            plain = self.steps()
        for a, b in zip([*self.steps().parameters, *self.steps().average], [*plain.parameters, *plain.average]):
            self.assertTrue(torch.allclose(a, b, atol=1e-6))

    def test_the_average_follows_the_parameters(self):
        still, moving = self.steps(averaging=0.0), self.steps()
        for average, parameter in zip(still.average, still.parameters):
            self.assertTrue(torch.allclose(average, parameter))
        self.assertFalse(torch.allclose(moving.average[0], moving.parameters[0]))
        self.assertTrue(math.isfinite(float(moving.average[0].sum())))


if __name__ == "__main__":
    unittest.main()
