# SPDX-License-Identifier: GPL-3.0-or-later
"""Trained parts back from their checkpoints; also of trainings with other input channels, fewer layers or
another vocabulary."""
import torch

from .dit import WanDiT
from .text_encoder import TextEncoder
from .tokenizer import Tokenizer
from .vae import WanVAE

_ENDS_OF_BRANCHES = ("attn1.to_out.0.", "attn2.to_out.0.", "ffn.net.2.")


def load(path):
    return torch.load(path, map_location="cpu")


def vae_of(checkpoint, device):
    vae = WanVAE(**checkpoint["cfg"])
    vae.load_state_dict(checkpoint["vae"])
    return vae.to(device).requires_grad_(False).eval()


def with_channels(state, fresh):
    """The patch embedding widened to the inputs of `fresh`, an untrained one. New inputs start with a share of its
    random weights: small enough to leave what was learnt as it is, large enough for later layers to notice them."""
    share = 0.3
    weight = state["patch_embedding.weight"]
    wider = torch.cat([weight, share * fresh[:, weight.shape[1]:]], 1)
    return {**state, "patch_embedding.weight": wider}


def with_layers(state, layers):
    """A transformer of more layers that begins as the old one: evenly between the old blocks come copies of the block before
    them whose branches end in zeros (cf. Wu et al. 2024, "LLaMA Pro")."""
    known = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("blocks."))
    if layers < known:
        raise SystemExit(f"--layers {layers}: the checkpoint to start from has {known}; say --layers {known} or more")
    origins = [block * known // layers for block in range(layers)]
    fresh = [block > 0 and origins[block] == origins[block - 1] for block in range(layers)]
    deeper = {name: value for name, value in state.items() if not name.startswith("blocks.")}
    for block, origin in enumerate(origins):
        for name, value in state.items():
            if name.startswith(f"blocks.{origin}."):
                part = name.split(".", 2)[2]
                ends = part.startswith(_ENDS_OF_BRANCHES)
                deeper[f"blocks.{block}.{part}"] = torch.zeros_like(value) if fresh[block] and ends else value
    return deeper


def with_vocabulary(state, old_vocabulary, new_vocabulary, fresh):
    """The embedding carried over by the text of the pieces; new pieces keep what `fresh` has."""
    old, new = Tokenizer(old_vocabulary), Tokenizer(new_vocabulary)
    places = {piece: i for i, piece in enumerate(old.pieces)}
    table = fresh.clone()
    for i, piece in enumerate(new.pieces):
        if piece in places:
            table[i] = state["shared.weight"][places[piece]]
    return {**state, "shared.weight": table}


def mean_of(one, other):
    """A checkpoint for use and as a start; without the state of a training."""
    between = lambda a, b: (a.float() + b.float()) / 2 if a.is_floating_point() else b
    parts = {part: {name: between(one[part][name], value) for name, value in other[part].items()}
             for part in ("dit", "text", "vae") if part in other}
    return {**{key: value for key, value in other.items() if key not in ("state", "step", "seed")}, **parts}


def transformer_of(checkpoint, device):
    """-> transformer, text encoder, mean and std of the latents; for use, not for training."""
    dit = WanDiT(**checkpoint["dit_cfg"])
    dit.load_state_dict(checkpoint["dit"])
    c = checkpoint["text_cfg"]
    text = TextEncoder(c["vocab_size"], c["d_model"], c["num_layers"], c["num_heads"], c["d_kv"], c["d_ff"])
    text.load_state_dict(checkpoint["text"])
    for module in (dit, text):
        module.to(device).requires_grad_(False).eval()
    return dit, text, checkpoint["mean"], checkpoint["std"]
