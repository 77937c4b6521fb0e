# SPDX-License-Identifier: GPL-3.0-or-later
"""The prompts that `meshreel evaluate` asks. What they ask for is never trained on."""
import json
import os
import unicodedata

PROMPTS = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "resources",
                                        "evaluation", "held-out-prompts.json"))


def read_prompts(path=PROMPTS):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["prompts"]


def combinations(path=PROMPTS):
    """Of shape, colour, motion and background: the scenes that are never drawn for training."""
    return frozenset((p["shape"], p["color"], p["motion"], p["background"]) for p in read_prompts(path))


def normalised(caption):
    return " ".join(unicodedata.normalize("NFKC", caption).lower().rstrip(".").split())


def texts(path=PROMPTS):
    """What no caption may be, whatever it describes."""
    return frozenset(normalised(p["prompt"]) for p in read_prompts(path))
