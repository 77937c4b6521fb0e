// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/subject.h"

#include <algorithm>

namespace meshreel {
namespace {

constexpr double leastDifference = 22.0;  // levels; what a background's own unevenness stays below
constexpr double shareOfContrast = 0.25;  // of it, a subject's darkest side still shows
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

double contrastOf(const std::vector<double>& differences) {
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
    m_contrast = contrastOf(all);
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
