#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this case: latents at random, and what upstream's pipelines put beside those that are denoised
(README.md says whose). Plain Python; nothing is rounded."""
import json
import math
import random
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHANNELS, ROWS, COLUMNS = 4, 3, 5  # of the latents
FACTOR = 4  # frames of a latent but the first
UNKNOWN = 255  # in a mask of pixels
random.seed(52)


def f32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def randoms(frames):
    """[frames][channels][rows · columns]"""
    return [[[f32(random.gauss(0, 1)) for _ in range(ROWS * COLUMNS)] for _ in range(CHANNELS)]
            for _ in range(frames)]


def zeros(frames, channels=CHANNELS):
    return [[[0.0] * (ROWS * COLUMNS) for _ in range(channels)] for _ in range(frames)]


def channels_first(frames):
    """The values of [channels, frames, rows, columns]."""
    return [value for channel in zip(*frames) for frame in channel for value in frame]


def pipeline_wan_fun_control(control, start, count):
    """control_latents_input = cat([control_video_latents, start_image_latentes_conv_in])"""
    conv_in = zeros(count)
    if start is not None:
        conv_in[:len(start)] = start
    return [a + b for a, b in zip(control, conv_in)]


def pipeline_wan2_2_fun_control(control, masked_video, given, frames):
    """cat([control_video_latents, mask_latents, masked_video_latents])"""
    mask_video = [0] * given + [UNKNOWN] * (frames - given)
    if all(value == UNKNOWN for value in mask_video):
        mask_latents, masked_video = zeros(len(control), FACTOR), zeros(len(control))
    else:
        condition = [value / UNKNOWN for value in mask_video]
        condition = [condition[0]] * FACTOR + condition[1:]
        # view(frames / 4, 4), then a channel for each of the four, and resized to the latents' size
        mask_latents = [[[1 - condition[latent * FACTOR + row]] * (ROWS * COLUMNS) for row in range(FACTOR)]
                        for latent in range(len(condition) // FACTOR)]
    return [a + m + b for a, m, b in zip(control, mask_latents, masked_video)]


def save(name, tensors):
    header, data = {}, b''
    for key, (shape, values) in tensors.items():
        assert math.prod(shape) == len(values), key
        flat = struct.pack(f'<{len(values)}f', *values)
        header[key] = {'dtype': 'F32', 'shape': shape, 'data_offsets': [len(data), len(data) + len(flat)]}
        data += flat
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    (HERE / name).write_bytes(struct.pack('<Q', len(text)) + text + data)


# Frames of the video, those of them that are given at its beginning, whether channels have a mask (Wan 2.2),
# and whether there is a reference picture.
VARIANTS = {'start21': (9, 1, False, True), 'alone21': (9, 0, False, False), 'clip21': (13, 5, False, False),
            'start22': (9, 1, True, True), 'alone22': (5, 0, True, False), 'clip22': (13, 5, True, True)}
tensors, params = {}, {}
for name, (frames, given, marks, refers) in VARIANTS.items():
    count = (frames - 1) // FACTOR + 1
    shape = [ROWS, COLUMNS]
    control = randoms(count)
    tensors[name + '.in.control'] = ([CHANNELS, count, *shape], channels_first(control))
    start = None
    if given > 0:
        start = randoms(count if marks else (given - 1) // FACTOR + 1)
        tensors[name + '.in.start'] = ([CHANNELS, len(start), *shape], channels_first(start))
    if marks:
        beside = pipeline_wan2_2_fun_control(control, start, given, frames)
    else:
        beside = pipeline_wan_fun_control(control, start, count)
    tensors[name + '.y'] = ([len(beside[0]), count, *shape], channels_first(beside))
    reference = randoms(1) if refers else zeros(1)  # ref_image_latentes
    if refers:
        tensors[name + '.in.reference'] = ([CHANNELS, 1, *shape], channels_first(reference))
    tensors[name + '.reference'] = ([CHANNELS, 1, *shape], channels_first(reference))
    params[name] = {'frames': frames, 'given': given, 'marks': marks}
save('io.safetensors', tensors)
(HERE / 'case.json').write_text(json.dumps({
    'kind': 'fun_condition', 'class': 'WanFunControlPipeline', 'tolerance': {'exact': True}, 'params': params},
    indent=1) + '\n')
