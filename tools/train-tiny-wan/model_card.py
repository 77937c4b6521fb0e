# SPDX-License-Identifier: GPL-3.0-or-later
"""The README.md of an exported model, with the figures that `meshreel evaluate` measured."""
import json

from tinywan.scenes.tables import BACKGROUNDS, COLORS, CREATURES, SHAPES, VEHICLES

_CARD = """---
license: apache-2.0
pipeline_tag: {tag}
tags: [wan, demo, synthetic]
---
# {name} (demo model)

A **demonstration model**: {millions:.1f} million parameters, trained from scratch on synthetic clips that its recipe
(`tools/train-tiny-wan` of Meshreel) draws itself. It exists so that a Wan runtime has something real to run with no
download. It knows nothing beyond these clips, is not derived from any released Wan model and contains none of its weights.

The module layout is that of {layout} in diffusers folder layout: UMT5 text encoder, diffusion transformer of
{layers} layers with {heads} heads x {head_dim}, feed-forward {ffn}, {channels} input channels, causal 4x8x8 autoencoder of
16 channels (base {base}), flow matching with flow_shift 3.

## What to ask for

    a big yellow star growing on a navy background
    a red ball moving right on a black background

* shapes: {shapes}; creatures and vehicles: {figures}
* colours: {colors}
* motions: moving left / right / up / down, bouncing, spinning, growing, shrinking, standing still
* backgrounds: {backgrounds}; or by day, at night

Suggested settings: 64x64, 17 frames, 20-30 steps, guidance 3, flow shift 3.

## Data and training

Clips and captions (English and Chinese) are generated; no third-party images, video or text were used. {trained}

## Measured

`meshreel evaluate`, {prompts} held-out prompts, {size}, {steps} steps, guidance {guidance}:

| | measured | wanted |
| --- | --- | --- |
{rows}

Licence: Apache-2.0.
"""


def _rows(figures):
    def text(row):
        value = "not measured" if row["value"] is None else f"{row['value']:.1f} {row['unit']}"
        return f"| {row['title']} | {value} | {row['wanted']} |"
    return "\n".join(text(row) for row in figures["figures"])


def model_card(name, transformer, vae, figures_file, trained):
    with open(figures_file, encoding="utf-8") as file:
        figures = json.load(file)
    c = transformer["dit_cfg"]
    images = c["in_channels"] == 36
    parts = (transformer["dit"], transformer["text"], vae["vae"])
    return _CARD.format(
        tag="image-to-video" if images else "text-to-video", name=name,
        millions=sum(v.numel() for part in parts for v in part.values()) / 1e6,
        layout="Wan 2.2 image-to-video without CLIP" if images else "Wan 2.1 text-to-video", layers=c["num_layers"],
        heads=c["num_attention_heads"], head_dim=c["attention_head_dim"], ffn=c["ffn_dim"], channels=c["in_channels"],
        base=vae["cfg"]["base_dim"], shapes=", ".join(SHAPES), figures=", ".join(CREATURES + VEHICLES),
        colors=", ".join(COLORS), backgrounds=", ".join(BACKGROUNDS), trained=trained, prompts=figures["prompts"],
        size=figures["size"], steps=figures["steps"], guidance=figures["guidance"], rows=_rows(figures))
