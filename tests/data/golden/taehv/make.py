#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the cases taehv and taehv_22: small random weights and what TAEHV.decode_video of upstream's taehv.py
(README.md says which) makes of random latents. Plain Python in f64 over lists [frame][channel][row][column]."""
import json
import math
import random
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent


def f32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def conv(frame, weight, bias, side):
    """nn.Conv2d with zeros around; weight [out][in][side·side]."""
    height, width, reach = len(frame[0]), len(frame[0][0]), side // 2
    result = []
    for out, taps in enumerate(weight):
        plane = [[bias[out] if bias else 0.0] * width for _ in range(height)]
        for channel, kernel in zip(frame, taps):
            for tap, factor in enumerate(kernel):
                up, left = tap // side - reach, tap % side - reach
                for y in range(max(0, -up), min(height, height - up)):
                    source, row = channel[y + up], plane[y]
                    for x in range(max(0, -left), min(width, width - left)):
                        row[x] += factor * source[x + left]
        result.append(plane)
    return result


def each(change, *frames):
    return [[[change(*values) for values in zip(*rows)] for rows in zip(*planes)] for planes in zip(*frames)]


def relu(frame):
    return each(lambda value: max(value, 0.0), frame)


class Tiny:
    def __init__(self, latents, widths, patch, seed):
        self.latents, self.widths, self.patch = latents, widths, patch
        self.random = random.Random(seed)
        self.tensors = {}
        self.layer('decoder.1', widths[0], latents, 3)
        for level in range(3):
            place, width = 3 + 6 * level, widths[level]
            for block in range(place, place + 3):
                for index, inputs in ((0, 2 * width), (2, width), (4, width)):
                    self.layer(f'decoder.{block}.conv.{index}', width, inputs, 3)
            self.layer(f'decoder.{place + 4}.conv', width * (2 if level > 0 else 1), width, 1, False)
            self.layer(f'decoder.{place + 5}', widths[level + 1], width, 3, False)
        self.layer('decoder.22', 3 * patch * patch, widths[3], 3)
        shape, bias = self.tensors['decoder.22.bias']
        self.tensors['decoder.22.bias'] = (shape, [f32(value + 0.5) for value in bias])  # few colours are clamped

    def numbers(self, count, spread):
        return [f32(self.random.gauss(0, spread)) for _ in range(count)]

    def layer(self, name, out, inputs, side, biased=True):
        taps = side * side
        self.tensors[name + '.weight'] = ([out, inputs, side, side],
                                          self.numbers(out * inputs * taps, 0.9 / math.sqrt(inputs * taps)))
        if biased:
            self.tensors[name + '.bias'] = ([out], self.numbers(out, 0.1))

    def apply(self, name, frame):
        (out, inputs, side, _), flat = self.tensors[name + '.weight']
        taps = side * side
        weight = [[flat[(o * inputs + i) * taps:(o * inputs + i + 1) * taps] for i in range(inputs)] for o in range(out)]
        return conv(frame, weight, self.tensors.get(name + '.bias', (0, None))[1], side)

    def memory_block(self, name, frames):
        past, results = each(lambda value: 0.0, frames[0]), []
        for frame in frames:
            hidden = frame + past  # torch.cat([x, past], 1)
            for index in (0, 2):
                hidden = relu(self.apply(f'{name}.conv.{index}', hidden))
            hidden = self.apply(f'{name}.conv.4', hidden)
            results.append(relu(each(lambda a, b: a + b, hidden, frame)))
            past = frame
        return results

    def decode(self, frames, longer=(False, True, True), larger=(True, True, True)):
        """decode_video, and 2 x - 1 as upstream's wrapper for diffusers has it."""
        frames = [each(lambda value: math.tanh(value / 3) * 3, frame) for frame in frames]
        frames = [relu(self.apply('decoder.1', frame)) for frame in frames]
        for level in range(3):
            place, width = 3 + 6 * level, self.widths[level]
            for block in range(place, place + 3):
                frames = self.memory_block(f'decoder.{block}', frames)
            if larger[level]:
                frames = [[[[plane[y // 2][x // 2] for x in range(2 * len(plane[0]))] for y in range(2 * len(plane))]
                           for plane in frame] for frame in frames]
            grown = []
            for frame in frames:
                channels = self.apply(f'decoder.{place + 4}.conv', frame)
                # patch_tgrow_layers: the last frame's channels where time does not become longer
                channels = channels if longer[level] else channels[-width:]
                grown += [channels[i:i + width] for i in range(0, len(channels), width)]
            frames = [self.apply(f'decoder.{place + 5}', frame) for frame in grown]
        pixels = [self.shuffled(self.apply('decoder.22', relu(frame))) for frame in frames]
        pixels = [each(lambda value: 2 * min(max(value, 0.0), 1.0) - 1, frame) for frame in pixels]
        return pixels[2 ** sum(longer) - 1:]

    def shuffled(self, frame):
        """F.pixel_shuffle."""
        p = self.patch
        return [[[frame[(c * p + y % p) * p + x % p][y // p][x // p] for x in range(p * len(frame[0][0]))]
                 for y in range(p * len(frame[0]))] for c in range(3)]

    def noise(self, frames, height, width):
        return [[[self.numbers(width, 1.0) for _ in range(height)] for _ in range(self.latents)] for _ in range(frames)]


def tensor(frames):
    """[frame][channel] as [1, channel, frame, row, column]."""
    shape = [1, len(frames[0]), len(frames), len(frames[0][0]), len(frames[0][0][0])]
    return shape, [f32(value) for c in range(shape[1]) for frame in frames for row in frame[c] for value in row]


def save(path, tensors):
    header, data = {}, b''
    for key, (shape, values) in tensors.items():
        flat = struct.pack(f'<{len(values)}f', *values)
        header[key] = {'dtype': 'F32', 'shape': shape, 'data_offsets': [len(data), len(data) + len(flat)]}
        data += flat
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    path.write_bytes(struct.pack('<Q', len(text)) + text + data)


for name, latents, patch in (('taehv', 16, 1), ('taehv_22', 12, 2)):
    folder = HERE.parent / name
    folder.mkdir(exist_ok=True)
    tiny = Tiny(latents, [6, 5, 4, 3], patch, 2026 + patch)
    long, one = tiny.noise(3, 2, 3), tiny.noise(1, 3, 2)
    save(folder / 'weights.safetensors', tiny.tensors)
    save(folder / 'io.safetensors', {
        'a.in.z': tensor(long), 'a.dec.out': tensor(tiny.decode(long)),
        'b.in.z': tensor(one), 'b.dec.out': tensor(tiny.decode(one)),
        'preview.in.z': tensor(long),
        'preview.dec.out': tensor(tiny.decode(long, (False, False, False), (True, True, False)))})
    (folder / 'config.json').write_text(json.dumps(
        {'_class_name': 'TAEHV', 'z_dim': latents, 'patch_size': patch, 'decoder_widths': tiny.widths,
         'temperal_downsample': [False, True, True]}, indent=1) + '\n')
    (folder / 'case.json').write_text(json.dumps(
        {'kind': 'vae', 'class': 'TAEHV', 'tolerance': {'abs': 2e-05, 'rel': 1e-05}}, indent=1) + '\n')
