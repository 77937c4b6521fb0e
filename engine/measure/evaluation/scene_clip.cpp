// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/evaluation/scene_clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {

ClipPixels::ClipPixels(Tensor frames) : m_frames(std::move(frames)) {
    constexpr std::int64_t fewestFrames = 2;
    constexpr std::int64_t smallestSide = 16;
    const Shape& shape = m_frames.shape();
    if (m_frames.dtype() != DType::U8 || shape.rank() != 4 || shape[3] != 3 || shape[0] < fewestFrames ||
        shape[1] < smallestSide || shape[2] < smallestSide)
        throw Error(ErrorKind::Internal,
                    "a clip to measure is u8 [time >= 2, height >= 16, width >= 16, 3], not " + shape.text());
}

double largestDifference(const Colour& a, const Colour& b) {
    double largest = 0.0;
    for (std::size_t c = 0; c < a.size(); ++c)
        largest = std::max(largest, std::abs(a[c] - b[c]));
    return largest;
}

double euclideanDistance(const Colour& a, const Colour& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double computeUpperMedian(std::vector<double> values) {
    if (values.empty())
        return 0.0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

Colour medianColour(const std::vector<Colour>& pixels) {
    Colour median{};
    for (std::size_t c = 0; c < median.size(); ++c) {
        std::vector<double> values;
        values.reserve(pixels.size());
        for (const Colour& pixel : pixels)
            values.push_back(pixel[c]);
        median[c] = computeUpperMedian(std::move(values));
    }
    return median;
}

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

namespace {

std::int64_t cornerSize(const ClipPixels& clip) {
    constexpr std::int64_t cornersOfASide = 16;
    return std::max<std::int64_t>(2, clip.height() / cornersOfASide);
}

/// The colour of both corners that begin at row `firstRow`.
Colour cornerColour(const ClipPixels& clip, std::int64_t firstRow) {
    const std::int64_t size = cornerSize(clip);
    std::vector<Colour> pixels;
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = firstRow; y < firstRow + size; ++y)
            for (std::int64_t x = 0; x < size; ++x) {
                pixels.push_back(clip.at(frame, y, x));
                pixels.push_back(clip.at(frame, y, clip.width() - 1 - x));
            }
    return medianColour(pixels);
}

Colour between(const Colour& a, const Colour& b, double share) {
    Colour mixed{};
    for (std::size_t c = 0; c < mixed.size(); ++c)
        mixed[c] = a[c] + (b[c] - a[c]) * share;
    return mixed;
}

}  // namespace

PlainBackground::PlainBackground(const ClipPixels& clip)
    : m_top(cornerColour(clip, 0)),
      m_foot(cornerColour(clip, clip.height() - cornerSize(clip))),
      m_height(static_cast<double>(clip.height())) {}

Colour PlainBackground::at(std::int64_t y) const {
    return between(m_top, m_foot, static_cast<double>(y) / m_height);
}

std::string_view PlainBackground::name() const {
    const Colour seen = between(m_top, m_foot, 0.5);
    return std::ranges::min_element(
               backgroundColours(), {},
               [&](const NamedColour& row) { return euclideanDistance(seen, row.value); })
        ->name;
}

namespace {

constexpr double leastDifference = 22.0;  // levels; what a background's own unevenness stays below
constexpr double shareOfContrast = 0.25;  // part of it at which a subject's darkest side still shows
constexpr double contrastQuantile = 0.9;
constexpr double leastShareOfPicture = 0.004;
constexpr double mostShareOfPicture = 0.7;

std::vector<double> differences(const ClipPixels& clip, const PlainBackground& background) {
    std::vector<double> all;
    all.reserve(static_cast<std::size_t>(clip.frames() * clip.pixelsOfFrame()));
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y < clip.height(); ++y) {
            const Colour behind = background.at(y);
            for (std::int64_t x = 0; x < clip.width(); ++x)
                all.push_back(largestDifference(clip.at(frame, y, x), behind));
        }
    return all;
}

double measureContrast(const std::vector<double>& differences) {
    std::vector<double> visible;
    std::ranges::copy_if(differences, std::back_inserter(visible),
                         [](double value) { return value > leastDifference; });
    if (visible.empty())
        return 0.0;
    const auto place =
        static_cast<std::ptrdiff_t>(contrastQuantile * static_cast<double>(visible.size() - 1));
    std::ranges::nth_element(visible, visible.begin() + place);
    return visible[static_cast<std::size_t>(place)];
}

}  // namespace

Subject::Subject(const ClipPixels& clip, const PlainBackground& background)
    : m_height(clip.height()), m_width(clip.width()) {
    const std::vector<double> all = differences(clip, background);
    m_contrast = measureContrast(all);
    const double threshold = std::max(leastDifference, shareOfContrast * m_contrast);
    m_mask.reserve(all.size());
    for (const double value : all)
        m_mask.push_back(value > threshold ? 1 : 0);
    double covered = 0.0;
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame) {
        m_places.push_back(placeIn(frame));
        covered += m_places.back().area;
    }
    const double share = covered / static_cast<double>(all.size());
    m_present = share > leastShareOfPicture && share < mostShareOfPicture;
}

SubjectPlace Subject::placeIn(std::int64_t frame) const {
    SubjectPlace sum;
    for (std::int64_t y = 0; y < m_height; ++y)
        for (std::int64_t x = 0; x < m_width; ++x)
            if (covers(frame, y, x)) {
                sum.area += 1.0;
                sum.x += (static_cast<double>(x) + 0.5) / static_cast<double>(m_width);
                sum.y += (static_cast<double>(y) + 0.5) / static_cast<double>(m_height);
            }
    const double pixels = std::max(sum.area, 1.0);
    return {sum.area, sum.x / pixels, sum.y / pixels};
}

}  // namespace meshreel
