# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints of a model that export.py wrote, to train on from: its weights as they were stored, no state of a training.

    python3 import_model.py ../../resources/models/tiny-wan-t2v --dit runs/t2v-1.pt --vae runs/vae.pt
"""
import argparse
import json
import os

import torch

from tinywan import safetensors_io


def settings(model, part):
    with open(os.path.join(model, part, "config.json"), encoding="utf-8") as file:
        return json.load(file)


def weights(model, part, name):
    tensors = safetensors_io.read(os.path.join(model, part, name))
    return {key: value.float() for key, value in tensors.items()}


def chosen(config, names):
    return {name: config[name] for name in names}


def statistics(config):
    """Mean and spread of the latents, one number for each channel."""
    return torch.tensor(config["latents_mean"]), torch.tensor(config["latents_std"])


def transformer_checkpoint(model):
    transformer, text = settings(model, "transformer"), settings(model, "text_encoder")
    mean, std = statistics(settings(model, "vae"))
    return dict(dit=weights(model, "transformer", "diffusion_pytorch_model.safetensors"),
                text=weights(model, "text_encoder", "model.safetensors"),
                dit_cfg=chosen(transformer, ("num_attention_heads", "attention_head_dim", "in_channels", "out_channels",
                                             "text_dim", "freq_dim", "ffn_dim", "num_layers", "eps")),
                text_cfg=chosen(text, ("vocab_size", "d_model", "num_layers", "num_heads", "d_kv", "d_ff")),
                mean=mean, std=std, step=0)


def vae_checkpoint(model):
    cfg = chosen(settings(model, "vae"), ("base_dim", "z_dim", "dim_mult", "num_res_blocks", "temperal_downsample"))
    return dict(vae=weights(model, "vae", "diffusion_pytorch_model.safetensors"), cfg=cfg, step=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", help="folder of the model")
    parser.add_argument("--dit", help="checkpoint of transformer and text encoder to write")
    parser.add_argument("--vae", help="checkpoint of the autoencoder to write")
    a = parser.parse_args()
    if not (a.dit or a.vae):
        parser.error("nothing to write: name --dit, --vae or both")
    if a.dit:
        torch.save(transformer_checkpoint(a.model), a.dit)
    if a.vae:
        torch.save(vae_checkpoint(a.model), a.vae)


if __name__ == "__main__":
    main()
