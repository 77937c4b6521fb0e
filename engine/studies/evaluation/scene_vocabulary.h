// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

#include "engine/studies/evaluation/clip.h"

namespace meshreel {

/// The words of the embedded model's simple scenes, with their values, as its recipe
/// (tools/train-tiny-wan/tinywan/scenes/tables.py) draws them.
struct NamedColour {
    std::string_view name;
    Colour value;
};

std::span<const NamedColour> objectColours();
std::span<const NamedColour> backgroundColours();

/// ball, square, triangle, star, ring
std::span<const std::string_view> shapeNames();

/// right, left, up, down
std::span<const std::string_view> directionNames();

/// bouncing, spinning, growing, shrinking, still
std::span<const std::string_view> otherMotionNames();

bool isDirection(std::string_view motion);

}  // namespace meshreel
