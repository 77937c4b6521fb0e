// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/shape_measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <numeric>

namespace meshreel {
namespace {

constexpr std::array<int, 3> orders{3, 4, 5};
using Moments = std::array<double, orders.size()>;

struct FullShape {
    std::string_view name;
    Moments moments;
};

// Mean moments of masks of shapes drawn with radii of 4.5 to 14 pixels, at every angle.
constexpr std::array<FullShape, 4> fullShapes{{{"ball", {0.0, 0.0, 0.0}},
                                               {"triangle", {0.48, 0.0, 0.0}},
                                               {"square", {0.0, 0.25, 0.0}},
                                               {"star", {0.0, 0.0, 0.48}}}};
constexpr double core = 0.35;          // radius of the middle, in that of a ball of the same spread
constexpr double hollow = 0.5;         // a ring covers less of its core
constexpr double fewestPixels = 12.0;  // of a frame that says anything

class FrameOutline {
  public:
    FrameOutline(const ClipPixels& clip, const Subject& subject, std::int64_t frame)
        : m_clip(clip), m_subject(subject), m_frame(frame) {
        const SubjectPlace& place = subject.places()[static_cast<std::size_t>(frame)];
        m_x = place.x * static_cast<double>(clip.width()) - 0.5;
        m_y = place.y * static_cast<double>(clip.height()) - 0.5;
        overPixels([&](double x, double y, bool covered) { m_spread += covered ? x * x + y * y : 0.0; });
        m_radius = std::sqrt(2.0 * m_spread / std::max(place.area, 1.0));
    }

    [[nodiscard]] bool isHollow() const {
        double covered = 0.0;
        double all = 0.0;
        overPixels([&](double x, double y, bool isCovered) {
            if (std::hypot(x, y) > core * m_radius)
                return;
            all += 1.0;
            covered += isCovered ? 1.0 : 0.0;
        });
        return covered < hollow * all;
    }

    /// |sum r^2 e^(ik angle)| / sum r^2
    [[nodiscard]] Moments moments() const {
        std::array<std::complex<double>, orders.size()> sums;
        overPixels([&](double x, double y, bool covered) {
            if (!covered)
                return;
            for (std::size_t i = 0; i < orders.size(); ++i)
                sums[i] += std::polar(x * x + y * y, orders[i] * std::atan2(y, x));
        });
        Moments moments;
        std::ranges::transform(sums, moments.begin(), [this](const std::complex<double>& sum) {
            return std::abs(sum) / std::max(m_spread, 1.0);
        });
        return moments;
    }

  private:
    /// Calls `visit` with every pixel's place relative to the centre.
    template <typename Visit>
    void overPixels(const Visit& visit) const {
        for (std::int64_t y = 0; y < m_clip.height(); ++y)
            for (std::int64_t x = 0; x < m_clip.width(); ++x)
                visit(static_cast<double>(x) - m_x, static_cast<double>(y) - m_y,
                      m_subject.covers(m_frame, y, x));
    }

    const ClipPixels& m_clip;
    const Subject& m_subject;
    std::int64_t m_frame;
    double m_x = 0.0;
    double m_y = 0.0;
    double m_spread = 0.0;
    double m_radius = 0.0;
};

double squaredDistance(const Moments& a, const Moments& b) {
    return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus(),
                                 [](double x, double y) { return (x - y) * (x - y); });
}

std::string_view shapeOfFrame(const FrameOutline& outline) {
    if (outline.isHollow())
        return "ring";
    const Moments moments = outline.moments();
    const auto distance = [&](const FullShape& shape) { return squaredDistance(moments, shape.moments); };
    return std::ranges::min_element(fullShapes, {}, distance)->name;
}

}  // namespace

std::string_view shapeOf(const ClipPixels& clip, const Subject& subject) {
    std::map<std::string_view, double> votes;
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame) {
        const double area = subject.places()[static_cast<std::size_t>(frame)].area;
        if (area >= fewestPixels)
            votes[shapeOfFrame(FrameOutline(clip, subject, frame))] += area;
    }
    const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    return most == votes.end() ? std::string_view() : most->first;
}

}  // namespace meshreel
