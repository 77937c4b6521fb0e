// SPDX-License-Identifier: GPL-3.0-or-later
#include "drawn_clip.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/measure/evaluation/scene_clip.h"

namespace meshreel::testing {
namespace {

constexpr double pi = std::numbers::pi;
constexpr int samples = 4;  // a pixel is this many squared points

/// A point relative to the subject's centre, in its radii.
struct Point {
    double x;
    double y;
};

struct Pose {
    double x;  // pixels
    double y;
    double radius;
    double angle;
};

bool inTriangle(const Point& p) {
    const double half = 0.95 * std::numbers::sqrt3 / 2.0;
    return p.y < 0.475 && std::abs(p.x) < (p.y + 0.95) * half / 1.425;
}

bool inStar(const Point& p) {
    const double outer = 1.12;
    const double sector = 2.0 * pi / 5.0;
    double angle = std::fmod(std::atan2(p.x, -p.y) + 2.0 * pi + sector / 2.0, sector) - sector / 2.0;
    angle = std::abs(angle);
    const double distance = std::hypot(p.x, p.y);
    const double x = distance * std::cos(angle);
    const double y = distance * std::sin(angle);
    const double cornerX = outer * 0.45 * std::cos(sector / 2.0);
    const double cornerY = outer * 0.45 * std::sin(sector / 2.0);
    return (x - outer) * cornerY - y * (cornerX - outer) < 0.0;
}

/// `p` moved by `bend` on average, along with all about it.
Point bent(const DrawnScene& scene, const Point& p) {
    const double turn = 40.0 * scene.phase;
    return {p.x + scene.bend * (std::sin(2.9 * p.y + turn) + std::sin(2.3 * p.x + 2.3 * turn)),
            p.y + scene.bend * (std::sin(2.6 * p.x + 3.1 * turn) + std::sin(3.1 * p.y + 4.7 * turn))};
}

/// `p` as the subject is turned; a ring turns about its vertical axis.
bool contains(const DrawnScene& scene, Point p, double angle) {
    if (scene.shape == "ball")
        return std::hypot(p.x, p.y) < 1.0;
    if (scene.shape == "ring") {
        const double narrow = scene.motion == "spinning" ? std::max(0.18, std::abs(std::cos(angle))) : 1.0;
        const double distance = std::hypot(p.x / narrow, p.y);
        return distance < 1.0 && distance > 0.56;
    }
    p = {std::cos(angle) * p.x + std::sin(angle) * p.y, -std::sin(angle) * p.x + std::cos(angle) * p.y};
    if (scene.shape == "square")
        return std::max(std::abs(p.x), std::abs(p.y)) < 0.84;
    return scene.shape == "triangle" ? inTriangle(p) : inStar(p);
}

double shadeAt(const DrawnScene& scene, const Point& p, double angle) {
    if (scene.shape != "ball")
        return 0.97 - 0.17 * (0.5 * p.x + 0.75 * p.y);
    const double light = (scene.motion == "spinning" ? angle : 0.0) - 0.88;
    const double depth = std::sqrt(std::max(0.0, 1.0 - p.x * p.x - p.y * p.y));
    return 0.52 +
           0.55 * std::max(0.0, 0.78 * (p.x * std::sin(light) - p.y * std::cos(light)) + 0.626 * depth);
}

Pose poseAt(const DrawnScene& scene, double time) {
    const auto width = static_cast<double>(scene.width);
    const auto height = static_cast<double>(scene.height);
    const double r = scene.radius * height;
    const double margin = 1.15 * r;
    const double off = (scene.phase - 0.5) * 0.4 * (height - 2.0 * margin);
    Pose pose{0.5 * width + off, 0.5 * height + off, r, scene.tilt};
    const auto along = [&](double length, double share) { return margin + (length - 2.0 * margin) * share; };
    if (scene.motion == "right" || scene.motion == "left")
        pose.x = along(width, scene.motion == "right" ? time : 1.0 - time);
    else if (scene.motion == "down" || scene.motion == "up")
        pose.y = along(height, scene.motion == "down" ? time : 1.0 - time);
    else if (scene.motion == "bouncing")
        pose.y = along(height, 1.0 - 0.8 * std::abs(std::sin(pi * (2.0 * time + scene.phase))));
    else if (scene.motion == "spinning")
        pose.angle += time * pi * 1.1;
    else if (scene.motion == "growing" || scene.motion == "shrinking") {
        const double share = scene.motion == "growing" ? time : 1.0 - time;
        pose = {0.5 * width, 0.5 * height, height * (0.1 + 0.25 * share), scene.tilt};
    }
    return pose;
}

const Colour& valueOf(std::span<const NamedColour> colours, std::string_view name) {
    return std::ranges::find(colours, name, &NamedColour::name)->value;
}

Colour pixelAt(const DrawnScene& scene, const Pose& pose, std::int64_t y, std::int64_t x) {
    const Colour& colour = valueOf(objectColours(), scene.colour);
    const Colour& background = valueOf(backgroundColours(), scene.background);
    const double light = 1.07 - 0.14 * static_cast<double>(y) / static_cast<double>(scene.height);
    Colour sum{};
    for (int i = 0; i < samples; ++i)
        for (int j = 0; j < samples; ++j) {
            const Point p{(static_cast<double>(x) + (j + 0.5) / samples - pose.x) / pose.radius,
                          (static_cast<double>(y) + (i + 0.5) / samples - pose.y) / pose.radius};
            const bool inside = contains(scene, bent(scene, p), pose.angle);
            for (std::size_t c = 0; c < sum.size(); ++c)
                sum[c] += std::min(
                    255.0, inside ? colour[c] * shadeAt(scene, p, pose.angle) : background[c] * light);
        }
    for (double& channel : sum)
        channel /= samples * samples;
    return sum;
}

}  // namespace

Tensor drawClip(const DrawnScene& scene) {
    Tensor clip = Tensor::empty({scene.frames, scene.height, scene.width, 3}, DType::U8);
    auto out = clip.data<std::uint8_t>().begin();
    for (std::int64_t frame = 0; frame < scene.frames; ++frame) {
        const Pose pose = poseAt(scene, static_cast<double>(frame) / static_cast<double>(scene.frames - 1));
        for (std::int64_t y = 0; y < scene.height; ++y)
            for (std::int64_t x = 0; x < scene.width; ++x)
                for (const double channel : pixelAt(scene, pose, y, x))
                    *out++ = static_cast<std::uint8_t>(std::lround(channel));
    }
    return clip;
}

Tensor blurred(const Tensor& frames, std::int64_t reach) {
    const ClipPixels clip(frames);
    Tensor result = frames.clone();
    auto out = result.data<std::uint8_t>().begin();
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y < clip.height(); ++y)
            for (std::int64_t x = 0; x < clip.width(); ++x) {
                Colour sum{};
                double pixels = 0.0;
                for (std::int64_t dy = -reach; dy <= reach; ++dy)
                    for (std::int64_t dx = -reach; dx <= reach; ++dx)
                        if (clip.has(y + dy, x + dx)) {
                            const Colour colour = clip.at(frame, y + dy, x + dx);
                            for (std::size_t c = 0; c < sum.size(); ++c)
                                sum[c] += colour[c];
                            pixels += 1.0;
                        }
                for (const double channel : sum)
                    *out++ = static_cast<std::uint8_t>(std::lround(channel / pixels));
            }
    return result;
}

}  // namespace meshreel::testing
