// SPDX-License-Identifier: GPL-3.0-or-later
#include "clip_content.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace meshreel::testing {
namespace {

using Colour = std::array<double, 3>;

struct NamedColour {
    const char* name;
    Colour value;
};

// The colours that the embedded model was trained on.
constexpr std::array<NamedColour, 8> objectColours{{{"red", {222, 38, 40}},
                                                    {"green", {40, 190, 70}},
                                                    {"blue", {45, 90, 240}},
                                                    {"yellow", {248, 220, 40}},
                                                    {"purple", {150, 50, 205}},
                                                    {"orange", {250, 135, 20}},
                                                    {"cyan", {50, 215, 230}},
                                                    {"white", {245, 245, 245}}}};
constexpr std::array<NamedColour, 5> backgroundColours{{{"black", {6, 6, 8}},
                                                        {"white", {238, 238, 238}},
                                                        {"gray", {128, 128, 128}},
                                                        {"navy", {14, 24, 84}},
                                                        {"dark green", {14, 66, 34}}}};

constexpr double objectThreshold = 0.17 * 255;  // some channel differs this much from the background
constexpr double darkestShade = 0.6;
constexpr double lightestShade = 1.15;
constexpr std::int64_t cornerSize = 4;
constexpr std::size_t edgeFrames = 2;

double distance(const Colour& a, const Colour& b, double scale = 1.0) {
    double sum = 0.0;
    for (std::size_t c = 0; c < a.size(); ++c)
        sum += (a[c] - scale * b[c]) * (a[c] - scale * b[c]);
    return std::sqrt(sum);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Colour medianColour(const std::vector<Colour>& pixels) {
    Colour result{};
    for (std::size_t c = 0; c < result.size(); ++c) {
        std::vector<double> values;
        for (const Colour& pixel : pixels)
            values.push_back(pixel[c]);
        result[c] = median(std::move(values));
    }
    return result;
}

/// The best fit when the colour may be darkened or lightened as shading does.
double shadedDistance(const Colour& seen, const Colour& named) {
    double dot = 0.0;
    double norm = 0.0;
    for (std::size_t c = 0; c < seen.size(); ++c) {
        dot += seen[c] * named[c];
        norm += named[c] * named[c];
    }
    return distance(seen, named, std::clamp(dot / norm, darkestShade, lightestShade));
}

template <typename Table, typename Distance>
std::string nearestOf(const Table& table, const Colour& seen, Distance&& measure) {
    return std::ranges::min_element(table, {},
                                    [&](const NamedColour& row) { return measure(seen, row.value); })
        ->name;
}

struct Moments {
    double area = 0.0;
    double x = 0.0;
    double y = 0.0;
};

class Clip {
  public:
    explicit Clip(const Tensor& video)
        : frames(video.extent(0)), height(video.extent(1)), width(video.extent(2)), m_pixels(video) {}

    [[nodiscard]] Colour at(std::int64_t t, std::int64_t y, std::int64_t x) const {
        const auto first = static_cast<std::size_t>(((t * height + y) * width + x) * 3);
        const auto data = m_pixels.data<std::uint8_t>();
        return {double(data[first]), double(data[first + 1]), double(data[first + 2])};
    }

    std::int64_t frames;
    std::int64_t height;
    std::int64_t width;

  private:
    const Tensor& m_pixels;
};

Colour backgroundOf(const Clip& clip) {
    std::vector<Colour> corners;
    for (std::int64_t t = 0; t < clip.frames; ++t)
        for (std::int64_t y = 0; y < clip.height; ++y)
            for (std::int64_t x = 0; x < clip.width; ++x)
                if ((y < cornerSize || y >= clip.height - cornerSize) &&
                    (x < cornerSize || x >= clip.width - cornerSize))
                    corners.push_back(clip.at(t, y, x));
    return medianColour(corners);
}

struct MovingObject {
    std::vector<Colour> pixels;    ///< of all frames
    std::vector<Moments> moments;  ///< per frame; x and y as shares of the picture
};

double largestDifference(const Colour& a, const Colour& b) {
    double largest = 0.0;
    for (std::size_t c = 0; c < a.size(); ++c)
        largest = std::max(largest, std::abs(a[c] - b[c]));
    return largest;
}

MovingObject objectOn(const Colour& background, const Clip& clip) {
    MovingObject object;
    for (std::int64_t t = 0; t < clip.frames; ++t) {
        Moments sum;
        for (std::int64_t y = 0; y < clip.height; ++y)
            for (std::int64_t x = 0; x < clip.width; ++x) {
                const Colour pixel = clip.at(t, y, x);
                if (largestDifference(pixel, background) <= objectThreshold)
                    continue;
                object.pixels.push_back(pixel);
                sum.area += 1.0;
                sum.x += static_cast<double>(x) / static_cast<double>(clip.width);
                sum.y += static_cast<double>(y) / static_cast<double>(clip.height);
            }
        const double area = std::max(sum.area, 1.0);
        object.moments.push_back({sum.area, sum.x / area, sum.y / area});
    }
    return object;
}

Moments meanOf(std::span<const Moments> frames) {
    Moments mean;
    for (const Moments& frame : frames) {
        mean.area += frame.area / static_cast<double>(frames.size());
        mean.x += frame.x / static_cast<double>(frames.size());
        mean.y += frame.y / static_cast<double>(frames.size());
    }
    return mean;
}

}  // namespace

ClipContent describeClip(const Tensor& video) {
    const Clip clip(video);
    const Colour background = backgroundOf(clip);
    const MovingObject object = objectOn(background, clip);

    ClipContent content;
    content.background = nearestOf(backgroundColours, background,
                                   [](const Colour& a, const Colour& b) { return distance(a, b); });
    if (object.pixels.empty())
        return content;
    content.colour = nearestOf(objectColours, medianColour(object.pixels), shadedDistance);
    content.shareOfPicture = static_cast<double>(object.pixels.size()) /
                             static_cast<double>(clip.frames * clip.height * clip.width);

    const std::span<const Moments> moments = object.moments;
    const Moments start = meanOf(moments.first(edgeFrames));
    const Moments end = meanOf(moments.last(edgeFrames));
    content.right = end.x - start.x;
    content.down = end.y - start.y;
    return content;
}

}  // namespace meshreel::testing
