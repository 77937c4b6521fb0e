# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and values that scenes are made of. `meshreel evaluate` knows the same colours, backgrounds and shapes
(engine/measure/evaluation/scene_clip.h)."""

COLORS = {
    "red": (222, 38, 40), "green": (40, 190, 70), "blue": (45, 90, 240), "yellow": (248, 220, 40),
    "purple": (150, 50, 205), "orange": (250, 135, 20), "cyan": (50, 215, 230), "white": (245, 245, 245),
}
BACKGROUNDS = {
    "black": (6, 6, 8), "white": (238, 238, 238), "gray": (128, 128, 128), "navy": (14, 24, 84),
    "dark green": (14, 66, 34),
}
SHAPES = ["ball", "square", "triangle", "star", "ring"]
CREATURES = ["fish", "bird", "snail"]
VEHICLES = ["car", "boat", "rocket"]
FIGURES = SHAPES + CREATURES + VEHICLES

DIRECTIONS = ["right", "left", "up", "down"]
OTHER_MOTIONS = ["bouncing", "spinning", "growing", "shrinking", "still"]
MOTIONS = DIRECTIONS + OTHER_MOTIONS
# Of training scenes: what is harder to draw comes more often.
SHARES_OF_BACKGROUNDS = {"black": 0.16, "white": 0.18, "gray": 0.28, "navy": 0.18, "dark green": 0.20}
# Of those of one shape.
SHARES_OF_SHAPES = {"ball": 0.10, "square": 0.21, "triangle": 0.24, "star": 0.33, "ring": 0.12}
SHARES_OF_MOTIONS = {"right": 0.12, "left": 0.12, "up": 0.12, "down": 0.12, "bouncing": 0.18, "spinning": 0.14,
                     "growing": 0.05, "shrinking": 0.05, "still": 0.10}
# What a figure with a front and an underside does.
MOTIONS_OF = {"fish": ["right", "left", "still"], "bird": ["right", "left", "up", "still"], "snail": ["right", "left"],
              "car": ["right", "left", "still"], "boat": ["right", "left", "still"], "rocket": ["up", "still"]}

# A landscape instead of a plain background: colours of the sky's top, the sky's foot, the ground, and its light.
LANDSCAPES = {
    "day": dict(top=(96, 160, 235), foot=(200, 226, 250), ground=(86, 150, 70), light=(250, 235, 130)),
    "night": dict(top=(8, 10, 34), foot=(30, 34, 78), ground=(20, 44, 30), light=(225, 228, 235)),
}
