// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/evaluation/clip_measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <numeric>
#include <span>

#include "engine/measure/evaluation/scene_clip.h"

namespace meshreel {
namespace {

// Colour.

constexpr double darkestShade = 0.6;
constexpr double lightestShade = 1.15;
constexpr std::size_t enoughPixels = 30;

bool isInside(const ClipPixels& clip, const Subject& subject, std::int64_t frame, std::int64_t y,
              std::int64_t x) {
    for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dx = -1; dx <= 1; ++dx)
            if (!clip.has(y + dy, x + dx) || !subject.covers(frame, y + dy, x + dx))
                return false;
    return true;
}

template <typename Wanted>
std::vector<Colour> pixelsWhere(const ClipPixels& clip, const Wanted& wanted) {
    std::vector<Colour> pixels;
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y < clip.height(); ++y)
            for (std::int64_t x = 0; x < clip.width(); ++x)
                if (wanted(frame, y, x))
                    pixels.push_back(clip.at(frame, y, x));
    return pixels;
}

double shadedDistance(const Colour& seen, const Colour& named) {
    double dot = 0.0;
    double norm = 0.0;
    for (std::size_t c = 0; c < seen.size(); ++c) {
        dot += seen[c] * named[c];
        norm += named[c] * named[c];
    }
    const double shade = std::clamp(dot / norm, darkestShade, lightestShade);
    return euclideanDistance(seen, {named[0] * shade, named[1] * shade, named[2] * shade});
}

/// The nearest of objectColours() to what the subject looks like away from its edge, when shading may have
/// darkened or lightened it.
std::string_view colourOf(const ClipPixels& clip, const Subject& subject) {
    std::vector<Colour> pixels = pixelsWhere(clip, [&](std::int64_t frame, std::int64_t y, std::int64_t x) {
        return isInside(clip, subject, frame, y, x);
    });
    if (pixels.size() < enoughPixels)
        pixels = pixelsWhere(clip, [&](std::int64_t frame, std::int64_t y, std::int64_t x) {
            return subject.covers(frame, y, x);
        });
    const Colour seen = medianColour(pixels);
    return std::ranges::min_element(objectColours(), {},
                                    [&](const NamedColour& row) { return shadedDistance(seen, row.value); })
        ->name;
}

// Edges.

constexpr std::int64_t reach = 3;             // pixels looked at on each side of an edge
constexpr double leastEdgeDifference = 22.0;  // levels across an edge
constexpr double throughThinParts = 0.8;  // less than this of its steepest step: the far side is background

struct Step {
    std::int64_t y;
    std::int64_t x;
};
constexpr std::array<Step, 2> edgeAxes{{{0, 1}, {1, 0}}};

/// The edge between (y, x) and the next pixel along `axis`; 0 when it is too near the border, too faint,
/// or of a part thinner than it.
double widthAt(const ClipPixels& clip, std::int64_t frame, std::int64_t y, std::int64_t x, const Step& axis) {
    const auto place = [&](std::int64_t i) { return Step{y + i * axis.y, x + i * axis.x}; };
    const Step first = place(1 - reach);
    const Step last = place(reach);
    if (!clip.has(first.y, first.x) || !clip.has(last.y, last.x))
        return 0.0;
    double steepest = 0.0;
    Colour before = clip.at(frame, first.y, first.x);
    for (std::int64_t i = 2 - reach; i <= reach; ++i) {
        const Step here = place(i);
        const Colour colour = clip.at(frame, here.y, here.x);
        steepest = std::max(steepest, largestDifference(before, colour));
        before = colour;
    }
    const double across = largestDifference(clip.at(frame, first.y, first.x), before);
    const bool thin = across < throughThinParts * steepest;
    return across < leastEdgeDifference || thin ? 0.0 : std::max(1.0, across / steepest);
}

/// How wide the subject's edge is, in pixels: the difference across it over its steepest step from one pixel
/// to the next; the median of all edges crossed along rows and columns. A drawn clip has 1 to 2, 0 means
/// that no edge was found.
double edgeWidth(const ClipPixels& clip, const Subject& subject) {
    std::vector<double> widths;
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y + 1 < clip.height(); ++y)
            for (std::int64_t x = 0; x + 1 < clip.width(); ++x)
                for (const Step& axis : edgeAxes) {
                    if (subject.covers(frame, y, x) == subject.covers(frame, y + axis.y, x + axis.x))
                        continue;
                    if (const double width = widthAt(clip, frame, y, x, axis); width > 0.0)
                        widths.push_back(width);
                }
    return computeUpperMedian(std::move(widths));
}

// Flicker.

constexpr std::int64_t distanceToSubject = 3;  // pixels; the halo of an edge is not background

/// [height, width]: 1 where the subject never comes near.
std::vector<char> quietPixels(const ClipPixels& clip, const Subject& subject) {
    std::vector<char> quiet(static_cast<std::size_t>(clip.pixelsOfFrame()), 1);
    const auto mark = [&](std::int64_t y, std::int64_t x) {
        for (std::int64_t near = std::max<std::int64_t>(0, y - distanceToSubject);
             near <= std::min(clip.height() - 1, y + distanceToSubject); ++near) {
            const auto row = quiet.begin() + near * clip.width();
            std::fill(row + std::max<std::int64_t>(0, x - distanceToSubject),
                      row + std::min(clip.width(), x + distanceToSubject + 1), char{0});
        }
    };
    for (std::int64_t frame = 0; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y < clip.height(); ++y)
            for (std::int64_t x = 0; x < clip.width(); ++x)
                if (subject.covers(frame, y, x))
                    mark(y, x);
    return quiet;
}

double meanDifference(const Colour& a, const Colour& b) {
    double sum = 0.0;
    for (std::size_t c = 0; c < a.size(); ++c)
        sum += std::max(a[c], b[c]) - std::min(a[c], b[c]);
    return sum / static_cast<double>(a.size());
}

/// Mean difference of the background from one frame to the next, in levels of 255, over the pixels that the
/// subject stays away from in all frames. 0 when there are none, and in a drawn clip.
double backgroundFlicker(const ClipPixels& clip, const Subject& subject) {
    const std::vector<char> quiet = quietPixels(clip, subject);
    double sum = 0.0;
    double pixels = 0.0;
    for (std::int64_t frame = 1; frame < clip.frames(); ++frame)
        for (std::int64_t y = 0; y < clip.height(); ++y)
            for (std::int64_t x = 0; x < clip.width(); ++x)
                if (quiet[static_cast<std::size_t>(y * clip.width() + x)] != 0) {
                    sum += meanDifference(clip.at(frame - 1, y, x), clip.at(frame, y, x));
                    pixels += 1.0;
                }
    return sum / std::max(pixels, 1.0);
}

// Motion.

constexpr std::size_t endFrames = 2;  // whose mean is where a motion begins or ends
constexpr double growth = 1.8;        // of the area
constexpr double shrinkage = 0.55;
constexpr double leastTravel = 0.15;  // of the picture
constexpr double leastTurn = 0.05;    // of the picture's height, for a change of direction to count
// Relative to the contrast. For drawn clips that went through the embedded autoencoder: still ones have at
// most 0.09, all but one of 24 that spin at least 0.11 (0.17 before).
constexpr double leastChangeOfLooks = 0.1;

SubjectPlace meanPlace(std::span<const SubjectPlace> places) {
    SubjectPlace mean;
    const auto count = static_cast<double>(places.size());
    for (const SubjectPlace& place : places) {
        mean.area += place.area / count;
        mean.x += place.x / count;
        mean.y += place.y / count;
    }
    return mean;
}

/// Whether the height changes its direction, by more than leastTurn on both sides of the change.
bool turnsBack(std::span<const SubjectPlace> places) {
    double extreme = places.front().y;  // the farthest point of the present direction
    int direction = 0;
    for (const SubjectPlace& place : places) {
        const double way = place.y - extreme;
        if (direction == 0 && std::abs(way) > leastTurn)
            direction = way > 0 ? 1 : -1;
        if (direction != 0 && way * direction < -leastTurn)
            return true;
        if (direction != 0 && way * direction > 0)
            extreme = place.y;
    }
    return false;
}

/// Frame `first` against frame `frame`, both seen from the subject's centre: the mean difference of the
/// pixels that it covers in either.
double changeOfLooks(const ClipPixels& clip, const Subject& subject, std::int64_t first, std::int64_t frame) {
    const SubjectPlace& then = subject.places()[static_cast<std::size_t>(first)];
    const SubjectPlace& now = subject.places()[static_cast<std::size_t>(frame)];
    const auto right = std::llround((now.x - then.x) * static_cast<double>(clip.width()));
    const auto down = std::llround((now.y - then.y) * static_cast<double>(clip.height()));
    double sum = 0.0;
    double pixels = 0.0;
    for (std::int64_t y = 0; y < clip.height(); ++y)
        for (std::int64_t x = 0; x < clip.width(); ++x) {
            if (!clip.has(y + down, x + right))
                continue;
            if (!subject.covers(first, y, x) && !subject.covers(frame, y + down, x + right))
                continue;
            sum += largestDifference(clip.at(first, y, x), clip.at(frame, y + down, x + right));
            pixels += 1.0;
        }
    return sum / std::max(pixels, 1.0) / std::max(subject.contrast(), 1.0);
}

/// Starts with the second frame: an autoencoder encodes the first one alone, and it looks sharper.
double meanChangeOfLooks(const ClipPixels& clip, const Subject& subject) {
    const std::int64_t first = clip.frames() > 2 ? 1 : 0;
    double sum = 0.0;
    for (std::int64_t frame = first + 1; frame < clip.frames(); ++frame)
        sum += changeOfLooks(clip, subject, first, frame);
    return sum / static_cast<double>(clip.frames() - 1 - first);
}

/// What the subject does, one of directionNames() and otherMotionNames(): its area grows or shrinks, its
/// centre turns back in height (bouncing) or moves on (a direction), or it stays in its place, changing its
/// looks (spinning) or not (still).
std::string_view classifyMotion(const ClipPixels& clip, const Subject& subject) {
    const std::span<const SubjectPlace> places = subject.places();
    const SubjectPlace begin = meanPlace(places.first(endFrames));
    const SubjectPlace end = meanPlace(places.last(endFrames));
    const double ratio = end.area / std::max(begin.area, 1.0);
    if (ratio > growth)
        return "growing";
    if (ratio < shrinkage)
        return "shrinking";
    if (turnsBack(places))
        return "bouncing";
    const double right = end.x - begin.x;
    const double down = end.y - begin.y;
    if (std::max(std::abs(right), std::abs(down)) > leastTravel) {
        if (std::abs(right) > std::abs(down))
            return right > 0 ? "right" : "left";
        return down > 0 ? "down" : "up";
    }
    return meanChangeOfLooks(clip, subject) > leastChangeOfLooks ? "spinning" : "still";
}

// Shape.

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
constexpr double fewestPixels = 12.0;  // in a frame that is conclusive

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

/// The subject's shape, one of shapeNames(), from the angular moments of its mask about its centre,
/// |sum r^2 e^(ik angle)| / sum r^2: they do not change when it turns, moves or grows. A triangle has k = 3,
/// a square k = 4, a star k = 5, a ball none, and the nearest of these four is taken; a ring is hollow.
/// Frames vote by the area they show.
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

}  // namespace

ClipFindings measureClip(const Tensor& frames) {
    const ClipPixels clip(frames);
    const PlainBackground background(clip);
    const Subject subject(clip, background);
    ClipFindings findings;
    findings.background = background.name();
    findings.flicker = backgroundFlicker(clip, subject);
    findings.present = subject.present();
    if (!findings.present)
        return findings;
    findings.colour = colourOf(clip, subject);
    findings.shape = shapeOf(clip, subject);
    findings.motion = classifyMotion(clip, subject);
    findings.edgeWidth = edgeWidth(clip, subject);
    return findings;
}

}  // namespace meshreel
