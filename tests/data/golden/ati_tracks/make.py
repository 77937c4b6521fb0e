#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this case: tracks and latents at random, and what upstream's formulas make of them (README.md says
whose). Plain Python in f64, rounded to f32 at the end."""
import json
import math
import random
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent
LENGTH = 121
CHANNELS, GROUP, TEMPERATURE, TOPK = 3, 4, 220.0, 2
VIDEOS = {'wide': (9, 48, 80), 'tall': (13, 80, 48), 'published': (81, 480, 832), 'long': (121, 480, 832)}
PATCHED = ('wide', 'tall')
random.seed(17)


def f32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def walk(points):
    """A track that wanders over the small videos and a little beyond."""
    x, y = random.uniform(5, 45), random.uniform(5, 45)
    track = []
    for _ in range(points):
        x += random.uniform(-2, 2.4)
        y += random.uniform(-2, 2.2)
        track.append({'x': round(x, 3), 'y': round(y, 3)})
    return track


def pad_pts(track):
    points = [(p['x'], p['y'], 1.0) for p in track][:LENGTH]
    return points + [(0.0, 0.0, 0.0)] * (LENGTH - len(points))


def process_tracks(tracks, width, height, num_frames):
    """[frames][track] of (x, y, visible): ComfyUI's, which is upstream's for any number of frames."""
    short_edge = min(width, height)
    samples = [[((x - width / 2) / short_edge * 2, (y - height / 2) / short_edge * 2, visible * 2 - 1)
                for x, y, visible in (pad_pts(track)[t] for track in tracks)] for t in range(LENGTH)]
    a = 120 // math.gcd(120, num_frames)
    b = num_frames // math.gcd(120, num_frames)
    repeated = [sample for sample in samples[1:] for _ in range(b)]
    # [1::a], which drops a frame where a is 1: then every sample is a frame.
    return samples[:1] + (repeated[1::a] if a > 1 else repeated)


def clamp(value, low, high):
    return min(max(value, low), high)


def linspace(bound, count):
    return [-bound + 2 * bound * i / (count - 1) for i in range(count)]


def grid_sample(plane, x, y):
    """One place of a plane [H][W]: bilinear, zeros outside, align_corners False."""
    height, width = len(plane), len(plane[0])
    x, y = ((x + 1) * width - 1) / 2, ((y + 1) * height - 1) / 2
    left, top = math.floor(x), math.floor(y)
    total = 0.0
    for row in (top, top + 1):
        for column in (left, left + 1):
            if 0 <= row < height and 0 <= column < width:
                total += plane[row][column] * (1 - abs(x - column)) * (1 - abs(y - row))
    return total


def patch_motion(tracks, vid):
    """vid[channel][frame][row][column] -> the same behind a mask of four channels."""
    frames, height, width = len(vid[0]), len(vid[0][0]), len(vid[0][0][0])
    short = min(height, width)
    count = len(tracks[0])
    xx, yy = linspace(width / short, width), linspace(height / short, height)
    starts = [(clamp(x / (width / short), -1, 1), clamp(y / (height / short), -1, 1)) for x, y, _ in tracks[0]]
    feature = [[grid_sample(channel[0], x, y) for channel in vid] for x, y in starts]
    mask = [[[1.0] * width for _ in range(height)]]
    out = [[channel[0]] for channel in vid]
    for t in range(frames - 1):
        group = tracks[1 + GROUP * t:1 + GROUP * (t + 1)]
        visible = [sum(clamp(sample[n][2], 0, 1) for sample in group) for n in range(count)]
        place = [tuple(sum(sample[n][i] * clamp(sample[n][2], 0, 1) for sample in group) / (visible[n] + 1e-5)
                       for i in range(2)) for n in range(count)]
        mask.append([])
        for channel in out:
            channel.append([])
        for row, y in enumerate(yy):
            mask[-1].append([])
            for channel in out:
                channel[-1].append([])
            for column, x in enumerate(xx):
                weights = sorted(((math.exp(-((place[n][0] - x) ** 2 + (place[n][1] - y) ** 2) * TEMPERATURE)
                                   * clamp(visible[n], 0, 1), n) for n in range(count)), reverse=True)[:TOPK]
                weight = sum(w for w, _ in weights)
                mask[-1][-1].append(weight)
                for z, channel in enumerate(out):
                    channel[-1][-1].append(sum(w * feature[n][z] for w, n in weights)
                                           + vid[z][t + 1][row][column] * (1 - clamp(weight, 0, 1)))
    return [mask] * GROUP + out


def save(name, tensors):
    header, data = {}, b''
    for key, (shape, values) in tensors.items():
        flat = struct.pack(f'<{len(values)}f', *values)
        header[key] = {'dtype': 'F32', 'shape': shape, 'data_offsets': [len(data), len(data) + len(flat)]}
        data += flat
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    (HERE / name).write_bytes(struct.pack('<Q', len(text)) + text + data)


def flat(nested):
    return [v for part in nested for v in flat(part)] if isinstance(nested, (list, tuple)) else [nested]


TRACKS = [walk(121), walk(121), walk(40), walk(1), walk(130), [{'x': -30, 'y': 300}] * 121]
(HERE / 'tracks.json').write_text(json.dumps(TRACKS, separators=(',', ':')) + '\n')
tensors = {}
for name, (frames, height, width) in VIDEOS.items():
    tracks = process_tracks(TRACKS, width, height, frames - 1)
    assert len(tracks) == frames
    tensors[name + '.tracks'] = ([frames, len(TRACKS), 3],
                                 flat([[(x, y, clamp(v, 0, 1)) for x, y, v in sample] for sample in tracks]))
    if name not in PATCHED:
        continue
    shape = [1, CHANNELS, (frames - 1) // 4 + 1, height // 8, width // 8]
    vid = [[[[f32(random.gauss(0, 1)) for _ in range(shape[4])] for _ in range(shape[3])]
            for _ in range(shape[2])] for _ in range(CHANNELS)]
    tensors[name + '.latents'] = (shape, flat(vid))
    tensors[name + '.y'] = ([1, GROUP + CHANNELS] + shape[2:], flat(patch_motion(tracks, vid)))
save('io.safetensors', tensors)
(HERE / 'case.json').write_text(json.dumps({
    'kind': 'pipeline_inputs', 'class': 'WanATI',
    'videos': {name: dict(zip(('frames', 'height', 'width'), size)) for name, size in VIDEOS.items()},
    'tolerance': {'abs': 1e-05, 'rel': 2e-05}}, indent=1) + '\n')
