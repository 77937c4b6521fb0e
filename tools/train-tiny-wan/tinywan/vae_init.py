# SPDX-License-Identifier: GPL-3.0-or-later
"""Start the autoencoder as a (nearly linear) averaging pyramid.

A few channels of every layer are set up to carry local colour means, a constant and Haar
details; all other weights keep their random values and the residual branches start small.
The untrained autoencoder then already shows a blurred picture, which saves a large part of
the training time of a run that lasts minutes.
"""
import torch

from .vae import Down, ResBlock, Up

K = 3.0                                             # the constant channel, keeps the channel norm steady


@torch.no_grad()
def _rows(conv, pairs, tap, clear=True):
    """Make output rows of `conv` copies of input channels: pairs (out, in, gain) at kernel `tap`."""
    outs = sorted({o for o, _, _ in pairs})
    if clear:
        conv.weight[outs] = 0
        conv.bias[outs] = 0
    for o, i, g in pairs:
        conv.weight[(o, i) + tap] += g


@torch.no_grad()
def _res(block, keep):
    block.conv2.weight *= 0.1
    block.conv2.bias *= 0.1
    block.conv2.weight[:keep] = 0
    block.conv2.bias[:keep] = 0
    if hasattr(block.conv_shortcut, "weight"):
        _rows(block.conv_shortcut, [(c, c, 1.0) for c in range(keep)], (0, 0, 0))


_HAAR = [(1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1)]


@torch.no_grad()
def _down(layer, keep, negate):
    """Average `keep` channels 2x2, append Haar details of the colours; returns the new count."""
    w, b = layer.resample[1].weight, layer.resample[1].bias
    n = keep + 9
    w[:n] = 0
    b[:n] = 0
    for c in range(keep):
        w[c, c, :2, :2] = 0.25
    for k, sign in enumerate(_HAAR):
        for c in range(3):
            w[keep + 3 * k + c, c, :2, :2] = torch.tensor(sign).view(2, 2) * 0.5
    extra = []
    if negate:                                      # -colour next to +colour: silu(x) - silu(-x) = x
        extra = [48, 49, 50]
        w[extra] = 0
        b[extra] = 0
        for c in range(3):
            w[48 + c, c, :2, :2] = -0.25
    if layer.temporal:
        t, same = layer.time_conv, list(range(n)) + extra
        _rows(t, [(c, c, 0.5) for c in same], (1, 0, 0))
        for c in same:
            t.weight[c, c, 2] += 0.5
        new = [n, n + 1, n + 2]                     # change within the pair of frames
        t.weight[new] = 0
        for c in range(3):
            t.weight[n + c, c, 1], t.weight[n + c, c, 2] = -0.7, 0.7
        n += 3
    return n


@torch.no_grad()
def structured_init(vae):
    e, d = vae.encoder, vae.decoder
    mid = (2, 1, 1)
    _rows(e.conv_in, [(c, c, 1.0) for c in range(3)], mid)
    e.conv_in.weight[3] = 0
    e.conv_in.bias[3] = K
    keep = 4
    downs = [m for m in e.down_blocks if isinstance(m, Down)]
    for m in e.down_blocks:
        if isinstance(m, ResBlock):
            _res(m, keep)
        else:
            keep = _down(m, keep, m is downs[-1])
    for r in e.mid_block.resnets:
        _res(r, 64)
    e.mid_block.attentions[0].proj.weight *= 0.1
    _rows(e.conv_out, [(c, c, 1.0) for c in range(3)] + [(c, 48 + c, -1.0) for c in range(3)], mid)
    z = vae.cfg["z_dim"]
    q = vae.quant_conv
    q.weight[:z] = 0
    q.bias[:z] = 0
    q.weight[range(z), range(z)] = 1.0
    e.conv_out.weight[3:z] *= 3.0
    q.weight[z:] *= 0.1
    q.bias[z:] = -5.0

    p = vae.post_quant_conv
    p.weight[:] = 0
    p.bias[:] = 0
    p.weight[range(z), range(z)] = 1.0
    _rows(d.conv_in, [(c, c, 0.5) for c in range(3)], mid)
    d.conv_in.weight[3] = 0
    d.conv_in.bias[3] = K
    for r in d.mid_block.resnets:
        _res(r, 4)
    d.mid_block.attentions[0].proj.weight *= 0.1
    d.mid_block.attentions[0].proj.weight[:4] = 0
    d.mid_block.attentions[0].proj.bias[:4] = 0
    smooth = torch.tensor([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
    ups = [u for b in d.up_blocks if b.upsamplers is not None for u in b.upsamplers]
    for b in d.up_blocks:
        for r in b.resnets:
            _res(r, 7 if b is d.up_blocks[-1] else 4)
        for u in b.upsamplers or []:
            w, bias = u.resample[1].weight, u.resample[1].bias
            n = 7 if u is ups[-1] else 4
            w[:n] = 0
            bias[:n] = 0
            for c in range(3):
                w[c, c] = smooth
                if n == 7:
                    w[4 + c, c] = -smooth
            w[3, 3, 1, 1] = 1.0
            if u.temporal:
                c2 = u.time_conv.weight.shape[1]
                _rows(u.time_conv, [(h * c2 + c, c, 1.0) for h in (0, 1) for c in range(4)], (2, 0, 0))
    d.conv_out.weight *= 0.1
    d.conv_out.bias[:] = 0
    for c in range(3):
        d.conv_out.weight[c, [c, 4 + c], 2, 1, 1] = torch.tensor([0.9, -0.9])
