// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/activity/lane_history.h"

#include <algorithm>
#include <utility>

namespace meshreel {

namespace {

void addTo(std::vector<DeviceTime>& sums, const std::vector<DeviceTime>& devices) {
    for (std::size_t device = 0; device < sums.size(); ++device)
        sums[device] += devices[device];
}

}  // namespace

void LaneHistory::clear() {
    *this = {};
}

void LaneHistory::add(const StepDeviceTimes& step) {
    if (step.devices.empty())
        return;
    if (step.devices.size() != m_totals.size()) {
        clear();
        m_totals.resize(step.devices.size());
    }
    addTo(m_totals, step.devices);
    ++m_steps;
    const double seconds = std::ranges::max_element(step.devices, {}, &DeviceTime::seconds)->seconds();
    m_stretches.push_back({.firstStep = step.step,
                           .steps = 1,
                           .start = this->seconds(),
                           .seconds = seconds,
                           .devices = step.devices});
    if (m_stretches.size() > mostStretches)
        joinNeighbours();
}

double LaneHistory::seconds() const {
    return m_stretches.empty() ? 0 : m_stretches.back().start + m_stretches.back().seconds;
}

const LaneStretch* LaneHistory::stretchAt(double seconds) const {
    const auto after = std::ranges::upper_bound(m_stretches, seconds, {}, &LaneStretch::start);
    if (after == m_stretches.begin() || seconds >= this->seconds())
        return nullptr;
    return &*std::prev(after);
}

void LaneHistory::joinNeighbours() {
    std::vector<LaneStretch> joined;
    joined.reserve(mostStretches);
    for (std::size_t i = 0; i < m_stretches.size(); i += 2) {
        LaneStretch& stretch = joined.emplace_back(std::move(m_stretches[i]));
        if (i + 1 == m_stretches.size())
            break;
        const LaneStretch& next = m_stretches[i + 1];
        stretch.steps += next.steps;
        stretch.seconds += next.seconds;
        addTo(stretch.devices, next.devices);
    }
    m_stretches = std::move(joined);
}

}  // namespace meshreel
