# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthetic clips and what is said of them.

    tables         names and values: colours, backgrounds, figures, motions
    specification  Scene: what a clip shows, drawn at random
    captions       a scene in English and Chinese words
    distance       signed distance functions of the primitives
    figures        figures as parts (primitives with a place of their own)
    motion         where an actor is in every frame
    renderer       many scenes at once as one tensor, on any device
"""
