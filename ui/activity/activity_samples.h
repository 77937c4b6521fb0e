// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace meshreel {

/// What this process used at a moment.
struct ActivitySample {
    double seconds = 0;       ///< since the run began
    double busyCpus = 0;      ///< on average since the sample before
    std::uint64_t bytes = 0;  ///< in memory, without pages of files
};

/// The use of this process over a run. When there are too many samples for a picture, every second one goes.
class ActivitySamples {
  public:
    static constexpr std::size_t mostSamples = 1200;

    void clear();
    /// `cpuSeconds` is what the process has used since it began. The first one only sets the mark.
    void add(double seconds, double cpuSeconds, std::uint64_t bytes);
    [[nodiscard]] const std::vector<ActivitySample>& samples() const { return m_samples; }

  private:
    void thin();

    std::vector<ActivitySample> m_samples;
    bool m_hasMark = false;
    double m_lastSeconds = 0;
    double m_lastCpuSeconds = 0;
};

/// CPU seconds of all threads of this process so far.
double processCpuSeconds();

}  // namespace meshreel
