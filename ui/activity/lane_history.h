// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/timing/step_record.h"

namespace meshreel {

/// One step, or several that are drawn as one.
struct LaneStretch {
    int firstStep = 0;  ///< counted from 0
    int steps = 1;
    double start = 0;    ///< in seconds of steps
    double seconds = 0;  ///< of the device that took longest
    std::vector<DeviceTime> devices;
};

/// How the devices of a run spent its steps, on a time axis of nothing but steps. When there are too many for
/// a picture, neighbours are joined.
class LaneHistory {
  public:
    static constexpr std::size_t mostStretches = 1200;

    void clear();
    /// Begins anew where the number of devices is another one.
    void add(const StepDeviceTimes& step);

    [[nodiscard]] const std::vector<LaneStretch>& stretches() const { return m_stretches; }
    /// Of every device, over all steps.
    [[nodiscard]] const std::vector<DeviceTime>& totals() const { return m_totals; }
    [[nodiscard]] int steps() const { return m_steps; }
    [[nodiscard]] double seconds() const;
    /// Null where there is none.
    [[nodiscard]] const LaneStretch* stretchAt(double seconds) const;

  private:
    void joinNeighbours();

    std::vector<LaneStretch> m_stretches;
    std::vector<DeviceTime> m_totals;
    int m_steps = 0;
};

}  // namespace meshreel
