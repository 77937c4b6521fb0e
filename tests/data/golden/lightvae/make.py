#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the case lightvae: a LightVAE with small random weights, and what upstream's vae.py (README.md says
which) makes of a random video and of random latents. Plain Python in f64 over lists [frame][channel][row][column].

Upstream works on chunks with caches; here whole videos are convolved, which comes to the same."""
import json
import math
import random
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIM, PRUNING_RATE = 12, 0.75  # upstream: 96
MULT, RES_BLOCKS, LATENT = (1, 2, 4, 4), 2, 16
LONGER = (False, True, True)  # whether a level of the encoder shortens time


def f32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def widths(multiples):
    return [int(DIM * multiple * (1 - PRUNING_RATE)) for multiple in multiples]


def zeros(frame):
    return [[[0.0] * len(row) for row in plane] for plane in frame]


def each(change, *frames):
    return [[[change(*values) for values in zip(*rows)] for rows in zip(*planes)] for planes in zip(*frames)]


def padded(plane, top, bottom, left, right):
    blank = [0.0] * (len(plane[0]) + left + right)
    inner = [[0.0] * left + row + [0.0] * right for row in plane]
    return [list(blank) for _ in range(top)] + inner + [list(blank) for _ in range(bottom)]


def convolve(frames, weight, bias, side, pad, stride=1):
    """One frame of as many as the kernel has; weight [out][in][frame][row · side + column]."""
    planes = [[padded(plane, *pad) for plane in frame] for frame in frames]
    height = (len(planes[0][0]) - side) // stride + 1
    width = (len(planes[0][0][0]) - side) // stride + 1
    result = []
    for out, inputs in enumerate(weight):
        plane = [[bias[out]] * width for _ in range(height)]
        for channel, kernels in enumerate(inputs):
            for frame, kernel in zip(planes, kernels):
                for tap, factor in enumerate(kernel):
                    up, left = divmod(tap, side)
                    for y in range(height):
                        row, source = plane[y], frame[channel][y * stride + up]
                        for x in range(width):
                            row[x] += factor * source[x * stride + left]
        result.append(plane)
    return result


class LightVae:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.tensors = {}
        ends = widths((1,) + MULT)
        self.conv('encoder.conv1', ends[0], 3, 3)
        place = 0
        for level, (inputs, out) in enumerate(zip(ends, ends[1:])):
            for _ in range(RES_BLOCKS):
                self.block(f'encoder.downsamples.{place}', inputs, out)
                inputs, place = out, place + 1
            if level + 1 < len(MULT):
                self.conv(f'encoder.downsamples.{place}.resample.1', out, out, 3, frames=0)
                if LONGER[level]:
                    self.conv(f'encoder.downsamples.{place}.time_conv', out, out, 1, frames=3)
                place += 1
        self.middle('encoder', ends[-1])
        self.head('encoder', 2 * LATENT, ends[-1])
        self.conv('conv1', 2 * LATENT, 2 * LATENT, 1, frames=1)
        self.conv('conv2', LATENT, LATENT, 1, frames=1)
        ends = widths((MULT[-1],) + MULT[::-1])
        self.conv('decoder.conv1', ends[0], LATENT, 3)
        self.middle('decoder', ends[0])
        place = 0
        for level, (inputs, out) in enumerate(zip(ends, ends[1:])):
            inputs = inputs // 2 if level > 0 else inputs
            for _ in range(RES_BLOCKS + 1):
                self.block(f'decoder.upsamples.{place}', inputs, out)
                inputs, place = out, place + 1
            if level + 1 < len(MULT):
                self.conv(f'decoder.upsamples.{place}.resample.1', out // 2, out, 3, frames=0)
                if LONGER[len(LONGER) - 1 - level]:
                    self.conv(f'decoder.upsamples.{place}.time_conv', 2 * out, out, 1, frames=3)
                place += 1
        self.head('decoder', 3, ends[-1])

    def numbers(self, count, mean, spread):
        return [f32(self.random.gauss(mean, spread)) for _ in range(count)]

    def conv(self, name, out, inputs, side, frames=None):
        """`frames`: 0 for a convolution of single pictures; as many as the side where it is not given."""
        kernel = [side, side] if frames == 0 else [side if frames is None else frames, side, side]
        count = inputs * math.prod(kernel)
        self.tensors[name + '.weight'] = ([out, inputs] + kernel, self.numbers(out * count, 0, 1 / math.sqrt(count)))
        self.tensors[name + '.bias'] = ([out], self.numbers(out, 0, 0.1))

    def gamma(self, name, channels, axes):
        self.tensors[name + '.gamma'] = ([channels] + [1] * axes, self.numbers(channels, 1, 0.1))

    def block(self, name, inputs, out):
        self.gamma(name + '.residual.0', inputs, 3)
        self.conv(name + '.residual.2', out, inputs, 3)
        self.gamma(name + '.residual.3', out, 3)
        self.conv(name + '.residual.6', out, out, 3)
        if inputs != out:
            self.conv(name + '.shortcut', out, inputs, 1, frames=1)

    def middle(self, half, channels):
        self.block(half + '.middle.0', channels, channels)
        self.gamma(half + '.middle.1.norm', channels, 2)
        self.conv(half + '.middle.1.to_qkv', 3 * channels, channels, 1, frames=0)
        self.conv(half + '.middle.1.proj', channels, channels, 1, frames=0)
        self.block(half + '.middle.2', channels, channels)

    def head(self, half, out, inputs):
        self.gamma(half + '.head.0', inputs, 3)
        self.conv(half + '.head.2', out, inputs, 3)

    # Computing.

    def kernels(self, name):
        shape, flat = self.tensors[name + '.weight']
        out, inputs, frames = shape[0], shape[1], shape[2] if len(shape) == 5 else 1
        taps = shape[-1] * shape[-2]
        at = iter(range(0, len(flat), taps))
        weight = [[[flat[start:start + taps] for start in (next(at) for _ in range(frames))] for _ in range(inputs)]
                  for _ in range(out)]
        return weight, self.tensors[name + '.bias'][1], frames, shape[-1]

    def causal(self, name, video):
        """CausalConv3d: blank frames before the first."""
        weight, bias, frames, side = self.kernels(name)
        reach = side // 2
        long = [zeros(video[0])] * (frames - 1) + video
        return [convolve(long[at:at + frames], weight, bias, side, (reach,) * 4) for at in range(len(video))]

    def pictures(self, name, video, pad=None, stride=1):
        weight, bias, _, side = self.kernels(name)
        pad = (side // 2,) * 4 if pad is None else pad
        return [convolve([frame], weight, bias, side, pad, stride) for frame in video]

    def norm(self, name, frame):
        scale = [math.sqrt(len(frame)) * value for value in self.tensors[name + '.gamma'][1]]
        lengths = [[max(math.sqrt(sum(value * value for value in pixel)), 1e-12) for pixel in zip(*rows)]
                   for rows in zip(*frame)]
        return [[[value / length * factor for value, length in zip(row, line)] for row, line in zip(plane, lengths)]
                for plane, factor in zip(frame, scale)]

    def normed(self, name, video):
        """And through SiLU."""
        return [each(lambda value: value / (1 + math.exp(-value)), self.norm(name, frame)) for frame in video]

    def residual(self, name, video):
        past = self.causal(name + '.shortcut', video) if name + '.shortcut.weight' in self.tensors else video
        video = self.causal(name + '.residual.2', self.normed(name + '.residual.0', video))
        video = self.causal(name + '.residual.6', self.normed(name + '.residual.3', video))
        return [each(lambda a, b: a + b, *both) for both in zip(video, past)]

    def attention(self, name, video):
        results = []
        for frame in video:
            channels, height, width = len(frame), len(frame[0]), len(frame[0][0])
            wide = self.pictures(name + '.to_qkv', [self.norm(name + '.norm', frame)])[0]
            pixels = [[plane[y][x] for plane in wide] for y in range(height) for x in range(width)]
            seen = []
            for query in pixels:
                scores = [sum(a * b for a, b in zip(query[:channels], key[channels:2 * channels])) /
                          math.sqrt(channels) for key in pixels]
                shares = [math.exp(score - max(scores)) for score in scores]
                seen.append([sum(share * value[2 * channels + c] for share, value in zip(shares, pixels)) / sum(shares)
                             for c in range(channels)])
            shown = [[[seen[y * width + x][c] for x in range(width)] for y in range(height)] for c in range(channels)]
            results.append(each(lambda a, b: a + b, self.pictures(name + '.proj', [shown])[0], frame))
        return results

    def through_middle(self, half, video):
        video = self.residual(half + '.middle.0', video)
        return self.residual(half + '.middle.2', self.attention(half + '.middle.1', video))

    def encode(self, video):
        """The mean of the latents, not normalised."""
        video, place = self.causal('encoder.conv1', video), 0
        for level in range(len(MULT)):
            for _ in range(RES_BLOCKS):
                video, place = self.residual(f'encoder.downsamples.{place}', video), place + 1
            if level + 1 == len(MULT):
                continue
            name = f'encoder.downsamples.{place}'
            video = self.pictures(name + '.resample.1', video, (0, 1, 0, 1), 2)
            if LONGER[level]:  # the first frame stays as it is; then two become one, behind the last of those before
                weight, bias, _, side = self.kernels(name + '.time_conv')
                video = video[:1] + [convolve(video[at - 2:at + 1], weight, bias, side, (0,) * 4)
                                     for at in range(2, len(video), 2)]
            place += 1
        video = self.through_middle('encoder', video)
        video = self.causal('encoder.head.2', self.normed('encoder.head.0', video))
        return [frame[:LATENT] for frame in self.causal('conv1', video)]

    def decode(self, latents):
        video, place = self.causal('decoder.conv1', self.causal('conv2', latents)), 0
        video = self.through_middle('decoder', video)
        for level in range(len(MULT)):
            for _ in range(RES_BLOCKS + 1):
                video, place = self.residual(f'decoder.upsamples.{place}', video), place + 1
            if level + 1 == len(MULT):
                continue
            name = f'decoder.upsamples.{place}'
            if LONGER[len(LONGER) - 1 - level]:  # the first frame stays one; of it the others know nothing
                both = self.causal(name + '.time_conv', video[1:]) if len(video) > 1 else []
                half = len(video[0])
                video = video[:1] + [part for frame in both for part in (frame[:half], frame[half:])]
            large = [[[[value for value in row for _ in range(2)] for row in plane for _ in range(2)] for plane in frame]
                     for frame in video]
            video, place = self.pictures(name + '.resample.1', large), place + 1
        video = self.causal('decoder.head.2', self.normed('decoder.head.0', video))
        return [each(lambda value: min(max(value, -1.0), 1.0), frame) for frame in video]


def channels_first(video):
    """[1, channel, frame, row, column]"""
    shape = [1, len(video[0]), len(video), len(video[0][0]), len(video[0][0][0])]
    return shape, [value for channel in zip(*video) for plane in channel for row in plane for value in row]


def write(path, tensors):
    header, data = {}, b''
    for name, (shape, values) in tensors.items():
        raw = struct.pack(f'<{len(values)}f', *values)
        header[name] = {'dtype': 'F32', 'shape': shape, 'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    path.write_bytes(struct.pack('<Q', len(text)) + text + data)


def main():
    vae, numbers = LightVae(7), random.Random(8)

    def drawn(frames, channels, height, width, low, high):
        return [[[[f32(numbers.uniform(low, high)) for _ in range(width)] for _ in range(height)]
                 for _ in range(channels)] for _ in range(frames)]

    io = {}
    for case, frames, latents in (('a', drawn(9, 3, 16, 24, -1, 1), drawn(3, LATENT, 2, 3, -2, 2)),
                                  ('b', drawn(1, 3, 24, 16, -1, 1), drawn(1, LATENT, 3, 2, -2, 2))):
        io[case + '.in.video'] = channels_first(frames)
        io[case + '.enc.mean'] = channels_first(vae.encode(frames))
        io[case + '.in.z'] = channels_first(latents)
        io[case + '.dec.out'] = channels_first(vae.decode(latents))
    write(HERE / 'weights.safetensors', vae.tensors)
    write(HERE / 'io.safetensors', io)


if __name__ == '__main__':
    main()
