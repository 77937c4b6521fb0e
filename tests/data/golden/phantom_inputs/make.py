#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this case: pictures, latents and predictions at random, and what upstream's formulas make of them
(README.md says whose). Plain Python in f64, rounded to f32 at the end; pictures as Pillow's 8-bit resampling."""
import json
import math
import random
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEIGHT, WIDTH = 32, 48  # of the video
CHANNELS, FRAMES, SUBJECTS, ROWS, COLUMNS = 4, 3, 2, 2, 3  # of the latents
SCALE_IMAGE, SCALE_TEXT = 5.0, 7.5
PICTURES = [(20, 50), (40, 17), (100, 64), (32, 48), (7, 31)]  # height, width
random.seed(11)


def lanczos(x):
    def sinc(value):
        return 1.0 if value == 0 else math.sin(value * math.pi) / (value * math.pi)
    return sinc(x) * sinc(x / 3) if -3 <= x < 3 else 0.0


def coefficients(size, wanted):
    """Of each wanted pixel the first one that it reads and the weights, in 2^22ths (Pillow's Resample.c)."""
    scale = size / wanted
    filterscale = max(scale, 1.0)
    support = 3 * filterscale
    rows = []
    for place in range(wanted):
        centre = (place + 0.5) * scale
        first = max(int(centre - support + 0.5), 0)
        last = min(int(centre + support + 0.5), size)
        weights = [lanczos((x + first - centre + 0.5) / filterscale) for x in range(last - first)]
        total = sum(weights)
        weights = [w / total * (1 << 22) for w in weights]
        rows.append((first, [int(w - 0.5) if w < 0 else int(w + 0.5) for w in weights]))
    return rows


def clip(value):
    return min(max(value >> 22, 0), 255)


def resized(picture, height, width):
    """picture[y][x] are triples."""
    if width != len(picture[0]):
        rows = coefficients(len(picture[0]), width)
        picture = [[tuple(clip((1 << 21) + sum(w * line[first + i][c] for i, w in enumerate(weights)))
                          for c in range(3)) for first, weights in rows] for line in picture]
    if height != len(picture):
        rows = coefficients(len(picture), height)
        picture = [[tuple(clip((1 << 21) + sum(w * picture[first + i][x][c] for i, w in enumerate(weights)))
                          for c in range(3)) for x in range(width)] for first, weights in rows]
    return picture


def load_ref_image(picture, w, h):
    """generate.py: load_ref_images(), of one picture."""
    img_ratio = len(picture[0]) / len(picture)
    if img_ratio > w / h:
        new_width, new_height = w, int(w / img_ratio)
    else:
        new_width, new_height = int(h * img_ratio), h
    fitted = resized(picture, new_height, new_width)
    left, top = (w - new_width) // 2, (h - new_height) // 2
    canvas = [[(255, 255, 255)] * w for _ in range(h)]
    for y, line in enumerate(fitted):
        canvas[top + y][left:left + new_width] = line
    return canvas


def f32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def randoms(count):
    return [f32(random.gauss(0, 1)) for _ in range(count)]


def save(name, tensors):
    header, data = {}, b''
    for key, (dtype, shape, values) in tensors.items():
        code = {'F32': 'f', 'U8': 'B'}[dtype]
        flat = struct.pack(f'<{len(values)}{code}', *values)
        header[key] = {'dtype': dtype, 'shape': shape, 'data_offsets': [len(data), len(data) + len(flat)]}
        data += flat
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    (HERE / name).write_bytes(struct.pack('<Q', len(text)) + text + data)


tensors = {}
for index, (height, width) in enumerate(PICTURES):
    picture = [[tuple(random.randrange(256) for _ in range(3)) for _ in range(width)] for _ in range(height)]
    tensors[f'{index}.picture'] = ('U8', [height, width, 3], [c for line in picture for p in line for c in p])
    canvas = load_ref_image(picture, WIDTH, HEIGHT)
    # TF.to_tensor(image).sub_(0.5).div_(0.5), [3, H, W]
    pixels = [(canvas[y][x][c] / 255 - 0.5) / 0.5 for c in range(3) for y in range(HEIGHT) for x in range(WIDTH)]
    tensors[f'{index}.pixels'] = ('F32', [3, HEIGHT, WIDTH], pixels)

area = ROWS * COLUMNS
all_frames = FRAMES + SUBJECTS
latents = randoms(CHANNELS * all_frames * area)
subjects = randoms(CHANNELS * SUBJECTS * area)


def with_frames_behind(last):
    """torch.cat([latent[:, :-R], last], dim=1)"""
    out = []
    for c in range(CHANNELS):
        out += latents[c * all_frames * area:(c * all_frames + FRAMES) * area]
        out += last[c * SUBJECTS * area:(c + 1) * SUBJECTS * area]
    return out


shape = [1, CHANNELS, all_frames, ROWS, COLUMNS]
tensors['latents'] = ('F32', shape, latents)
tensors['subjects'] = ('F32', [1, CHANNELS, SUBJECTS, ROWS, COLUMNS], subjects)
tensors['model_input'] = ('F32', shape, with_frames_behind(subjects))
tensors['model_input_neg'] = ('F32', shape, with_frames_behind([0.0] * len(subjects)))
tensors['x0'] = ('F32', [1, CHANNELS, FRAMES, ROWS, COLUMNS],
                 [v for c in range(CHANNELS) for v in latents[c * all_frames * area:(c * all_frames + FRAMES) * area]])
pos_it, pos_i, neg = (randoms(len(latents)) for _ in range(3))
for name, values in (('pos_it', pos_it), ('pos_i', pos_i), ('neg', neg)):
    tensors[name] = ('F32', shape, values)
tensors['noise_pred'] = ('F32', shape, [n + SCALE_IMAGE * (i - n) + SCALE_TEXT * (t - i)
                                        for t, i, n in zip(pos_it, pos_i, neg)])
save('io.safetensors', tensors)
(HERE / 'case.json').write_text(json.dumps({
    'kind': 'pipeline_inputs', 'class': 'Phantom_Wan_S2V', 'guide_scale_img': SCALE_IMAGE,
    'guide_scale_text': SCALE_TEXT, 'tolerance': {'abs': 1e-05, 'rel': 1e-05}}, indent=1) + '\n')
