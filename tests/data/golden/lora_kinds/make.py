#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this case: small random weights, an adapter of each kind, and the weights that upstream's formulas
merge (README.md says whose). Plain Python in f64, rounded to f32 at the end."""
import json
import math
import random
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent
random.seed(43)


def f32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def randoms(rows, columns, spread=1.0):
    return [[f32(random.uniform(-spread, spread)) for _ in range(columns)] for _ in range(rows)]


def product(a, b):
    return [[sum(x * b[k][j] for k, x in enumerate(row)) for j in range(len(b[0]))] for row in a]


def added(a, b, factor=1.0):
    return [[x + factor * y for x, y in zip(p, q)] for p, q in zip(a, b)]


def times(a, b):
    return [[x * y for x, y in zip(p, q)] for p, q in zip(a, b)]


def kron(a, b):
    return [[x * y for x in row for y in other] for row in a for other in b]


def mixed(old, new, strength):
    return added(old, added(new, old, -1), strength)


def with_row_lengths(matrix, lengths):
    return [[x * length / math.sqrt(sum(y * y for y in row)) for x in row] for row, length in zip(matrix, lengths)]


def with_channel_lengths(matrix, lengths):
    """Columns of one input channel stand together; they share a length."""
    each = len(matrix[0]) // len(lengths)
    norms = [math.sqrt(sum(row[j] ** 2 for row in matrix for j in range(c * each, (c + 1) * each)))
             for c in range(len(lengths))]
    return [[x * lengths[j // each] / norms[j // each] for j, x in enumerate(row)] for row in matrix]


def save(name, tensors, metadata=None):
    header, data = {}, b''
    for key, (shape, values) in tensors.items():
        flat = struct.pack(f'<{len(values)}f', *values)
        header[key] = {'dtype': 'F32', 'shape': shape, 'data_offsets': [len(data), len(data) + len(flat)]}
        data += flat
    if metadata:
        header['__metadata__'] = metadata
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    (HERE / f'{name}.safetensors').write_bytes(struct.pack('<Q', len(text)) + text + data)


def tensor(matrix, shape=None):
    flat = [x for row in matrix for x in row]
    return shape or [len(matrix), len(matrix[0])], flat


def numbers(values, shape=None):
    return shape or [len(values)], values


Q, F, P = 'blocks.0.attn1.to_q.weight', 'blocks.0.ffn.net.0.proj.weight', 'patch_embedding.weight'
PATCH = [6, 4, 1, 2, 2]
weights = {Q: randoms(12, 8), F: randoms(20, 8), P: randoms(6, 16)}
save('weights', {'condition_embedder.time_proj.weight': tensor([[0.0]]), Q: tensor(weights[Q]),
                 F: tensor(weights[F]), P: tensor(weights[P], PATCH)})
outputs = {}


def merged(name, **changed):
    for key, matrix in changed.items():
        target = {'q': Q, 'f': F, 'p': P}[key]
        outputs[f'{name}.W.{target}'] = tensor(matrix, PATCH if key == 'p' else None)


def delta(target, difference, scale, strength=1.0):
    return added(weights[target], difference, scale * strength)


# LoHa of LyCORIS: (w1_a w1_b) * (w2_a w2_b) * alpha / rank, in kohya's names; the convolution without Tucker.
a, b, c, d = randoms(12, 2), randoms(2, 8), randoms(12, 2), randoms(2, 8)
pa, pb, pc, pd = randoms(6, 3), randoms(3, 16), randoms(6, 3), randoms(3, 16)
q, p = 'lycoris_blocks_0_attn1_to_q', 'lycoris_patch_embedding'
save('loha', {f'{q}.hada_w1_a': tensor(a), f'{q}.hada_w1_b': tensor(b), f'{q}.hada_w2_a': tensor(c),
              f'{q}.hada_w2_b': tensor(d), f'{q}.alpha': numbers([1.0], []), f'{p}.hada_w1_a': tensor(pa),
              f'{p}.hada_w1_b': tensor(pb), f'{p}.hada_w2_a': tensor(pc), f'{p}.hada_w2_b': tensor(pd),
              f'{p}.alpha': numbers([1.5], [])})
qd, pdelta = times(product(a, b), product(c, d)), times(product(pa, pb), product(pc, pd))
merged('loha', q=delta(Q, qd, 0.5), p=delta(P, pdelta, 0.5))
merged('loha@0.7', q=delta(Q, qd, 0.5, 0.7))

# LoKr of LyCORIS: w1 kron w2 * alpha / rank, where one of the two is a product; both whole: scale 1.
w1, w2a, w2b = randoms(3, 2), randoms(4, 2), randoms(2, 4)
v1, v2 = randoms(4, 2), randoms(5, 4)
u1, u2 = randoms(2, 2), randoms(3, 8)
f = 'lycoris_blocks_0_ffn_net_0_proj'
save('lokr', {f'{q}.lokr_w1': tensor(w1), f'{q}.lokr_w2_a': tensor(w2a), f'{q}.lokr_w2_b': tensor(w2b),
              f'{q}.alpha': numbers([1.0], []), f'{f}.lokr_w1': tensor(v1), f'{f}.lokr_w2': tensor(v2),
              f'{f}.alpha': numbers([16.0], []), f'{p}.lokr_w1': tensor(u1),
              f'{p}.lokr_w2': tensor(u2, [3, 2, 1, 2, 2])})
merged('lokr', q=delta(Q, kron(w1, product(w2a, w2b)), 0.5), f=delta(F, kron(v1, v2), 1.0),
       p=delta(P, kron(u1, u2), 1.0))
merged('lokr@0.7', q=delta(Q, kron(w1, product(w2a, w2b)), 0.5, 0.7))

# LoKr of PEFT: the description's alpha / r also where both matrices are whole.
save('lokr_peft', {'base_model.model.blocks.0.attn1.to_q.lokr_w1': tensor(w1),
                   'base_model.model.blocks.0.attn1.to_q.lokr_w2': tensor(product(w2a, w2b))},
     {'lora_adapter_metadata': json.dumps({'peft_type': 'LOKR', 'r': 8, 'alpha': 4})})
w2 = [[f32(x) for x in row] for row in product(w2a, w2b)]
merged('lokr_peft', q=delta(Q, kron(w1, w2), 0.5))

# DoRA of PEFT: rows of W + scale B A get the lengths of lora_magnitude_vector.
down, up, lengths = randoms(2, 8), randoms(12, 2), [f32(random.uniform(0.5, 2)) for _ in range(12)]
base = 'transformer.blocks.0.attn1.to_q'
save('dora_peft', {f'{base}.lora_A.weight': tensor(down), f'{base}.lora_B.weight': tensor(up),
                   f'{base}.lora_magnitude_vector': numbers(lengths)},
     {'lora_adapter_metadata': json.dumps({'transformer.r': 2, 'transformer.lora_alpha': 3,
                                           'transformer.use_dora': True})})
whole = with_row_lengths(delta(Q, product(up, down), 1.5), lengths)
merged('dora_peft', q=whole)
merged('dora_peft@0.7', q=mixed(weights[Q], whole, 0.7))

# DoRA of LyCORIS on LoHa: dora_scale [1, in, …] is the length of what an input channel is multiplied with.
channels, pixels = [f32(random.uniform(0.5, 2)) for _ in range(8)], [f32(random.uniform(0.5, 2)) for _ in range(4)]
save('dora_lycoris', {f'{q}.hada_w1_a': tensor(a), f'{q}.hada_w1_b': tensor(b), f'{q}.hada_w2_a': tensor(c),
                      f'{q}.hada_w2_b': tensor(d), f'{q}.alpha': numbers([1.0], []),
                      f'{q}.dora_scale': numbers(channels, [1, 8]), f'{p}.lokr_w1': tensor(u1),
                      f'{p}.lokr_w2': tensor(u2, [3, 2, 1, 2, 2]),
                      f'{p}.dora_scale': numbers(pixels, [1, 4, 1, 1, 1])})
merged('dora_lycoris', q=with_channel_lengths(delta(Q, qd, 0.5), channels),
       p=with_channel_lengths(delta(P, kron(u1, u2), 1.0), pixels))
save('io', outputs)
(HERE / 'case.json').write_text(json.dumps({'kind': 'lora', 'class': 'WanTransformer3DModel',
                                            'tolerance': {'abs': 1e-5, 'rel': 1e-5}}, indent=1) + '\n')
