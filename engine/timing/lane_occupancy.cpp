// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/lane_occupancy.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace meshreel {

namespace {

bool isStep(const TracedSpan& span) {
    return span.category == "step";
}

bool isExchange(const TracedSpan& span) {
    return span.category == "attention" && span.name != "attend";
}

bool isAttention(const TracedSpan& span) {
    return span.category == "attention" && span.name == "attend";
}

/// Adds spans' lengths to the bins that they cover.
class Bins {
  public:
    Bins(double start, double seconds, std::size_t count)
        : m_start(start), m_length(seconds / static_cast<double>(count)), m_count(count) {}

    void add(const TracedSpan& span, std::vector<double>& share) const {
        const double first = std::max(0.0, (span.start - m_start) / m_length);
        const double end = std::min(static_cast<double>(m_count), (span.end() - m_start) / m_length);
        for (auto bin = static_cast<std::size_t>(first); static_cast<double>(bin) < end; ++bin) {
            const auto left = static_cast<double>(bin);
            share[bin] += std::min(end, left + 1) - std::max(first, left);
        }
    }

  private:
    double m_start;
    double m_length;
    std::size_t m_count;
};

std::vector<double>& shareOf(Lane& lane, LaneActivity activity) {
    return lane.share.at(static_cast<std::size_t>(activity));
}

// What is neither attention nor exchange; the rounding of the sums must not show as a negative share.
void subtractFromComputing(Lane& lane) {
    std::vector<double>& computing = shareOf(lane, LaneActivity::Computing);
    for (std::size_t bin = 0; bin < computing.size(); ++bin)
        computing[bin] = std::max(0.0, computing[bin] - shareOf(lane, LaneActivity::Attention)[bin] -
                                           shareOf(lane, LaneActivity::Exchange)[bin]);
}

}  // namespace

LaneOccupancy laneOccupancy(std::span<const TracedSpan> trace, std::size_t bins) {
    const auto first = std::ranges::find_if(trace, isStep);
    if (first == trace.end())
        return {};
    LaneOccupancy occupancy{.start = first->start, .seconds = 0, .lanes = {}};
    double end = first->end();
    std::map<int, Lane> lanes;
    for (const TracedSpan& span : trace)
        if (isStep(span)) {
            occupancy.start = std::min(occupancy.start, span.start);
            end = std::max(end, span.end());
            lanes[span.thread].thread = span.thread;
        }
    occupancy.seconds = end - occupancy.start;
    if (occupancy.seconds <= 0)
        return {};
    for (auto& [thread, lane] : lanes)
        lane.share.fill(std::vector<double>(bins));

    const Bins axis(occupancy.start, occupancy.seconds, bins);
    for (const TracedSpan& span : trace) {
        const auto lane = lanes.find(span.thread);
        if (lane == lanes.end())
            continue;
        if (isStep(span))
            axis.add(span, shareOf(lane->second, LaneActivity::Computing));
        else if (isAttention(span))
            axis.add(span, shareOf(lane->second, LaneActivity::Attention));
        else if (isExchange(span))
            axis.add(span, shareOf(lane->second, LaneActivity::Exchange));
    }
    for (auto& [thread, lane] : lanes) {
        subtractFromComputing(lane);
        occupancy.lanes.push_back(std::move(lane));
    }
    return occupancy;
}

}  // namespace meshreel
