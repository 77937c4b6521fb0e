# SPDX-License-Identifier: GPL-3.0-or-later
"""A reader for SentencePiece unigram vocabularies."""
import struct
import unicodedata

import torch


def _fields(buf):
    """Iterate (field number, value) of a protobuf message."""
    i, n = 0, len(buf)

    def varint(i):
        v = s = 0
        while True:
            b = buf[i]
            i += 1
            v |= (b & 127) << s
            s += 7
            if b < 128:
                return v, i
    while i < n:
        key, i = varint(i)
        kind = key & 7
        if kind == 0:
            v, i = varint(i)
        elif kind == 1:
            v, i = buf[i:i + 8], i + 8
        elif kind == 2:
            ln, i = varint(i)
            v, i = buf[i:i + ln], i + ln
        else:
            v, i = buf[i:i + 4], i + 4
        yield key >> 3, v


PAD, END = 0, 1                     # ids of T5; unknown is 2


def empty_caption(captions):
    """[1, L], of the same kind as ids [B, L]."""
    row = torch.zeros_like(captions[:1])
    row[:, 0].fill_(END)                # a kernel, where an assignment would copy from the host
    return row


class Tokenizer:
    """Unigram segmentation with the best total score."""

    def __init__(self, path):
        self.pieces, self.score, kinds = [], {}, []
        for f, v in _fields(open(path, "rb").read()):
            if f == 1:
                d = dict(_fields(v))
                piece, score, kind = d[1].decode(), struct.unpack("<f", d[2])[0], d.get(3, 1)
                kinds.append(kind)
                if kind == 1:
                    self.score[piece] = (score, len(self.pieces))
                self.pieces.append(piece)
        self.longest = max(map(len, self.score))
        self.unk = kinds.index(2)
        self.unk_score = min(s for s, _ in self.score.values()) - 10.0
        self.cache = {}

    def __len__(self):
        return len(self.pieces)

    def _word(self, w):
        if w not in self.cache:
            best = [(0.0, 0, 0)] + [(-1e9, 0, 0)] * len(w)
            for e in range(1, len(w) + 1):
                for s in range(max(0, e - self.longest), e):
                    sc, idx = self.score.get(w[s:e], (None, None))
                    if sc is None:
                        if e - s > 1:
                            continue
                        sc, idx = self.unk_score, self.unk
                    if best[s][0] + sc > best[e][0]:
                        best[e] = (best[s][0] + sc, s, idx)
            ids, e = [], len(w)
            while e:
                ids.append(best[e][2])
                e = best[e][1]
            out = []
            for i in reversed(ids):
                if not (i == self.unk and out and out[-1] == self.unk):
                    out.append(i)
            self.cache[w] = out
        return self.cache[w]

    def encode(self, text):
        return [i for w in unicodedata.normalize("NFKC", text).split() for i in self._word("\u2581" + w)] + [END]

    def padded(self, texts, length):
        """Ids [B, length], zeros for padding; longer texts are cut."""
        rows = [self.encode(text) for text in texts]
        rows = [row if len(row) <= length else row[:length - 1] + [END] for row in rows]
        return torch.tensor([row + [PAD] * (length - len(row)) for row in rows])
