#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this case: a small transformer of random weights with ref_conv and an image embedder, and what
upstream's formulas predict with it (README.md says whose). Plain Python in f64, rounded to f32 at the end.

Before it writes anything it computes dit_i2v_clip, a case that upstream's program made, with the same
functions, and its own variant `a` a second time by formulas of another form: the reference's tokens behind the
video's and one frame before them, turned as complex numbers, head by head."""
import cmath
import json
import math
import random
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent
EPSILON, IMAGE_EPSILON = 1e-6, 1e-5
CONFIG = {'_class_name': 'WanTransformer3DModel', 'patch_size': [1, 2, 2], 'num_attention_heads': 2,
          'attention_head_dim': 12, 'in_channels': 12, 'out_channels': 4, 'text_dim': 10, 'freq_dim': 16,
          'ffn_dim': 32, 'num_layers': 2, 'cross_attn_norm': True, 'qk_norm': 'rms_norm_across_heads',
          'eps': EPSILON, 'image_dim': 14, 'added_kv_proj_dim': 24, 'rope_max_seq_len': 1024,
          'pos_embed_seq_len': None, 'add_ref_conv': True, 'in_dim_ref_conv': 4}
random.seed(66)


def f32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def count(shape):
    return math.prod(shape)


def load(path):
    """name -> (shape, values) of a safetensors file of F32 and F64."""
    data = path.read_bytes()
    size = struct.unpack('<Q', data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == '__metadata__':
            continue
        begin, end = (8 + size + offset for offset in entry['data_offsets'])
        code, width = {'F32': ('f', 4), 'F64': ('d', 8), 'I64': ('q', 8)}[entry['dtype']]
        tensors[name] = (entry['shape'], struct.unpack(f'<{(end - begin) // width}{code}', data[begin:end]))
    return tensors


def save(name, tensors):
    header, data = {}, b''
    for key, (shape, values) in tensors.items():
        flat = struct.pack(f'<{len(values)}f', *values)
        header[key] = {'dtype': 'F32', 'shape': shape, 'data_offsets': [len(data), len(data) + len(flat)]}
        data += flat
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    (HERE / name).write_bytes(struct.pack('<Q', len(text)) + text + data)


class Model:
    """Weights by their names in diffusers, in its layout: [out, in …]."""

    def __init__(self, config, tensors):
        self.config = config
        self.tensors = tensors
        self.heads = config['num_attention_heads']
        self.head_dim = config['attention_head_dim']
        self.inner = self.heads * self.head_dim

    def vector(self, name):
        return self.tensors[name][1]

    def linear(self, name, rows):
        shape, weight = self.tensors[name + '.weight']
        bias = self.vector(name + '.bias')
        width = count(shape[1:])
        matrix = [weight[i * width:(i + 1) * width] for i in range(shape[0])]
        return [[b + sum(x * w for x, w in zip(row, out)) for out, b in zip(matrix, bias)] for row in rows]


def rms_norm(row, weight):
    scale = 1 / math.sqrt(sum(x * x for x in row) / len(row) + EPSILON)
    return [x * scale * w for x, w in zip(row, weight)]


def layer_norm(row, epsilon, weight=None, bias=None):
    mean = sum(row) / len(row)
    scale = 1 / math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + epsilon)
    normed = [(x - mean) * scale for x in row]
    return normed if weight is None else [x * w + b for x, w, b in zip(normed, weight, bias)]


def silu(x):
    return x / (1 + math.exp(-x))


def gelu_erf(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def softmax(scores):
    most = max(scores)
    powers = [math.exp(score - most) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def axes(head_dim):
    """Numbers of a head that turn with time, rows and columns."""
    return head_dim - 4 * (head_dim // 6), 2 * (head_dim // 6), 2 * (head_dim // 6)


def angles(place, head_dim):
    """One for each pair of a head, of a token at (frame, row, column)."""
    return [at * 10000 ** (-2 * i / width) for at, width in zip(place, axes(head_dim)) for i in range(width // 2)]


def rotate(row, place, heads, head_dim):
    turned = []
    for head in range(heads):
        for pair, angle in enumerate(angles(place, head_dim)):
            x, y = row[head * head_dim + 2 * pair:head * head_dim + 2 * pair + 2]
            turned += [x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)]
    return turned


def attend(queries, keys, values, heads, head_dim):
    out = [[] for _ in queries]
    for head in range(heads):
        part = slice(head * head_dim, (head + 1) * head_dim)
        for row, query in enumerate(queries):
            shares = softmax([sum(q * k for q, k in zip(query[part], key[part])) / math.sqrt(head_dim)
                              for key in keys])
            out[row] += [sum(s * v for s, v in zip(shares, column))
                         for column in zip(*(value[part] for value in values))]
    return out


def cut(latents, shape):
    """Patches of 2 x 2, each [channels, 2, 2], of latents [channels, frames, rows, columns]."""
    channels, frames, rows, columns = shape
    return [[latents[((c * frames + f) * rows + y + i) * columns + x + j]
             for c in range(channels) for i in range(2) for j in range(2)]
            for f in range(frames) for y in range(0, rows, 2) for x in range(0, columns, 2)]


def time_embedding(model, timestep):
    half = model.config['freq_dim'] // 2
    waves = [timestep * math.exp(-math.log(10000) * i / half) for i in range(half)]
    sinusoid = [math.cos(w) for w in waves] + [math.sin(w) for w in waves]
    inner = [[silu(x) for x in model.linear('condition_embedder.time_embedder.linear_1', [sinusoid])[0]]]
    embedding = model.linear('condition_embedder.time_embedder.linear_2', inner)[0]
    projection = model.linear('condition_embedder.time_proj', [[silu(x) for x in embedding]])[0]
    return embedding, projection


def embed_text(model, rows):
    inner = model.linear('condition_embedder.text_embedder.linear_1', rows)
    return model.linear('condition_embedder.text_embedder.linear_2', [[gelu_tanh(x) for x in r] for r in inner])


def embed_image(model, rows):
    name = 'condition_embedder.image_embedder.'
    normed = [layer_norm(r, IMAGE_EPSILON, model.vector(name + 'norm1.weight'), model.vector(name + 'norm1.bias'))
              for r in rows]
    inner = [[gelu_erf(x) for x in r] for r in model.linear(name + 'ff.net.0.proj', normed)]
    return [layer_norm(r, IMAGE_EPSILON, model.vector(name + 'norm2.weight'), model.vector(name + 'norm2.bias'))
            for r in model.linear(name + 'ff.net.2', inner)]


def modulated(rows, shift, scale):
    return [[x * (1 + s) + t for x, s, t in zip(layer_norm(r, EPSILON), scale, shift)] for r in rows]


def block(model, name, hidden, places, projection, text, image):
    inner = model.inner
    table = [a + b for a, b in zip(model.vector(name + 'scale_shift_table'), projection)]
    shift, scale, gate, ffn_shift, ffn_scale, ffn_gate = (table[i * inner:(i + 1) * inner] for i in range(6))

    def normed(layer, norm, rows):
        return [rms_norm(r, model.vector(name + norm)) for r in model.linear(name + layer, rows)]

    def turned(rows):
        return [rotate(r, place, model.heads, model.head_dim) for r, place in zip(rows, places)]

    x = modulated(hidden, shift, scale)
    attended = attend(turned(normed('attn1.to_q', 'attn1.norm_q.weight', x)),
                      turned(normed('attn1.to_k', 'attn1.norm_k.weight', x)),
                      model.linear(name + 'attn1.to_v', x), model.heads, model.head_dim)
    hidden = [[h + g * y for h, g, y in zip(row, gate, new)]
              for row, new in zip(hidden, model.linear(name + 'attn1.to_out.0', attended))]
    x = [layer_norm(r, EPSILON, model.vector(name + 'norm2.weight'), model.vector(name + 'norm2.bias'))
         for r in hidden]
    queries = normed('attn2.to_q', 'attn2.norm_q.weight', x)
    of_text = attend(queries, normed('attn2.to_k', 'attn2.norm_k.weight', text),
                     model.linear(name + 'attn2.to_v', text), model.heads, model.head_dim)
    of_image = attend(queries, normed('attn2.add_k_proj', 'attn2.norm_added_k.weight', image),
                      model.linear(name + 'attn2.add_v_proj', image), model.heads, model.head_dim)
    both = [[a + b for a, b in zip(p, q)] for p, q in zip(of_text, of_image)]
    hidden = [[h + y for h, y in zip(row, new)]
              for row, new in zip(hidden, model.linear(name + 'attn2.to_out.0', both))]
    x = modulated(hidden, ffn_shift, ffn_scale)
    inner_rows = [[gelu_tanh(v) for v in r] for r in model.linear(name + 'ffn.net.0.proj', x)]
    return [[h + g * y for h, g, y in zip(row, ffn_gate, new)]
            for row, new in zip(hidden, model.linear(name + 'ffn.net.2', inner_rows))]


def grid(first_frame, frames, rows, columns):
    return [(first_frame + f, y, x) for f in range(frames) for y in range(rows // 2) for x in range(columns // 2)]


def assemble(tokens, shape):
    """[out channels, frames, rows, columns] of rows of [2, 2, out channels]."""
    channels, frames, rows, columns = shape
    out = [0.0] * count(shape)
    at = iter(tokens)
    for f in range(frames):
        for y in range(0, rows, 2):
            for x in range(0, columns, 2):
                values = iter(next(at))
                for i in range(2):
                    for j in range(2):
                        for c in range(channels):
                            out[((c * frames + f) * rows + y + i) * columns + x + j] = next(values)
    return out


def forward(model, latents, shape, timestep, text, image, reference=None):
    """wan_transformer3d.py: the reference's tokens stand first, at frame 0, and the video begins at frame 1;
    they are dropped behind the head."""
    hidden = model.linear('patch_embedding', cut(latents, shape))
    _, frames, rows, columns = shape
    places = grid(0 if reference is None else 1, frames, rows, columns)
    before = 0
    if reference is not None:
        shown = model.linear('ref_conv', cut(reference[1], [reference[0][0], 1, *reference[0][1:]]))
        hidden, before = shown + hidden, len(shown)
        places = grid(0, 1, *reference[0][1:]) + places
    embedding, projection = time_embedding(model, timestep)
    text, image = embed_text(model, text), embed_image(model, image)
    steps = []
    for index in range(model.config['num_layers']):
        hidden = block(model, f'blocks.{index}.', hidden, places, projection, text, image)
        steps.append(hidden[before:])
    table = model.vector('scale_shift_table')
    inner = model.inner
    shift, scale = ([a + b for a, b in zip(table[i * inner:(i + 1) * inner], embedding)] for i in range(2))
    tokens = model.linear('proj_out', modulated(hidden[before:], shift, scale))
    return assemble(tokens, [model.config['out_channels'], frames, rows, columns]), steps


def rows_of(values, width):
    return [list(values[i:i + width]) for i in range(0, len(values), width)]


def check_functions():
    """Returns the largest difference from what upstream's program made of dit_i2v_clip, in f64."""
    folder = HERE.parent / 'dit_i2v_clip'
    model = Model(json.loads((folder / 'config.json').read_text()), load(folder / 'weights.safetensors'))
    golden = load(folder / 'io.safetensors')
    shape, latents = golden['b.in.hidden_states']
    out, _ = forward(model, latents, shape[1:], golden['b.in.timestep'][1][0],
                     rows_of(golden['b.in.encoder_hidden_states'][1], model.config['text_dim']),
                     rows_of(golden['b.in.encoder_hidden_states_image'][1], model.config['image_dim']))
    wanted = golden['b.out_f64'][1]
    return max(abs(x - y) for x, y in zip(out, wanted))


def second_forward(model, latents, shape, timestep, text, image, reference):
    """The same by other formulas: one token at a time, the reference behind the video and at frame -1."""
    heads, size, inner = model.heads, model.head_dim, model.inner

    def weigh(name, row):
        weight_shape, weight = model.tensors[name + '.weight']
        width = count(weight_shape[1:])
        return [math.fsum([model.vector(name + '.bias')[o]] + [row[i] * weight[o * width + i] for i in range(width)])
                for o in range(weight_shape[0])]

    def turned(row, place):
        pairs = [complex(row[i], row[i + 1]) for i in range(0, inner, 2)]
        frequencies = [place[axis] / 10000 ** (2 * i / width) for axis, width in enumerate(axes(size))
                       for i in range(width // 2)]
        return [z * cmath.exp(1j * frequencies[i % (size // 2)]) for i, z in enumerate(pairs)]

    def spread(row):
        centre = math.fsum(row) / inner
        return [x - centre for x in row], math.sqrt(math.fsum((x - centre) ** 2 for x in row) / inner + EPSILON)

    def plain_norm(row):
        parts, deviation = spread(row)
        return [x / deviation for x in parts]

    def root_norm(row, name):
        root = math.sqrt(math.fsum(x * x for x in row) / inner + EPSILON)
        return [x / root * w for x, w in zip(row, model.vector(name))]

    tokens = [(weigh('patch_embedding', patch), place)
              for patch, place in zip(cut(latents, shape), grid(0, *shape[1:]))]
    own = len(tokens)
    tokens += [(weigh('ref_conv', patch), place)
               for patch, place in zip(cut(reference[1], [reference[0][0], 1, *reference[0][1:]]),
                                       grid(-1, 1, *reference[0][1:]))]
    stream = [token for token, _ in tokens]
    places = [place for _, place in tokens]
    embedding, projection = time_embedding(model, timestep)
    context, seen = embed_text(model, text), embed_image(model, image)
    for index in range(model.config['num_layers']):
        name = f'blocks.{index}.'
        table = [[model.vector(name + 'scale_shift_table')[k * inner + i] + projection[k * inner + i]
                  for i in range(inner)] for k in range(6)]
        moved = [[v * (1 + table[1][i]) + table[0][i] for i, v in enumerate(plain_norm(row))] for row in stream]
        queries = [turned(root_norm(weigh(name + 'attn1.to_q', r), name + 'attn1.norm_q.weight'), p)
                   for r, p in zip(moved, places)]
        keys = [turned(root_norm(weigh(name + 'attn1.to_k', r), name + 'attn1.norm_k.weight'), p)
                for r, p in zip(moved, places)]
        values = [weigh(name + 'attn1.to_v', r) for r in moved]
        for at, query in enumerate(queries):
            gathered = []
            for head in range(heads):
                part = range(head * size // 2, (head + 1) * size // 2)
                powers = [math.exp(math.fsum((query[i] * key[i].conjugate()).real for i in part) / math.sqrt(size))
                          for key in keys]
                gathered += [math.fsum(p * v[i] for p, v in zip(powers, values)) / math.fsum(powers)
                             for i in range(head * size, (head + 1) * size)]
            added = weigh(name + 'attn1.to_out.0', gathered)
            stream[at] = [h + g * y for h, g, y in zip(stream[at], table[2], added)]
        for at, row in enumerate(stream):
            parts, deviation = spread(row)
            normed = [x / deviation * w + b for x, w, b in zip(parts, model.vector(name + 'norm2.weight'),
                                                               model.vector(name + 'norm2.bias'))]
            query = root_norm(weigh(name + 'attn2.to_q', normed), name + 'attn2.norm_q.weight')
            gathered = [0.0] * inner
            for rows, key_name, norm, value_name in ((context, 'to_k', 'norm_k', 'to_v'),
                                                     (seen, 'add_k_proj', 'norm_added_k', 'add_v_proj')):
                sources = [(root_norm(weigh(name + 'attn2.' + key_name, r), name + 'attn2.' + norm + '.weight'),
                            weigh(name + 'attn2.' + value_name, r)) for r in rows]
                for head in range(heads):
                    part = range(head * size, (head + 1) * size)
                    powers = [math.exp(math.fsum(query[i] * key[i] for i in part) / math.sqrt(size))
                              for key, _ in sources]
                    for i in part:
                        gathered[i] += math.fsum(p * v[i] for p, (_, v) in zip(powers, sources)) / math.fsum(powers)
            row = [h + y for h, y in zip(row, weigh(name + 'attn2.to_out.0', gathered))]
            moved_row = [v * (1 + table[4][i]) + table[3][i] for i, v in enumerate(plain_norm(row))]
            wide = [gelu_tanh(v) for v in weigh(name + 'ffn.net.0.proj', moved_row)]
            stream[at] = [h + g * y for h, g, y in zip(row, table[5], weigh(name + 'ffn.net.2', wide))]
    table = model.vector('scale_shift_table')
    finished = [weigh('proj_out', [v * (1 + table[inner + i] + embedding[i]) + table[i] + embedding[i]
                                   for i, v in enumerate(plain_norm(row))]) for row in stream[:own]]
    return assemble(finished, [model.config['out_channels'], *shape[1:]])


def make_weights():
    inner, ffn = 24, CONFIG['ffn_dim']
    tensors = {}

    def put(name, shape, spread, centre=0.0):
        tensors[name] = (shape, [f32(random.gauss(centre, spread)) for _ in range(count(shape))])

    def linear(name, shape):
        put(name + '.weight', shape, 1 / math.sqrt(count(shape[1:])))
        put(name + '.bias', shape[:1], 0.1)

    def norm(name, width, bias=True):
        put(name + '.weight', [width], 0.1, 1.0)
        if bias:
            put(name + '.bias', [width], 0.1)

    linear('patch_embedding', [inner, CONFIG['in_channels'], 1, 2, 2])
    linear('ref_conv', [inner, CONFIG['in_dim_ref_conv'], 2, 2])
    embedder = 'condition_embedder.'
    linear(embedder + 'time_embedder.linear_1', [inner, CONFIG['freq_dim']])
    linear(embedder + 'time_embedder.linear_2', [inner, inner])
    linear(embedder + 'time_proj', [6 * inner, inner])
    linear(embedder + 'text_embedder.linear_1', [inner, CONFIG['text_dim']])
    linear(embedder + 'text_embedder.linear_2', [inner, inner])
    norm(embedder + 'image_embedder.norm1', CONFIG['image_dim'])
    linear(embedder + 'image_embedder.ff.net.0.proj', [CONFIG['image_dim'], CONFIG['image_dim']])
    linear(embedder + 'image_embedder.ff.net.2', [inner, CONFIG['image_dim']])
    norm(embedder + 'image_embedder.norm2', inner)
    for index in range(CONFIG['num_layers']):
        name = f'blocks.{index}.'
        put(name + 'scale_shift_table', [1, 6, inner], 0.2)
        for attention in ('attn1.', 'attn2.'):
            for layer in ('to_q', 'to_k', 'to_v', 'to_out.0'):
                linear(name + attention + layer, [inner, inner])
            norm(name + attention + 'norm_q', inner, False)
            norm(name + attention + 'norm_k', inner, False)
        linear(name + 'attn2.add_k_proj', [inner, inner])
        linear(name + 'attn2.add_v_proj', [inner, inner])
        norm(name + 'attn2.norm_added_k', inner, False)
        norm(name + 'norm2', inner)
        linear(name + 'ffn.net.0.proj', [ffn, inner])
        linear(name + 'ffn.net.2', [inner, ffn])
    put('scale_shift_table', [1, 2, inner], 0.2)
    linear('proj_out', [4 * CONFIG['out_channels'], inner])
    return tensors


def randoms(shape):
    return [f32(random.gauss(0, 1)) for _ in range(count(shape))]


of_upstream = check_functions()
assert of_upstream < 2e-5, of_upstream
model = Model(CONFIG, make_weights())
# frames, rows, columns, timestep, rows of text, rows of the image, whether there is a reference, whether CLIP
# sees a picture (its embedding is zeros for upstream where there is none)
VARIANTS = {'a': (2, 4, 6, 250, 5, 3, True, True), 'b': (3, 6, 2, 900, 3, 4, True, False),
            'c': (2, 4, 4, 40, 4, 2, False, True)}
tensors = {}
for variant, (frames, rows, columns, timestep, words, parts, refers, sees) in VARIANTS.items():
    shape = [CONFIG['in_channels'], frames, rows, columns]
    latents = randoms(shape)
    text = randoms([words, CONFIG['text_dim']])
    image = randoms([parts, CONFIG['image_dim']]) if sees else [0.0] * (parts * CONFIG['image_dim'])
    reference = ([4, rows, columns], randoms([4, rows, columns])) if refers else None
    given = (latents, shape, timestep, rows_of(text, CONFIG['text_dim']), rows_of(image, CONFIG['image_dim']))
    out, steps = forward(model, *given, reference)
    if variant == 'a':
        again = second_forward(model, *given, reference)
        of_second = max(abs(x - y) for x, y in zip(out, again))
        assert of_second < 1e-12, of_second
    name = variant + '.in.'
    tensors[name + 'hidden_states'] = ([1, *shape], latents)
    tensors[name + 'timestep'] = ([1], [float(timestep)])
    tensors[name + 'encoder_hidden_states'] = ([1, words, CONFIG['text_dim']], text)
    tensors[name + 'encoder_hidden_states_image'] = ([1, parts, CONFIG['image_dim']], image)
    if refers:
        tensors[name + 'reference_hidden_states'] = ([1, *reference[0]], reference[1])
    tensors[variant + '.out'] = ([1, CONFIG['out_channels'], frames, rows, columns], out)
save('io.safetensors', tensors)
save('weights.safetensors', model.tensors)
(HERE / 'config.json').write_text(json.dumps(CONFIG, indent=1) + '\n')
(HERE / 'case.json').write_text(json.dumps({
    'kind': 'dit', 'class': 'WanTransformer3DModel', 'tolerance': {'abs': 5e-05, 'rel': 2e-05}}, indent=1) + '\n')
print(f'dit_i2v_clip: {of_upstream:.2e}; a by the second formulas: {of_second:.2e}')
