# SPDX-License-Identifier: GPL-3.0-or-later
"""Causal video autoencoder with the Wan 2.1 layout (4x time, 8x8 space, 16 channels).

Parameter names follow the diffusers checkpoint layout.  Clips are processed in one pass:
because every temporal layer is causal, this equals the frame-chunked computation with
feature caches that runtimes use (frame 0 alone, then groups of four).
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from .activations import norm_silu


class CausalConv3d(nn.Conv3d):
    """3D convolution padded with zeros in the past only."""

    def __init__(self, cin, cout, k, stride=1, pad=(0, 0, 0)):
        super().__init__(cin, cout, k, stride, (0, pad[1], pad[2]))
        self.past = 2 * pad[0]

    def forward(self, x):
        if self.past:
            x = F.pad(x, (0, 0, 0, 0, self.past, 0))
        return super().forward(x)

    def of_silu(self, norm, x):
        """Of silu(norm(x))."""
        return super().forward(norm_silu(x, norm.gamma, self.past))


class ChannelNorm(nn.Module):
    """x / ||x||_channels * sqrt(C) * gamma"""

    def __init__(self, dim, dims):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim, *([1] * dims)))
        self.root = math.sqrt(dim)

    def forward(self, x):
        norm = (x * x).sum(1, keepdim=True).sqrt().clamp_min(1e-12)     # F.normalize is four times slower on a CPU
        return x * (self.root / norm) * self.gamma


class ResBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.norm1 = ChannelNorm(cin, 3)
        self.conv1 = CausalConv3d(cin, cout, 3, pad=(1, 1, 1))
        self.norm2 = ChannelNorm(cout, 3)
        self.conv2 = CausalConv3d(cout, cout, 3, pad=(1, 1, 1))
        self.conv_shortcut = CausalConv3d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x):
        h = self.conv1.of_silu(self.norm1, x)
        h = self.conv2.of_silu(self.norm2, h)
        return h + self.conv_shortcut(x)


class FrameAttention(nn.Module):
    """Single-head self-attention inside each frame."""

    def __init__(self, dim):
        super().__init__()
        self.norm = ChannelNorm(dim, 2)
        self.to_qkv = nn.Conv2d(dim, 3 * dim, 1)
        self.proj = nn.Conv2d(dim, dim, 1)

    def forward(self, x):
        b, c, t, h, w = x.shape
        f = x.transpose(1, 2).reshape(b * t, c, h, w)
        q, k, v = self.to_qkv(self.norm(f)).reshape(b * t, 3 * c, h * w).chunk(3, dim=1)
        a = (torch.bmm(q.transpose(1, 2), k) / math.sqrt(c)).softmax(-1)
        o = torch.bmm(v, a.transpose(1, 2)).reshape(b * t, c, h, w)
        return x + self.proj(o).reshape(b, t, c, h, w).transpose(1, 2)


def _spatial(conv, x, stride=1, pad=0):
    """A per-frame 2D convolution, run as a 3D one to avoid moving the time axis."""
    return F.conv3d(x, conv.weight.unsqueeze(2), conv.bias, (1, stride, stride), (0, pad, pad))


class Down(nn.Module):
    def __init__(self, dim, temporal):
        super().__init__()
        self.resample = nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(dim, dim, 3, stride=2))
        self.temporal = temporal
        if temporal:
            self.time_conv = CausalConv3d(dim, dim, (3, 1, 1), (2, 1, 1))

    def forward(self, x):
        x = _spatial(self.resample[1], F.pad(x, (0, 1, 0, 1)), stride=2)
        if self.temporal and x.shape[2] > 1:      # the first frame stays alone
            x = torch.cat([x[:, :, :1], self.time_conv(x)], 2)
        return x


class Up(nn.Module):
    def __init__(self, dim, temporal):
        super().__init__()
        self.resample = nn.Sequential(nn.Upsample(scale_factor=2.0, mode="nearest-exact"),
                                      nn.Conv2d(dim, dim // 2, 3, padding=1))
        self.temporal = temporal
        if temporal:
            self.time_conv = CausalConv3d(dim, 2 * dim, (3, 1, 1), pad=(1, 0, 0))

    def forward(self, x):
        if self.temporal and x.shape[2] > 1:      # frame 0 is not doubled and is no context either
            b, c, t, h, w = x.shape
            y = self.time_conv(x[:, :, 1:]).reshape(b, 2, c, t - 1, h, w)
            y = y.permute(0, 2, 3, 1, 4, 5).reshape(b, c, 2 * (t - 1), h, w)
            x = torch.cat([x[:, :, :1], y], 2)
        b, c, t, h, w = x.shape                   # nearest-exact x2 == repeat each pixel
        x = x[:, :, :, :, None, :, None].expand(b, c, t, h, 2, w, 2).reshape(b, c, t, 2 * h, 2 * w)
        return _spatial(self.resample[1], x, pad=1)


class Mid(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.attentions = nn.ModuleList([FrameAttention(dim)])
        self.resnets = nn.ModuleList([ResBlock(dim, dim), ResBlock(dim, dim)])

    def forward(self, x):
        return self.resnets[1](self.attentions[0](self.resnets[0](x)))


class Encoder(nn.Module):
    def __init__(self, base, zdim, mult, nres, tdown):
        super().__init__()
        dims = [base] + [base * m for m in mult]
        self.conv_in = CausalConv3d(3, dims[0], 3, pad=(1, 1, 1))
        self.down_blocks = nn.ModuleList()
        for i, (a, b) in enumerate(zip(dims[:-1], dims[1:])):
            for _ in range(nres):
                self.down_blocks.append(ResBlock(a, b))
                a = b
            if i + 1 < len(mult):
                self.down_blocks.append(Down(b, tdown[i]))
        self.mid_block = Mid(b)
        self.norm_out = ChannelNorm(b, 3)
        self.conv_out = CausalConv3d(b, zdim, 3, pad=(1, 1, 1))

    def forward(self, x):
        x = self.conv_in(x)
        for m in self.down_blocks:
            x = m(x)
        return self.conv_out.of_silu(self.norm_out, self.mid_block(x))


class UpBlock(nn.Module):
    def __init__(self, a, b, nres, up):
        super().__init__()
        self.resnets = nn.ModuleList([ResBlock(a if i == 0 else b, b) for i in range(nres + 1)])
        self.upsamplers = nn.ModuleList([Up(b, up)]) if up is not None else None

    def forward(self, x):
        for r in self.resnets:
            x = r(x)
        return self.upsamplers[0](x) if self.upsamplers is not None else x


class Decoder(nn.Module):
    def __init__(self, base, zdim, mult, nres, tup):
        super().__init__()
        dims = [base * mult[-1]] + [base * m for m in mult[::-1]]
        self.conv_in = CausalConv3d(zdim, dims[0], 3, pad=(1, 1, 1))
        self.mid_block = Mid(dims[0])
        self.up_blocks = nn.ModuleList()
        for i, (a, b) in enumerate(zip(dims[:-1], dims[1:])):
            a = a // 2 if i else a
            self.up_blocks.append(UpBlock(a, b, nres, tup[i] if i + 1 < len(mult) else None))
        self.norm_out = ChannelNorm(b, 3)
        self.conv_out = CausalConv3d(b, 3, 3, pad=(1, 1, 1))

    def forward(self, z):
        x = self.mid_block(self.conv_in(z))
        for m in self.up_blocks:
            x = m(x)
        return self.conv_out.of_silu(self.norm_out, x)


class WanVAE(nn.Module):
    def __init__(self, base_dim=16, z_dim=16, dim_mult=(1, 2, 4, 4), num_res_blocks=1,
                 temperal_downsample=(False, True, True)):
        super().__init__()
        self.cfg = dict(base_dim=base_dim, z_dim=z_dim, dim_mult=list(dim_mult), num_res_blocks=num_res_blocks,
                        temperal_downsample=list(temperal_downsample))
        self.encoder = Encoder(base_dim, 2 * z_dim, dim_mult, num_res_blocks, temperal_downsample)
        self.quant_conv = CausalConv3d(2 * z_dim, 2 * z_dim, 1)
        with torch.no_grad():                     # start with little posterior noise and a visible mean
            self.quant_conv.bias[z_dim:] = -5.0
            self.quant_conv.weight[:z_dim] *= 3.0
        self.post_quant_conv = CausalConv3d(z_dim, z_dim, 1)
        self.decoder = Decoder(base_dim, z_dim, dim_mult, num_res_blocks, temperal_downsample[::-1])

    def encode(self, x):
        """-> mean, log-variance"""
        m, lv = self.quant_conv(self.encoder(x)).chunk(2, dim=1)
        return m, lv.clamp(-30, 20)

    def decode(self, z):
        return self.decoder(self.post_quant_conv(z))
