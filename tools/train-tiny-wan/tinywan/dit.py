# SPDX-License-Identifier: GPL-3.0-or-later
"""Video diffusion transformer with the Wan block structure and the parameter names of diffusers.

The residual stream, normalisations, modulation and the time embedding stay in float32, whatever the matrix
products are computed in.  16 input channels are text-to-video, 36 (latents, mask, condition) image-to-video."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from .activations import gelu
from .device import compiled_for_cuda
from .kernels import operations
from .kernels.library import usable


LAYERS = 7


class RmsNorm(nn.Module):
    """Its parts alone; see _normalised()."""

    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps


def _narrow(x):
    """What only matrix products read, on a GPU in the type that they multiply."""
    return x.bfloat16() if x.is_cuda and torch.is_autocast_enabled() else x


@compiled_for_cuda
def _modulated(x, shift, scale, eps):
    return _narrow(F.layer_norm(x, x.shape[-1:], None, None, eps) * (1 + scale) + shift)


def modulated(x, shift, scale, eps):
    """Layer norm of x [B, tokens, D]; shift and scale [B, 1, D], or [D] for all."""
    if usable(x):
        return operations.modulated(x, shift, scale, eps)
    return _modulated(x, shift, scale, eps)


@compiled_for_cuda
def _gated(x, y, gate):
    return x + (y.float() if gate is None else y.float() * gate)


def gated(x, y, gate=None):
    """The residual stream x [B, tokens, D] and a branch's y; gate [B, 1, D]."""
    if usable(x):
        return operations.gated(x, y, gate)
    return _gated(x, y, gate)


@compiled_for_cuda
def _normalised(x, weight, eps, rope):
    """RMS over all heads at once; then pairs of channels are turned by the angles of their token's place."""
    wide = x.float()
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * weight
    if rope is not None:
        cos, signed_sin = rope
        wide = wide * cos + wide.unflatten(-1, (-1, 2)).flip(-1).flatten(-2) * signed_sin
    return wide.to(x.dtype)


def attend(q, k, v, bias):
    """[B, heads, tokens, headDim]"""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.shape[-1])
    if bias is not None:
        scores = scores + bias
    return torch.matmul(scores.softmax(-1), v)


class Attention(nn.Module):
    def __init__(self, dim, heads, eps):
        super().__init__()
        self.heads = heads
        self.to_q, self.to_k, self.to_v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.to_out = nn.ModuleList([nn.Linear(dim, dim)])
        self.norm_q, self.norm_k = RmsNorm(dim, eps), RmsNorm(dim, eps)

    def forward(self, x, context, rope=None, bias=None):
        q, k, v = self.to_q(x), self.to_k(context), self.to_v(context)
        return self.to_out[0](self._attended(q, k, v, rope, bias))

    def _attended(self, q, k, v, rope, bias):
        """bias [keys] is added to the scores."""
        if usable(q):
            return operations.attention(q, k, v, self.norm_q.weight, self.norm_k.weight, rope, bias, self.heads, self.norm_q.eps)
        q, k = _normalised(q, self.norm_q.weight, self.norm_q.eps, rope), _normalised(k, self.norm_k.weight, self.norm_k.eps, rope)
        split = lambda a: a.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        out = attend(split(q), split(k), split(v), None if bias is None else bias.to(v.dtype)[None, None, None])
        return out.transpose(1, 2).flatten(2)


class _Projection(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.proj = nn.Linear(a, b)


class FeedForward(nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.net = nn.ModuleList([_Projection(dim, inner), nn.Identity(), nn.Linear(inner, dim)])

    def forward(self, x):
        return self.net[2](gelu(self.net[0].proj(x)))


class Block(nn.Module):
    def __init__(self, dim, heads, ffn, eps):
        super().__init__()
        self.attn1, self.attn2 = Attention(dim, heads, eps), Attention(dim, heads, eps)
        self.norm2 = nn.LayerNorm(dim, eps)
        self.ffn = FeedForward(dim, ffn)
        table = torch.zeros(1, 6, dim)
        table[:, 2] = table[:, 5] = 0.3                  # open gates: residual branches learn from the first step
        self.scale_shift_table = nn.Parameter(table)
        self.eps = eps

    def forward(self, x, context, modulation, rope, bias):
        shift1, scale1, gate1, shift2, scale2, gate2 = (self.scale_shift_table + modulation).chunk(6, dim=1)
        own = modulated(x, shift1, scale1, self.eps)
        x = gated(x, self.attn1(own, own, rope), gate1)
        x = gated(x, self.attn2(modulated(x, self.norm2.bias, self.norm2.weight - 1, self.eps), context, None, bias))
        return gated(x, self.ffn(modulated(x, shift2, scale2, self.eps)), gate2)


class _Mlp(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(a, b), nn.Linear(b, b)


class Conditioner(nn.Module):
    def __init__(self, dim, freq_dim, text_dim):
        super().__init__()
        self.time_embedder = _Mlp(freq_dim, dim)
        self.time_proj = nn.Linear(dim, 6 * dim)
        self.text_embedder = _Mlp(text_dim, dim)
        self.freq_dim = freq_dim

    def _time(self, t):
        half = self.freq_dim // 2
        angle = t.float()[:, None] * torch.exp(-math.log(10000.0) * torch.arange(half, device=t.device) / half)[None]
        with torch.autocast(t.device.type, enabled=False):
            e = self.time_embedder
            time = e.linear_2(F.silu(e.linear_1(torch.cat([angle.cos(), angle.sin()], 1))))
            return time, self.time_proj(F.silu(time)).unflatten(1, (6, -1))

    def forward(self, t, text):
        e = self.text_embedder
        return *self._time(t), e.linear_2(gelu(e.linear_1(text)))


class WanDiT(nn.Module):
    def __init__(self, num_attention_heads=8, attention_head_dim=32, num_layers=LAYERS, ffn_dim=768, text_dim=96,
                 freq_dim=256, in_channels=16, out_channels=16, eps=1e-6, text_len=512):
        super().__init__()
        dim = num_attention_heads * attention_head_dim
        self.cfg = dict(num_attention_heads=num_attention_heads, attention_head_dim=attention_head_dim,
                        num_layers=num_layers, ffn_dim=ffn_dim, text_dim=text_dim, freq_dim=freq_dim,
                        in_channels=in_channels, out_channels=out_channels, eps=eps)
        self.dim, self.heads, self.eps, self.text_len = dim, num_attention_heads, eps, text_len
        self.patch_embedding = nn.Conv3d(in_channels, dim, (1, 2, 2), (1, 2, 2))
        self.condition_embedder = Conditioner(dim, freq_dim, text_dim)
        self.blocks = nn.ModuleList([Block(dim, num_attention_heads, ffn_dim, eps) for _ in range(num_layers)])
        self.proj_out = nn.Linear(dim, out_channels * 4)
        self.scale_shift_table = nn.Parameter(torch.zeros(1, 2, dim))
        self._rope = {}
        self._initialise()

    def _initialise(self):
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                nn.init.zeros_(m.bias)
        nn.init.xavier_uniform_(self.patch_embedding.weight.data.view(self.dim, -1))
        embedder = self.condition_embedder
        for m in (embedder.time_embedder.linear_1, embedder.time_embedder.linear_2, embedder.time_proj):
            nn.init.normal_(m.weight, std=0.02)
        nn.init.zeros_(self.proj_out.weight)
        for block in self.blocks:
            # Hundreds of identical padding keys would drown a dozen words at the start: padding, whose key is the
            # bias alone, gets a low score, so that text is seen from the first step.
            nn.init.constant_(block.attn2.to_q.bias, 1.0)
            nn.init.constant_(block.attn2.to_k.bias, -0.12)
            nn.init.constant_(block.attn2.norm_k.weight, 1.5)

    def rope(self, frames, height, width, device):
        """Cosines and signed sines [tokens, dim], the same for every head: what a channel and its pair's other are
        multiplied by."""
        key = (frames, height, width, device)
        if key not in self._rope:
            head = self.dim // self.heads
            spatial = 2 * (head // 6)
            parts = []
            for length, size, view in ((frames, head - 2 * spatial, (-1, 1, 1)), (height, spatial, (1, -1, 1)),
                                       (width, spatial, (1, 1, -1))):
                speed = 1.0 / 10000.0 ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
                angle = torch.outer(torch.arange(length, dtype=torch.float64), speed)
                parts.append(angle.view(*view, size // 2).expand(frames, height, width, size // 2))
            angle = torch.cat(parts, -1).reshape(-1, head // 2).repeat(1, self.heads)
            cos, sin = angle.cos().float(), angle.sin().float()
            self._rope[key] = tuple(torch.stack(pair, -1).flatten(-2).to(device) for pair in ((cos, cos), (-sin, sin)))
        return self._rope[key]

    def _padded(self, text):
        """The reference pads the text to text_len rows and attends to all. The missing rows are identical, so one
        key whose score is raised by log(count) stands for them."""
        missing = self.text_len - text.shape[1]
        if missing <= 0:
            return text, None
        text = F.pad(text, (0, 0, 0, 1))
        bias = torch.zeros(text.shape[1], device=text.device)
        bias[-1:].fill_(math.log(missing))              # not bias[-1] = ..., which copies from the host, and no graph may
        return text, bias

    def forward(self, x, t, text):
        """x [B, C, F, H, W]; t [B] in 0..1000; text [B, L, D] with zero rows for padding, L <= text_len."""
        batch, _, frames, height, width = x.shape
        text, bias = self._padded(text)
        time, modulation, context = self.condition_embedder(t, text)
        y = self.patch_embedding(x).flatten(2).transpose(1, 2).float()
        rope = self.rope(frames, height // 2, width // 2, x.device)
        for block in self.blocks:
            y = block(y, context, modulation, rope, bias)
        shift, scale = (self.scale_shift_table + time[:, None]).chunk(2, dim=1)
        y = self.proj_out(modulated(y, shift, scale, self.eps)).float().view(batch, frames, height // 2, width // 2, 2, 2, -1)
        return y.permute(0, 6, 1, 2, 4, 3, 5).reshape(batch, -1, frames, height, width)
