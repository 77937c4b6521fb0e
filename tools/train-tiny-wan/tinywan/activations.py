# SPDX-License-Identifier: GPL-3.0-or-later
"""Activations with gradients of their own: PyTorch's cost a CPU more than the convolutions between them, in bfloat16 above all."""
import math

import torch
import torch.nn.functional as F

from .device import compiled_for_cuda
from .kernels import operations
from .kernels.library import usable

_SLOPE = 2 * math.sqrt(2 / math.pi)  # tanh(u) = 2 sigmoid(2 u) - 1, so GELU's tanh form is x sigmoid(_SLOPE (x + _CUBE x^3))
_CUBE = 0.044715


class _Gelu(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        gate = (x * x).mul_(_CUBE).add_(1).mul_(x).mul_(_SLOPE).sigmoid_()
        context.save_for_backward(x, gate)
        return x * gate

    @staticmethod
    def backward(context, gradient):
        x, gate = context.saved_tensors
        slope = (x * x).mul_(3 * _CUBE).add_(1).mul_(x).mul_(_SLOPE)
        slope.mul_(1 - gate).add_(1).mul_(gate)
        return slope.mul_(gradient)


def gelu(x):
    """GELU in its tanh form."""
    if x.dtype == torch.bfloat16 and usable(x):
        return operations.gelu(x)
    return F.gelu(x, approximate="tanh") if x.is_cuda else _Gelu.apply(x)


class _NormSilu(torch.autograd.Function):
    """Clip by clip, so that its passes stay within a core's cache."""

    @staticmethod
    def forward(context, x, gamma, past):
        scale = x.new_empty(x.shape[0], 1, *x.shape[2:])
        out = x.new_zeros(*x.shape[:2], x.shape[2] + past, *x.shape[3:])
        gain = gamma.to(x.dtype)
        for clip, factor, result in zip(x, scale, out[:, :, past:]):
            norm = (clip * clip).sum(0, keepdim=True).sqrt_().clamp_min_(1e-12)
            torch.div(math.sqrt(len(clip)), norm, out=factor)
            y = (clip * factor).mul_(gain)
            torch.mul(y, y.sigmoid(), out=result)
        context.save_for_backward(x, gamma, scale)
        context.past = past
        return out

    @staticmethod
    def backward(context, gradient):
        x, gamma, scale = context.saved_tensors
        slopes, of_gamma = torch.empty_like(x), torch.zeros_like(gamma)
        gain = gamma.to(x.dtype)
        for clip, factor, arriving, slope in zip(x, scale, gradient[:, :, context.past:], slopes):
            unit = clip * factor
            y = unit * gain
            gate = y.sigmoid()
            through = (1 - gate).mul_(y).add_(1).mul_(gate).mul_(arriving)
            of_gamma += (through * unit).sum((1, 2, 3), dtype=gamma.dtype).view_as(gamma)
            through.mul_(gain)
            along = (through * unit).sum(0, keepdim=True).div_(len(clip))
            torch.sub(through, unit.mul_(along), out=slope).mul_(factor)
        return slopes, of_gamma, None


@compiled_for_cuda
def _norm_silu_at_once(x, gamma, past):
    scale = math.sqrt(x.shape[1]) / (x * x).sum(1, keepdim=True).sqrt().clamp_min(1e-12)
    return F.pad(F.silu(x * scale * gamma).to(x.dtype), (0, 0, 0, 0, past, 0))


def norm_silu(x, gamma, past):
    """silu(x / ||x||_channels * sqrt(C) * gamma) of clips [B, C, F, H, W], behind `past` frames of zeros."""
    if x.dtype == torch.bfloat16 and usable(x):
        return operations.norm_silu(x, gamma, past)
    if x.is_cuda:
        return _norm_silu_at_once(x, gamma, past)
    return _NormSilu.apply(x, gamma, past)
