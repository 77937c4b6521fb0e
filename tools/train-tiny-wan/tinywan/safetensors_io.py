# SPDX-License-Identifier: GPL-3.0-or-later
"""Minimal safetensors reader and writer for torch tensors."""
import json
import struct

import torch

_NAMES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
          torch.int32: "I32", torch.uint8: "U8"}
_TYPES = {v: k for k, v in _NAMES.items()}


def write(path, tensors, metadata=None):
    head, blobs, at = {"__metadata__": metadata or {"format": "pt"}}, [], 0
    for name in sorted(tensors):
        t = tensors[name].detach().cpu().contiguous()
        raw = t.view(torch.int16).numpy() if t.dtype == torch.bfloat16 else t.numpy()
        raw = raw.tobytes()
        head[name] = {"dtype": _NAMES[t.dtype], "shape": list(t.shape), "data_offsets": [at, at + len(raw)]}
        blobs.append(raw)
        at += len(raw)
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)))
        f.write(text)
        for b in blobs:
            f.write(b)


def read(path):
    with open(path, "rb") as f:
        n, = struct.unpack("<Q", f.read(8))
        head, data = json.loads(f.read(n)), f.read()
    out = {}
    for name, d in head.items():
        if name == "__metadata__":
            continue
        a, b = d["data_offsets"]
        out[name] = torch.frombuffer(bytearray(data[a:b]), dtype=_TYPES[d["dtype"]]).reshape(d["shape"])
    return out
