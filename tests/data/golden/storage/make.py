#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the files of this golden case: random blocks, and what upstream's formulas make of them.

The formulas are written anew from dequantize_row_* of llama.cpp (ggml/src/ggml-quants.c) and from
dequantize_nvfp4, dequantize_mxfp8 and the int8 functions of comfy-kitchen (backends/eager/quantization.py,
tensor/int8_utils.py). Every element is computed alone, from the description of its format. Plain Python.
"""
import json
import math
import pathlib
import random
import struct

HERE = pathlib.Path(__file__).parent
random.seed(43)


def f32(value):
    """Rounds to binary32, as upstream's arithmetic does after every operation."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def half(value):
    return struct.pack("<e", value)


def half_at(block, at):
    return struct.unpack("<e", block[at:at + 2])[0]


# ---- GGUF ----
CURVE = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)
TYPES = {  # number, elements, bytes, places of the halves
    "Q2_K": (10, 256, 84, (80, 82)),
    "Q3_K": (11, 256, 110, (108,)),
    "IQ4_NL": (20, 32, 18, (0,)),
    "IQ4_XS": (23, 256, 136, (0,)),
}


def pair(block, start, i):
    return block[start + i // 128 * 32 + i % 32] >> 2 * (i % 128 // 32) & 3


def q2_k(block, i):
    scales = block[i // 16]
    low = f32(half_at(block, 80) * (scales & 15))
    return f32(f32(low * pair(block, 16, i)) - f32(half_at(block, 82) * (scales >> 4)))


def q3_k(block, i):
    group = i // 16
    low = block[96 + group % 8] >> (0 if group < 8 else 4) & 15
    high = block[104 + group % 4] >> 2 * (group // 4) & 3
    third = block[i % 32] >> i // 32 & 1
    return f32(f32(half_at(block, 108) * ((low | high << 4) - 32)) * (pair(block, 32, i) - (0 if third else 4)))


def nibble(block, start, i):
    return block[start + i % 16] >> (0 if i < 16 else 4) & 15


def iq4_nl(block, i):
    return f32(half_at(block, 0) * CURVE[nibble(block, 2, i)])


def iq4_xs(block, i):
    group = i // 32
    low = block[4 + group // 2] >> 4 * (group % 2) & 15
    high = struct.unpack("<H", block[2:4])[0] >> 2 * group & 3
    scale = f32(half_at(block, 0) * ((low | high << 4) - 32))
    return f32(scale * CURVE[nibble(block, 8 + 16 * group, i % 32)])


ELEMENT = {"Q2_K": q2_k, "Q3_K": q3_k, "IQ4_NL": iq4_nl, "IQ4_XS": iq4_xs}


def gguf_tensors(rows=3, columns=512):
    tensors, outputs = [], {}
    for name, (number, elements, size, halves) in TYPES.items():
        data, values = b"", []
        for _ in range(rows * columns // elements):
            block = bytearray(random.randbytes(size))
            for at in halves:
                block[at:at + 2] = half(random.uniform(-0.1, 0.1))
            data += block
            values += [ELEMENT[name](bytes(block), i) for i in range(elements)]
        tensors.append((name + ".weight", number, (rows, columns), data))
        outputs["storage.gguf:" + name + ".weight"] = ((rows, columns), values)
    return tensors, outputs


def write_gguf(path, tensors):
    text = lambda value: struct.pack("<Q", len(value)) + value.encode()
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 0)
    body = b""
    for name, number, shape, data in tensors:
        head += text(name) + struct.pack("<I", len(shape))
        head += b"".join(struct.pack("<Q", extent) for extent in reversed(shape))
        head += struct.pack("<IQ", number, len(body))
        body += data + b"\0" * (-len(data) % 32)
    head += b"\0" * (-len(head) % 32)
    path.write_bytes(head + body)


# ---- ComfyUI ----
E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0)
H4 = ((1, 1, 1, -1), (1, 1, -1, 1), (1, -1, 1, 1), (-1, 1, 1, 1))


def e4m3(bits):
    sign = -1.0 if bits & 128 else 1.0
    exponent, mantissa = bits >> 3 & 15, bits & 7
    return sign * (mantissa / 8 * 2.0 ** -6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7))


def description(**keys):
    text = json.dumps(keys).encode()
    return "U8", (len(text),), text


def up(value, multiple):
    return -(-value // multiple) * multiple


def blocked(scales, rows, columns):
    """to_blocked(): [rows, columns] in tiles of 128 rows and 4 columns; in a tile the byte of (r, c) is at
    (r % 32) * 16 + (r // 32) * 4 + c."""
    tall, wide = up(rows, 128), up(columns, 4)
    out = bytearray(tall * wide)
    for r in range(rows):
        for c in range(columns):
            tile = (r // 128) * (wide // 4) + c // 4
            out[tile * 512 + r % 32 * 16 + r % 128 // 32 * 4 + c % 4] = scales[r][c]
    return (tall, wide), bytes(out)


def hadamard(i, j, size):
    value = 1
    while size > 1:
        value *= H4[i % 4][j % 4]
        i, j, size = i // 4, j // 4, size // 4
    return value


def int8(file, outputs, name, rows, columns, per_row, group):
    numbers = [random.randrange(-127, 128) for _ in range(rows * columns)]
    scales = [f32(random.uniform(0.001, 0.01)) for _ in range(rows if per_row else 1)]
    values = [f32(q * scales[i // columns if per_row else 0]) for i, q in enumerate(numbers)]
    keys = {"format": "int8_tensorwise"}
    if group:
        keys.update(convrot=True, convrot_groupsize=group)
        turned = []
        for i in range(len(values)):
            first = i // group * group
            turned.append(f32(sum(values[first + k] * hadamard(k, i - first, group) for k in range(group)) / math.sqrt(group)))
        values = turned
    file[name + ".weight"] = ("I8", (rows, columns), struct.pack(f"<{len(numbers)}b", *numbers))
    file[name + ".weight_scale"] = ("F32", (rows, 1) if per_row else (), struct.pack(f"<{len(scales)}f", *scales))
    file[name + ".comfy_quant"] = description(**keys)
    outputs["comfy.safetensors:" + name + ".weight"] = ((rows, columns), values)


def nvfp4(file, outputs, name, rows, columns):
    blocks = columns // 16
    codes = [random.randrange(16) for _ in range(rows * columns)]
    scales = [[random.randrange(0x20, 0x60) for _ in range(blocks)] for _ in range(rows)]
    whole = f32(0.0173)
    values = []
    for i, code in enumerate(codes):
        r, c = divmod(i, columns)
        values.append(f32(E2M1[code] * f32(whole * e4m3(scales[r][c // 16]))))
    packed = bytes(codes[i] << 4 | codes[i + 1] for i in range(0, len(codes), 2))  # the first number above
    file[name + ".weight"] = ("U8", (rows, columns // 2), packed)
    file[name + ".weight_scale"] = ("F8_E4M3", *blocked(scales, rows, blocks))
    file[name + ".weight_scale_2"] = ("F32", (), struct.pack("<f", whole))
    file[name + ".comfy_quant"] = description(format="nvfp4")
    outputs["comfy.safetensors:" + name + ".weight"] = ((rows, columns), values)


def mxfp8(file, outputs, name, rows, columns, scale_type):
    blocks = columns // 32
    bits = [random.choice((0, 128)) | random.randrange(0x7F) for _ in range(rows * columns)]
    scales = [[random.randrange(110, 130) for _ in range(blocks)] for _ in range(rows)]
    values = []
    for i, number in enumerate(bits):
        r, c = divmod(i, columns)
        values.append(f32(e4m3(number) * 2.0 ** (scales[r][c // 32] - 127)))
    file[name + ".weight"] = ("F8_E4M3", (rows, columns), bytes(bits))
    file[name + ".weight_scale"] = (scale_type, *blocked(scales, rows, blocks))
    file[name + ".comfy_quant"] = description(format="mxfp8")
    outputs["comfy.safetensors:" + name + ".weight"] = ((rows, columns), values)


def turbo(file, outputs, name, rows, columns):
    """TurboDiffusion: a scale for each square of 128, the last ones not full."""
    square = 128
    across, down = -(-columns // square), -(-rows // square)
    numbers = [random.randrange(-128, 128) for _ in range(rows * columns)]
    scales = [f32(random.uniform(0.001, 0.01)) for _ in range(down * across)]
    values = [f32(q * scales[i // columns // square * across + i % columns // square]) for i, q in enumerate(numbers)]
    file[name + ".int8_weight"] = ("I8", (rows, columns), struct.pack(f"<{len(numbers)}b", *numbers))
    file[name + ".scale"] = ("F32", (down, across), struct.pack(f"<{len(scales)}f", *scales))
    outputs["turbo.safetensors:" + name + ".weight"] = ((rows, columns), values)


def write_safetensors(path, tensors):
    header, body = {}, b""
    for name, (dtype, shape, data) in sorted(tensors.items()):
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def main():
    tensors, outputs = gguf_tensors()
    write_gguf(HERE / "storage.gguf", tensors)
    file = {}
    int8(file, outputs, "int8", 5, 48, per_row=False, group=0)
    int8(file, outputs, "int8_rows", 5, 48, per_row=True, group=0)
    int8(file, outputs, "convrot_256", 3, 512, per_row=True, group=256)
    int8(file, outputs, "convrot_16", 3, 48, per_row=True, group=16)
    nvfp4(file, outputs, "nvfp4", 150, 80)  # more than one tile both ways, the last ones not full
    mxfp8(file, outputs, "mxfp8", 40, 160, "U8")
    mxfp8(file, outputs, "mxfp8_e8m0", 5, 64, "F8_E8M0")
    write_safetensors(HERE / "comfy.safetensors", file)
    file = {}
    turbo(file, outputs, "squares", 150, 300)
    turbo(file, outputs, "small", 5, 48)
    write_safetensors(HERE / "turbo.safetensors", file)
    io = {name: ("F32", shape, struct.pack(f"<{len(values)}f", *values)) for name, (shape, values) in outputs.items()}
    write_safetensors(HERE / "io.safetensors", io)


main()
