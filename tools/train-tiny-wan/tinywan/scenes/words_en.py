# SPDX-License-Identifier: GPL-3.0-or-later
"""English words of the captions; what stands more than once is drawn more often."""
from .tables import CREATURES, VEHICLES

FIGURE_WORDS = {
    "ball": ["ball"] * 6 + ["circle", "sphere", "disc"],
    "square": ["square"] * 6 + ["box", "block", "cube"],
    "triangle": ["triangle"] * 6 + ["pyramid"],
    "star": ["star"],
    "ring": ["ring"] * 6 + ["hoop", "donut", "circle outline"],
    **{name: [name] for name in CREATURES + VEHICLES},
}
COLOR_WORDS = {"purple": ["purple"] * 4 + ["violet"], "cyan": ["cyan"] * 4 + ["light blue", "turquoise"]}
BACKGROUND_WORDS = {"gray": ["gray", "gray", "grey"], "navy": ["navy"] * 4 + ["dark blue", "navy blue"]}
MOVE_VERBS = ["moving"] * 6 + ["going", "sliding", "flying", "drifting", "traveling", "gliding"]
THIRD_PERSON = {"moving": "moves", "going": "goes", "sliding": "slides", "flying": "flies", "drifting": "drifts",
                "traveling": "travels", "gliding": "glides", "rolling": "rolls"}
MOTION_WORDS = {
    "bouncing": ["bouncing"] * 4 + ["bouncing up and down", "that bounces", "jumping", "bouncing on the ground"],
    "spinning": ["spinning"] * 4 + ["rotating", "turning around", "that spins", "spinning around", "that rotates"],
    "growing": ["growing"] * 4 + ["growing larger", "getting bigger", "that grows", "expanding"],
    "shrinking": ["shrinking"] * 4 + ["getting smaller", "that shrinks", "becoming smaller"],
    "still": ["standing still"] * 2 + ["still", "staying still", "that does not move", "not moving", "at rest"],
}
DIRECTION_WORDS = {
    "right": ["right"] * 3 + ["to the right"] * 3 + ["from left to right", "rightward", "across the screen to the right"],
    "left": ["left"] * 3 + ["to the left"] * 3 + ["from right to left", "leftward", "across the screen to the left"],
    "up": ["up"] * 4 + ["upward", "upwards", "to the top", "from bottom to top"],
    "down": ["down"] * 4 + ["downward", "downwards", "to the bottom", "from top to bottom"],
}
EXTRA_DIRECTION_WORDS = {"up": ["rising", "rising up", "that rises"], "down": ["falling", "falling down", "that falls"]}
