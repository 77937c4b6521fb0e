// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/scene_vocabulary.h"

#include <algorithm>
#include <array>

namespace meshreel {
namespace {

constexpr std::array<NamedColour, 8> colours{{{"red", {222, 38, 40}},
                                              {"green", {40, 190, 70}},
                                              {"blue", {45, 90, 240}},
                                              {"yellow", {248, 220, 40}},
                                              {"purple", {150, 50, 205}},
                                              {"orange", {250, 135, 20}},
                                              {"cyan", {50, 215, 230}},
                                              {"white", {245, 245, 245}}}};
constexpr std::array<NamedColour, 5> backgrounds{{{"black", {6, 6, 8}},
                                                  {"white", {238, 238, 238}},
                                                  {"gray", {128, 128, 128}},
                                                  {"navy", {14, 24, 84}},
                                                  {"dark green", {14, 66, 34}}}};
constexpr std::array<std::string_view, 5> shapes{"ball", "square", "triangle", "star", "ring"};
constexpr std::array<std::string_view, 4> directions{"right", "left", "up", "down"};
constexpr std::array<std::string_view, 5> otherMotions{"bouncing", "spinning", "growing", "shrinking",
                                                       "still"};

}  // namespace

std::span<const NamedColour> objectColours() {
    return colours;
}

std::span<const NamedColour> backgroundColours() {
    return backgrounds;
}

std::span<const std::string_view> shapeNames() {
    return shapes;
}

std::span<const std::string_view> directionNames() {
    return directions;
}

std::span<const std::string_view> otherMotionNames() {
    return otherMotions;
}

bool isDirection(std::string_view motion) {
    return std::ranges::find(directions, motion) != directions.end();
}

}  // namespace meshreel
