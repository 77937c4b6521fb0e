// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/lane_occupancy.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace meshreel {

namespace {

bool isStep(const TracedSpan& span) {
    return span.category == "step";
}

bool isOfAttention(const TracedSpan& span) {
    return span.category == "attention";
}

bool isAttention(const TracedSpan& span) {
    return isOfAttention(span) && span.name == "attend";
}

/// Adds stretches of time to the bins that they cover.
class Bins {
  public:
    Bins(double start, double seconds, std::size_t count)
        : m_start(start), m_length(seconds / static_cast<double>(count)), m_count(count) {}

    /// `part` of the device during the stretch, 0 to 1.
    void add(double start, double end, double part, std::vector<double>& share) const {
        const double first = std::max(0.0, (start - m_start) / m_length);
        const double last = std::min(static_cast<double>(m_count), (end - m_start) / m_length);
        for (auto bin = static_cast<std::size_t>(first); static_cast<double>(bin) < last; ++bin) {
            const auto left = static_cast<double>(bin);
            share[bin] += part * (std::min(last, left + 1) - std::max(first, left));
        }
    }

    void add(const TracedSpan& span, std::vector<double>& share) const {
        add(span.start, span.end(), 1, share);
    }

  private:
    double m_start;
    double m_length;
    std::size_t m_count;
};

struct CountedActivity {
    LaneActivity activity;
    double DeviceTime::*seconds;
};

constexpr std::array counted{CountedActivity{LaneActivity::Computing, &DeviceTime::computing},
                             CountedActivity{LaneActivity::Exchanging, &DeviceTime::exchanging},
                             CountedActivity{LaneActivity::Waiting, &DeviceTime::waiting}};

/// Of the device that took longest.
double secondsOf(const StepDeviceTimes& step) {
    double seconds = 0;
    for (const DeviceTime& device : step.devices)
        seconds = std::max(seconds, device.seconds());
    return seconds;
}

enum TracedShare : std::size_t { Attention, Elsewhere, MovingOrWaiting };

// What is neither attention nor its exchange; the rounding of the sums must not show as a negative share.
void subtractAttention(Lane& lane) {
    std::vector<double>& elsewhere = lane.share[Elsewhere];
    for (std::size_t bin = 0; bin < elsewhere.size(); ++bin)
        elsewhere[bin] =
            std::max(0.0, elsewhere[bin] - lane.share[Attention][bin] - lane.share[MovingOrWaiting][bin]);
}

}  // namespace

LaneOccupancy laneOccupancy(std::span<const StepDeviceTimes> steps, std::size_t bins) {
    LaneOccupancy occupancy;
    std::size_t devices = 0;
    for (const StepDeviceTimes& step : steps) {
        occupancy.seconds += secondsOf(step);
        devices = std::max(devices, step.devices.size());
    }
    if (occupancy.seconds <= 0)
        return {};
    for (const CountedActivity& row : counted)
        occupancy.activities.push_back(row.activity);
    for (std::size_t device = 0; device < devices; ++device)
        occupancy.lanes.push_back({.number = static_cast<int>(device),
                                   .share = std::vector(counted.size(), std::vector<double>(bins))});

    const Bins axis(0, occupancy.seconds, bins);
    double start = 0;
    for (const StepDeviceTimes& step : steps) {
        const double seconds = secondsOf(step);
        if (seconds <= 0)
            continue;
        for (std::size_t device = 0; device < step.devices.size(); ++device)
            for (std::size_t index = 0; index < counted.size(); ++index)
                axis.add(start, start + seconds, step.devices[device].*counted.at(index).seconds / seconds,
                         occupancy.lanes[device].share[index]);
        start += seconds;
    }
    return occupancy;
}

LaneOccupancy tracedOccupancy(std::span<const TracedSpan> trace, std::size_t bins) {
    const auto first = std::ranges::find_if(trace, isStep);
    if (first == trace.end())
        return {};
    double start = first->start;
    double end = first->end();
    std::map<int, Lane> lanes;
    for (const TracedSpan& span : trace)
        if (isStep(span)) {
            start = std::min(start, span.start);
            end = std::max(end, span.end());
            lanes[span.thread].number = span.thread;
        }
    if (end <= start)
        return {};
    LaneOccupancy occupancy{
        .activities = {LaneActivity::Attention, LaneActivity::Elsewhere, LaneActivity::MovingOrWaiting},
        .seconds = end - start,
        .lanes = {}};
    for (auto& [thread, lane] : lanes)
        lane.share.assign(occupancy.activities.size(), std::vector<double>(bins));

    const Bins axis(start, occupancy.seconds, bins);
    for (const TracedSpan& span : trace) {
        const auto lane = lanes.find(span.thread);
        if (lane == lanes.end())
            continue;
        if (isStep(span))
            axis.add(span, lane->second.share[Elsewhere]);
        else if (isAttention(span))
            axis.add(span, lane->second.share[Attention]);
        else if (isOfAttention(span))
            axis.add(span, lane->second.share[MovingOrWaiting]);
    }
    for (auto& [thread, lane] : lanes) {
        subtractAttention(lane);
        occupancy.lanes.push_back(std::move(lane));
    }
    return occupancy;
}

}  // namespace meshreel
