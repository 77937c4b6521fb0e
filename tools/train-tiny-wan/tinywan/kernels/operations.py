# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernels as operations with gradients. Each equals the PyTorch code beside its use but for the rounding to bfloat16."""
import torch

from .library import call


def _bfloat(x):
    return x.to(torch.bfloat16).contiguous()


def _float(x):
    return x.float().contiguous()


class _Modulated(torch.autograd.Function):
    @staticmethod
    def forward(context, x, shift, scale, eps):
        x, shift, scale = _float(x), _float(shift), _float(scale)
        width = x.shape[-1]
        batch = shift.numel() // width
        tokens = x.numel() // width // batch
        out = torch.empty(x.shape, dtype=torch.bfloat16)
        moments = torch.empty(batch * tokens, 2)
        call("modulate", x, shift, scale, out, moments, batch, tokens, width, eps)
        context.save_for_backward(x, scale, moments)
        context.sizes = batch, tokens, width
        return out

    @staticmethod
    def backward(context, gradient):
        x, scale, moments = context.saved_tensors
        of_x, of_shift, of_scale = torch.empty_like(x), torch.zeros_like(scale), torch.zeros_like(scale)
        call("modulateBackward", _bfloat(gradient), x, scale, moments, of_x, of_shift, of_scale, *context.sizes)
        return of_x, of_shift, of_scale, None


def modulated(x, shift, scale, eps):
    """layer_norm(x) * (1 + scale) + shift in bfloat16; x [B, tokens, D], shift and scale [B, 1, D], or [D] for all."""
    return _Modulated.apply(x, shift, scale, eps)


class _Gated(torch.autograd.Function):
    @staticmethod
    def forward(context, x, y, gate):
        x, y = _float(x), _bfloat(y)
        gate = None if gate is None else _float(gate)
        context.sizes = x.shape
        context.save_for_backward(*(() if gate is None else (y, gate)))
        out = torch.empty_like(x)
        call("gated", x, y, gate, out, *x.shape)
        return out

    @staticmethod
    def backward(context, gradient):
        gradient = _float(gradient)
        if not context.saved_tensors:
            return gradient, gradient.to(torch.bfloat16), None
        y, gate = context.saved_tensors
        of_y, of_gate = torch.empty_like(y), torch.zeros_like(gate)
        call("gatedBackward", gradient, y, gate, of_y, of_gate, *context.sizes)
        return gradient, of_y, of_gate


def gated(x, y, gate=None):
    """x + y * gate in float32; gate [B, 1, D]."""
    return _Gated.apply(x, y, gate)


class _Gelu(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        call("gelu", x, out, x.numel())
        context.save_for_backward(x)
        return out

    @staticmethod
    def backward(context, gradient):
        x, = context.saved_tensors
        of_x = torch.empty_like(x)
        call("geluBackward", _bfloat(gradient), x, of_x, x.numel())
        return of_x


def gelu(x):
    """Of bfloat16, in its tanh form."""
    return _Gelu.apply(x)


def _room(tokens):
    """Rows of scores have a multiple of 16 keys; the padding is out of every softmax."""
    return (tokens + 15) // 16 * 16


def _padded(bias, keys, room):
    if room == keys:
        return bias
    wider = torch.full((room,), -1e30)
    wider[:keys] = 0.0 if bias is None else bias
    return wider


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(context, q, k, v, of_q, of_k, rope, bias, heads, eps):
        q, k, v, of_q, of_k = _bfloat(q), _bfloat(k), _bfloat(v), _float(of_q), _float(of_k)
        batch, tokens, width = q.shape
        keys, head = k.shape[1], width // heads
        room = _room(keys)
        factors = torch.empty(batch * tokens), torch.empty(batch * keys)
        split_q = torch.empty(batch * heads, tokens, head, dtype=torch.bfloat16)
        split_k, split_v = (torch.zeros(batch * heads, room, head, dtype=torch.bfloat16) for _ in range(2))
        turns = rope or (None, None)
        call("normalisedHeads", q, of_q, *turns, head ** -0.5, split_q, factors[0], batch, tokens, tokens, width, heads, eps)
        call("normalisedHeads", k, of_k, *turns, 1.0, split_k, factors[1], batch, keys, room, width, heads, eps)
        call("splitHeads", v, split_v, batch, keys, room, heads, head)
        shares = torch.bmm(split_q, split_k.transpose(1, 2))
        call("softmax", shares, _padded(bias, keys, room), batch * heads * tokens, room)
        out = torch.empty_like(q)
        call("joinHeads", torch.bmm(shares, split_v), out, batch, tokens, tokens, heads, head)
        context.save_for_backward(q, k, of_q, of_k, *factors, split_q, split_k, split_v, shares)
        context.rest = rope, heads
        return out

    @staticmethod
    def backward(context, gradient):
        q, k, of_q, of_k, factor_q, factor_k, split_q, split_k, split_v, shares = context.saved_tensors
        rope, heads = context.rest
        batch, tokens, width = q.shape
        keys, room, head = k.shape[1], split_k.shape[1], width // heads
        arriving = torch.empty_like(split_q)
        call("splitHeads", _bfloat(gradient), arriving, batch, tokens, tokens, heads, head)
        slopes = torch.bmm(arriving, split_v.transpose(1, 2))
        call("softmaxBackward", slopes, shares, batch * heads * tokens, room)
        results = []
        for of, x, weight, factors, count, places, gain in (
                (torch.bmm(slopes, split_k), q, of_q, factor_q, tokens, tokens, head ** -0.5),
                (torch.bmm(slopes.transpose(1, 2), split_q), k, of_k, factor_k, keys, room, 1.0)):
            of_x, of_weight = torch.empty_like(x), torch.zeros_like(weight)
            call("normalisedHeadsBackward", of, x, weight, *(rope or (None, None)), gain, factors, of_x, of_weight, batch, count, places,
                 width, heads)
            results.append((of_x, of_weight))
        of_v = torch.empty_like(k)
        call("joinHeads", torch.bmm(shares.transpose(1, 2), arriving), of_v, batch, keys, room, heads, head)
        (to_q, weight_q), (to_k, weight_k) = results
        return to_q, to_k, of_v, weight_q, weight_k, None, None, None, None


def attention(q, k, v, of_q, of_k, rope, bias, heads, eps):
    """Of projections [B, tokens, D] and [B, keys, D] whose root mean squares are taken out over all heads, with weights of_q and
    of_k [D]; rope: cosines and signed sines [tokens, D] or None; bias [keys] or None -> [B, tokens, D]"""
    return _Attention.apply(q, k, v, of_q, of_k, rope, bias, heads, eps)


class _NormSilu(torch.autograd.Function):
    @staticmethod
    def forward(context, x, gamma, past):
        x, gain = x.contiguous(), _float(gamma)
        batch, channels, frames, height, width = x.shape
        out = torch.empty(batch, channels, frames + past, height, width, dtype=x.dtype)
        sizes = batch, channels, frames * height * width, past * height * width
        call("normSilu", x, gain, out, *sizes)
        context.save_for_backward(x, gain)
        context.sizes = sizes
        return out

    @staticmethod
    def backward(context, gradient):
        x, gain = context.saved_tensors
        of_x, of_gamma = torch.empty_like(x), torch.zeros_like(gain)
        call("normSiluBackward", _bfloat(gradient), x, gain, of_x, of_gamma, *context.sizes)
        return of_x, of_gamma, None


def norm_silu(x, gamma, past):
    """silu(x / ||x||_channels * sqrt(C) * gamma) of bfloat16 clips [B, C, F, H, W], behind `past` frames of zeros."""
    return _NormSilu.apply(x, gamma, past)


def adamw(parameter, gradient, first, second, average, step, rate, decay, clip, averaged, betas, eps=1e-8):
    """Step number `step`, counted from 1, in place of all but the gradient, which `clip` multiplies."""
    call("adamw", parameter, gradient.contiguous(), first, second, average, parameter.numel(), clip, rate, decay, *betas, eps,
         1 - betas[0] ** step, 1 - betas[1] ** step, averaged)
