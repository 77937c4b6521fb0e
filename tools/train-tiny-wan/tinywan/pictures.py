# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips [3, T, H, W] in [-1, 1] as figures and pictures."""
import torch


def psnr(a, b):
    """dB, of values in [-1, 1]."""
    return float(10 * torch.log10(4.0 / ((a - b) ** 2).mean().clamp_min(1e-12)))


def row_of(clip, count=6):
    """`count` frames side by side."""
    picks = torch.linspace(0, clip.shape[1] - 1, count).round().long().tolist()
    return torch.cat([clip[:, i] for i in picks], 2)


def save_png(path, picture):
    """[3, H, W] in [-1, 1]"""
    from PIL import Image
    pixels = ((picture.clamp(-1, 1) + 1) * 127.5).round().byte().permute(1, 2, 0)
    Image.fromarray(pixels.contiguous().cpu().numpy()).save(path)
