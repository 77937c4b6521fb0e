# SPDX-License-Identifier: GPL-3.0-or-later
"""UMT5-style text encoder."""
import math

import torch
import torch.nn as nn

from .activations import gelu
from .tokenizer import PAD


class RmsNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class SelfAttention(nn.Module):
    """T5 attention: no 1/sqrt(d), additive relative-position bias (one table per layer)."""

    def __init__(self, cfg):
        super().__init__()
        d, inner = cfg["d_model"], cfg["num_heads"] * cfg["d_kv"]
        self.h, self.buckets, self.maxd = cfg["num_heads"], cfg["relative_attention_num_buckets"], \
            cfg["relative_attention_max_distance"]
        self.q, self.k, self.v = (nn.Linear(d, inner, bias=False) for _ in range(3))
        self.o = nn.Linear(inner, d, bias=False)
        self.relative_attention_bias = nn.Embedding(self.buckets, self.h)

    def bucket(self, n):
        pos = torch.arange(n, device=self.relative_attention_bias.weight.device)
        rel = pos[None, :] - pos[:, None]
        half = self.buckets // 2
        out = (rel > 0).long() * half
        rel = rel.abs()
        exact = half // 2
        far = exact + (torch.log(rel.float().clamp_min(1) / exact) / math.log(self.maxd / exact)
                       * (half - exact)).long()
        return out + torch.where(rel < exact, rel, far.clamp_max(half - 1))

    def forward(self, x, mask):
        b, n, _ = x.shape
        q, k, v = (p(x).view(b, n, self.h, -1).transpose(1, 2) for p in (self.q, self.k, self.v))
        bias = self.relative_attention_bias(self.bucket(n)).permute(2, 0, 1)[None]
        s = q @ k.transpose(2, 3) + bias + (mask[:, None, None, :] - 1.0) * 1e30
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, -1))


class Dense(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d, f = cfg["d_model"], cfg["d_ff"]
        self.wi_0, self.wi_1 = nn.Linear(d, f, bias=False), nn.Linear(d, f, bias=False)
        self.wo = nn.Linear(f, d, bias=False)

    def forward(self, x):
        return self.wo(gelu(self.wi_0(x)) * self.wi_1(x))


class _L0(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.SelfAttention = SelfAttention(cfg)
        self.layer_norm = RmsNorm(cfg["d_model"])


class _L1(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.DenseReluDense = Dense(cfg)
        self.layer_norm = RmsNorm(cfg["d_model"])


class _Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.layer = nn.ModuleList([_L0(cfg), _L1(cfg)])

    def forward(self, x, mask):
        a, f = self.layer
        x = x + a.SelfAttention(a.layer_norm(x), mask)
        return x + f.DenseReluDense(f.layer_norm(x))


class _Stack(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.block = nn.ModuleList([_Block(cfg) for _ in range(cfg["num_layers"])])
        self.final_layer_norm = RmsNorm(cfg["d_model"])


class TextEncoder(nn.Module):
    def __init__(self, vocab_size, d_model=96, num_layers=2, num_heads=4, d_kv=24, d_ff=256):
        super().__init__()
        self.cfg = dict(vocab_size=vocab_size, d_model=d_model, num_layers=num_layers, num_heads=num_heads,
                        d_kv=d_kv, d_ff=d_ff, relative_attention_num_buckets=32,
                        relative_attention_max_distance=128)
        self.shared = nn.Embedding(vocab_size, d_model)
        self.encoder = _Stack(self.cfg)
        for m in self.modules():
            if isinstance(m, SelfAttention):
                nn.init.normal_(m.q.weight, std=(d_model * d_kv) ** -0.5)
                nn.init.normal_(m.k.weight, std=d_model ** -0.5)
                nn.init.normal_(m.v.weight, std=d_model ** -0.5)
                nn.init.normal_(m.o.weight, std=(num_heads * d_kv) ** -0.5)
                nn.init.normal_(m.relative_attention_bias.weight, std=0.1)

    def forward(self, ids):
        """ids [B, L], zeros for padding -> [B, L, D]; rows of padding are set to zero."""
        x = self.shared(ids)
        m = (ids != PAD).to(x.dtype)
        for b in self.encoder.block:
            x = b(x, m)
        return self.encoder.final_layer_norm(x) * m[..., None]
