// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

#include "engine/pipelines/generation_events.h"

namespace meshreel {

/// Turns measured steps into a fraction and the seconds that are left.
class ProgressMeter {
  public:
    ProgressMeter(int steps, int stepsDone);

    /// How long decoding will take, by the warm-up.
    void setDecodeEstimate(double seconds) { m_decodeSeconds = seconds; }

    /// `seconds`: wall clock of the step, its observers included.
    void stepFinished(double seconds);

    /// `part` of the decoding is done, in [0, 1].
    void decoded(double part) { m_progress.decoded = part; }

    [[nodiscard]] Progress at(Phase phase);
    [[nodiscard]] Progress finished();

  private:
    using Clock = std::chrono::steady_clock;

    const Clock::time_point m_start = Clock::now();
    Progress m_progress;
    double m_decodeSeconds = 0;
    double m_stepSeconds = 0;
    int m_stepsMeasured = 0;
};

}  // namespace meshreel
