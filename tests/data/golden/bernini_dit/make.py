#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this case: a tiny Wan transformer at random, its passes with Bernini-R's sources, and their guidance.
Plain Python in f64 from the published formulas (README.md says whose), rounded to f32 at the end.
`make.py --check FOLDER` computes the outputs of the golden case dit_t2v or bernini_rope instead, which upstream
made, and prints how far they are from those that its files hold."""
import json
import math
import random
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONFIG = {
    '_class_name': 'WanTransformer3DModel', 'patch_size': [1, 2, 2], 'num_attention_heads': 2,
    'attention_head_dim': 16, 'in_channels': 4, 'out_channels': 4, 'text_dim': 12, 'freq_dim': 16,
    'ffn_dim': 40, 'num_layers': 2, 'cross_attn_norm': True, 'qk_norm': 'rms_norm_across_heads', 'eps': 1e-06,
    'image_dim': None, 'added_kv_proj_dim': None, 'rope_max_seq_len': 1024, 'pos_embed_seq_len': None}
THETA = 10000.0
# Frames, rows, columns of latents: of the target, its videos and its pictures, with odd numbers of patches.
VARIANTS = {
    'both': {'target': [3, 4, 6], 'videos': [[3, 4, 6]], 'pictures': [[1, 6, 2], [1, 2, 10]],
             'scales': {'video': 1.25, 'image': 4.5, 'prompt': 4.0}},
    'video': {'target': [2, 6, 4], 'videos': [[2, 6, 4]], 'pictures': [],
              'scales': {'video': 1.25, 'image': 4.5, 'prompt': 4.0}},
    'pictures': {'target': [2, 4, 4], 'videos': [], 'pictures': [[1, 4, 6], [1, 6, 6], [1, 2, 2]],
                 'scales': {'video': 1.25, 'image': 2.5, 'prompt': 4.0}},
}


def to_f32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


class Tensor:
    """Numbers with a shape, outermost axis first."""

    def __init__(self, shape, values):
        self.shape, self.values = list(shape), list(values)
        assert math.prod(self.shape) == len(self.values)

    def rows(self):
        width = self.shape[-1]
        return [self.values[at:at + width] for at in range(0, len(self.values), width)]


def drawn(shape, scale, around=0.0):
    return Tensor(shape, [to_f32(around + scale * random.gauss(0, 1)) for _ in range(math.prod(shape))])


def read_safetensors(path):
    data = path.read_bytes()
    length = struct.unpack('<Q', data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name == '__metadata__':
            continue
        begin, end = entry['data_offsets']
        letter, size = {'F32': ('f', 4), 'I64': ('q', 8)}[entry['dtype']]
        values = struct.unpack(f'<{(end - begin) // size}{letter}', data[8 + length + begin:8 + length + end])
        tensors[name] = Tensor(entry['shape'], [float(value) for value in values])
    return tensors


def write_safetensors(path, tensors):
    header, body = {}, b''
    for name, tensor in sorted(tensors.items()):
        part = struct.pack(f'<{len(tensor.values)}f', *tensor.values)
        header[name] = {'dtype': 'F32', 'shape': tensor.shape, 'data_offsets': [len(body), len(body) + len(part)]}
        body += part
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    path.write_bytes(struct.pack('<Q', len(text)) + text + body)


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def silu(value):
    return value / (1 + math.exp(-value))


def gelu(value):
    """The approximation by tanh, as Wan has it."""
    return 0.5 * value * (1 + math.tanh(math.sqrt(2 / math.pi) * (value + 0.044715 * value ** 3)))


class Transformer:
    """Wan's transformer of one video, with diffusers' names for its weights."""

    def __init__(self, config, weights):
        self.config, self.weights = config, weights
        self.heads, self.head_dim = config['num_attention_heads'], config['attention_head_dim']
        self.width = self.heads * self.head_dim

    def linear(self, name, rows):
        weight, bias = self.weights[name + '.weight'], self.weights[name + '.bias'].values
        width = len(weight.values) // weight.shape[0]
        matrix = [weight.values[at:at + width] for at in range(0, len(weight.values), width)]
        return [[dot(row, line) + b for line, b in zip(matrix, bias)] for row in rows]

    def layer_norm(self, rows, scale=None, shift=None):
        result = []
        for row in rows:
            mean = math.fsum(row) / len(row)
            factor = 1 / math.sqrt(math.fsum((x - mean) ** 2 for x in row) / len(row) + self.config['eps'])
            result.append([(x - mean) * factor for x in row])
        if scale is not None:
            result = [[x * s + b for x, s, b in zip(row, scale, shift)] for row in result]
        return result

    def rms_norm(self, name, rows):
        gamma = self.weights[name + '.weight'].values
        result = []
        for row in rows:
            factor = 1 / math.sqrt(math.fsum(x * x for x in row) / len(row) + self.config['eps'])
            result.append([x * factor * g for x, g in zip(row, gamma)])
        return result

    def patches(self, latents):
        """[C, F, H, W] -> a row [C · patch] for each token."""
        pt, ph, pw = self.config['patch_size']
        channels, frames, rows, columns = latents.shape
        def at(c, f, y, x):
            return latents.values[((c * frames + f) * rows + y) * columns + x]
        return [[at(c, f + t, y + j, x + i) for c in range(channels) for t in range(pt) for j in range(ph)
                 for i in range(pw)]
                for f in range(0, frames, pt) for y in range(0, rows, ph) for x in range(0, columns, pw)]

    def angles(self, shape, source):
        """An angle for each token and pair of the head dimension: that of its place, and that of its source."""
        pt, ph, pw = self.config['patch_size']
        spatial = 2 * (self.head_dim // 6)
        sizes = [self.head_dim - 2 * spatial, spatial, spatial]
        further = [source * THETA ** (-2 * i / self.head_dim) for i in range(self.head_dim // 2)]
        tokens = []
        for f in range(shape[0] // pt):
            for y in range(shape[1] // ph):
                for x in range(shape[2] // pw):
                    own = [place * THETA ** (-2 * j / size) for place, size in zip((f, y, x), sizes)
                           for j in range(size // 2)]
                    tokens.append([a + b for a, b in zip(own, further)])
        return tokens

    def rotated(self, rows, angles):
        result = []
        for row, own in zip(rows, angles):
            turned = []
            for head in range(self.heads):
                for pair, angle in enumerate(own):
                    a, b = row[head * self.head_dim + 2 * pair], row[head * self.head_dim + 2 * pair + 1]
                    turned += [a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)]
            result.append(turned)
        return result

    def attention(self, name, rows, context, angles=None):
        query = self.rms_norm(name + '.norm_q', self.linear(name + '.to_q', rows))
        key = self.rms_norm(name + '.norm_k', self.linear(name + '.to_k', context))
        value = self.linear(name + '.to_v', context)
        if angles:
            query, key = self.rotated(query, angles), self.rotated(key, angles)
        result = [[] for _ in rows]
        for head in range(self.heads):
            own = slice(head * self.head_dim, (head + 1) * self.head_dim)
            keys, values = [k[own] for k in key], [list(column) for column in zip(*(v[own] for v in value))]
            for place, row in enumerate(query):
                scores = [dot(row[own], k) / math.sqrt(self.head_dim) for k in keys]
                most = max(scores)
                weights = [math.exp(score - most) for score in scores]
                total = math.fsum(weights)
                result[place] += [dot(weights, column) / total for column in values]
        return self.linear(name + '.to_out.0', result)

    def modulation(self, name, values, parts):
        table = self.weights[name].values
        mixed = [t + v for t, v in zip(table, values)]
        return [mixed[part * self.width:(part + 1) * self.width] for part in range(parts)]

    def block(self, name, x, text, angles, projection):
        def added(rows, gate=None):
            return [[a + b * g for a, b, g in zip(old, new, gate or [1] * self.width)]
                    for old, new in zip(x, rows)]
        shift, scale, gate, c_shift, c_scale, c_gate = self.modulation(name + '.scale_shift_table', projection, 6)
        seen = self.layer_norm(x, [1 + s for s in scale], shift)
        x = added(self.attention(name + '.attn1', seen, seen, angles), gate)
        seen = self.layer_norm(x, self.weights[name + '.norm2.weight'].values,
                               self.weights[name + '.norm2.bias'].values)
        x = added(self.attention(name + '.attn2', seen, text))
        seen = self.layer_norm(x, [1 + s for s in c_scale], c_shift)
        hidden = [[gelu(v) for v in row] for row in self.linear(name + '.ffn.net.0.proj', seen)]
        return added(self.linear(name + '.ffn.net.2', hidden), c_gate)

    def forward(self, latents, time, text, sources=()):
        """sources: pairs of latents [C, F, H, W] and an id. Returns [C, F, H, W] of the target."""
        half = self.config['freq_dim'] // 2
        waves = [time * math.exp(-math.log(10000) * i / half) for i in range(half)]
        sinusoid = [math.cos(w) for w in waves] + [math.sin(w) for w in waves]
        embedder = 'condition_embedder.'
        row = self.linear(embedder + 'time_embedder.linear_1', [sinusoid])[0]
        embedding = self.linear(embedder + 'time_embedder.linear_2', [[silu(v) for v in row]])[0]
        projection = self.linear(embedder + 'time_proj', [[silu(v) for v in embedding]])[0]
        hidden = [[gelu(v) for v in r] for r in self.linear(embedder + 'text_embedder.linear_1', text)]
        text = self.linear(embedder + 'text_embedder.linear_2', hidden)

        x, angles = [], []
        for part, source in [(latents, 0), *sources]:  # behind each other, embedded by the same weights
            x += self.linear('patch_embedding', self.patches(part))
            angles += self.angles(part.shape[1:], source)
        for index in range(self.config['num_layers']):
            x = self.block(f'blocks.{index}', x, text, angles, projection)
        pt, ph, pw = self.config['patch_size']
        _, frames, rows, columns = latents.shape
        own = x[:frames // pt * (rows // ph) * (columns // pw)]  # the target's tokens alone leave
        shift, scale = self.modulation('scale_shift_table', embedding * 2, 2)
        out = self.linear('proj_out', self.layer_norm(own, [1 + s for s in scale], shift))
        channels = self.config['out_channels']
        values = [0.0] * (channels * frames * rows * columns)
        for token, numbers in enumerate(out):
            line, across = divmod(token, columns // pw)
            f, y = divmod(line, rows // ph)
            for place, number in enumerate(numbers):  # [pt, ph, pw, C]
                place, c = divmod(place, channels)
                place, i = divmod(place, pw)
                t, j = divmod(place, ph)
                values[((c * frames + f * pt + t) * rows + y * ph + j) * columns + across * pw + i] = number
        return Tensor([channels, frames, rows, columns], values)


def random_weights(config):
    width = config['num_attention_heads'] * config['attention_head_dim']
    weights = {}
    def linear(name, out, inner, shape=None):
        weights[name + '.weight'] = drawn(shape or [out, inner], 1.4 / math.sqrt(inner))
        weights[name + '.bias'] = drawn([out], 0.2)
    linear('patch_embedding', width, 4 * config['in_channels'], [width, config['in_channels'], 1, 2, 2])
    embedder = 'condition_embedder.'
    linear(embedder + 'time_embedder.linear_1', width, config['freq_dim'])
    linear(embedder + 'time_embedder.linear_2', width, width)
    linear(embedder + 'time_proj', 6 * width, width)
    linear(embedder + 'text_embedder.linear_1', width, config['text_dim'])
    linear(embedder + 'text_embedder.linear_2', width, width)
    for index in range(config['num_layers']):
        block = f'blocks.{index}.'
        weights[block + 'scale_shift_table'] = drawn([1, 6, width], 0.3)
        for attention in ('attn1', 'attn2'):
            for part in ('to_q', 'to_k', 'to_v', 'to_out.0'):
                linear(f'{block}{attention}.{part}', width, width)
            for norm in ('norm_q', 'norm_k'):
                weights[f'{block}{attention}.{norm}.weight'] = drawn([width], 0.2, 1.0)
        weights[block + 'norm2.weight'] = drawn([width], 0.2, 1.0)
        weights[block + 'norm2.bias'] = drawn([width], 0.2)
        linear(block + 'ffn.net.0.proj', config['ffn_dim'], width)
        linear(block + 'ffn.net.2', width, config['ffn_dim'])
    weights['scale_shift_table'] = drawn([1, 2, width], 0.3)
    linear('proj_out', 4 * config['out_channels'], width)
    return weights


def branches(variant):
    """Wan2GP's any2video.py: the weight of each pass, how many sources it sees, whether it hears the prompt."""
    video, image, prompt = (variant['scales'][name] for name in ('video', 'image', 'prompt'))
    videos, everything = len(variant['videos']), len(variant['videos']) + len(variant['pictures'])
    if variant['videos'] and variant['pictures']:
        return [(prompt, everything, True), (image - prompt, everything, False), (video - image, videos, False),
                (1 - video, 0, False)]
    if variant['videos']:
        return [(prompt, everything, True), (1 - prompt, everything, False)]
    return [(prompt, everything, True), (image - prompt, everything, False), (1 - image, 0, False)]


def make():
    random.seed(66)
    weights = random_weights(CONFIG)
    transformer = Transformer(CONFIG, weights)
    channels, tensors, params = CONFIG['in_channels'], {}, {}
    for name, variant in VARIANTS.items():
        latents = drawn([channels, *variant['target']], 1)
        sources = [drawn([channels, *shape], 1) for shape in variant['videos'] + variant['pictures']]
        time = to_f32(random.uniform(20, 980))
        prompt, negative = drawn([7, CONFIG['text_dim']], 1), drawn([7, CONFIG['text_dim']], 1)
        tensors[name + '.in.hidden_states'] = Tensor([1, *latents.shape], latents.values)
        tensors[name + '.in.timestep'] = Tensor([1], [time])
        tensors[name + '.in.encoder_hidden_states'] = Tensor([1, *prompt.shape], prompt.values)
        tensors[name + '.in.negative_encoder_hidden_states'] = Tensor([1, *negative.shape], negative.values)
        for index, source in enumerate(sources):
            tensors[f'{name}.in.source{index + 1}'] = Tensor([1, *source.shape], source.values)
        guided = [0.0] * len(latents.values)
        for index, (weight, seen, hears) in enumerate(branches(variant)):
            out = transformer.forward(latents, time, (prompt if hears else negative).rows(),
                                      [(source, at + 1) for at, source in enumerate(sources[:seen])])
            tensors[f'{name}.pass{index}'] = Tensor([1, *out.shape], out.values)
            guided = [sum_ + weight * value for sum_, value in zip(guided, out.values)]
        tensors[name + '.guided'] = Tensor([1, *latents.shape], guided)
        params[name] = {'videos': len(variant['videos']), 'pictures': len(variant['pictures']),
                        'scales': variant['scales']}
    write_safetensors(HERE / 'weights.safetensors', weights)
    write_safetensors(HERE / 'io.safetensors', tensors)
    (HERE / 'config.json').write_text(json.dumps(CONFIG, indent=1) + '\n')
    (HERE / 'case.json').write_text(json.dumps(
        {'kind': 'bernini_dit', 'class': 'WanTransformer3DModel', 'tolerance': {'abs': 5e-05, 'rel': 2e-05},
         'params': params}, indent=1) + '\n')


def check_rotation(folder, case):
    tensors = read_safetensors(folder / 'io.safetensors')
    for name, params in case['params'].items():
        config = {'num_attention_heads': 1, 'attention_head_dim': params['head_dim'], 'patch_size': [1, 2, 2]}
        transformer = Transformer(config, {})
        parts = [(params['target'], 0)] + [(one['shape'], one['source_id']) for one in params['sources']]
        angles = [angle for shape, source in parts for row in transformer.angles(shape, source) for angle in row]
        for part, function in (('cos', math.cos), ('sin', math.sin)):
            own = tensors[f'{name}.{part}'].values
            print(f'{name}.{part}: max|ours - upstream| = '
                  f'{max(abs(function(angle) - value) for angle, value in zip(angles, own, strict=True)):.2e}')


def check(folder):
    case = json.loads((folder / 'case.json').read_text())
    if case['kind'] == 'bernini_rope':
        return check_rotation(folder, case)
    config = json.loads((folder / 'config.json').read_text())
    transformer = Transformer(config, read_safetensors(folder / 'weights.safetensors'))
    tensors = read_safetensors(folder / 'io.safetensors')
    for name in sorted({key.split('.')[0] for key in tensors}):
        latents = tensors[name + '.in.hidden_states']
        text, expected = tensors[name + '.in.encoder_hidden_states'], tensors[name + '.out_f64']
        size, length = math.prod(latents.shape[1:]), math.prod(text.shape[1:])
        most = 0.0
        for video in range(latents.shape[0]):
            out = transformer.forward(
                Tensor(latents.shape[1:], latents.values[video * size:(video + 1) * size]),
                tensors[name + '.in.timestep'].values[video],
                Tensor(text.shape[1:], text.values[video * length:(video + 1) * length]).rows())
            own = expected.values[video * len(out.values):(video + 1) * len(out.values)]
            most = max(most, max(abs(a - b) for a, b in zip(out.values, own)))
        print(f'{name}: max|ours - out_f64| = {most:.2e}')


if __name__ == '__main__':
    if sys.argv[1:2] == ['--check']:
        check(Path(sys.argv[2]))
    else:
        make()
