// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>

#include "engine/events/run_event.h"

namespace meshreel {

/// Turns measured steps into a fraction and the seconds that are left.
class ProgressMeter {
  public:
    using Clock = std::chrono::steady_clock;

    ProgressMeter(int steps, int stepsDone);

    /// How long decoding will take, by the warm-up; what its chunks take counts from the first on.
    void setDecodeEstimate(double seconds) { m_decodeSeconds = seconds; }

    /// `seconds`: wall clock of the step, its sink included.
    void stepFinished(double seconds);

    /// Reports another chunk: `part` of the decoding is done, in (0, 1]. Decoded frames are written
    /// meanwhile, which will take `writingLeft` seconds more at the speed so far.
    void decoded(double part, double writingLeft = 0, Clock::time_point now = Clock::now());

    [[nodiscard]] Progress at(Phase phase, Clock::time_point now = Clock::now());
    /// All is computed; how long writing the files will take is not known.
    [[nodiscard]] Progress finished();

  private:
    struct Chunk {
        double part;
        Clock::time_point end;
    };

    [[nodiscard]] double decodeSecondsLeft() const;

    Progress m_progress;
    double m_decodeSeconds = 0;  ///< measured by the warm-up
    std::optional<Clock::time_point> m_decodeStart;
    std::optional<Chunk> m_firstChunk;
    std::optional<Chunk> m_lastChunk;
    double m_writingLeft = 0;
    double m_stepSeconds = 0;
    int m_stepsMeasured = 0;
};

}  // namespace meshreel
