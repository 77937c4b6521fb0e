// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/foresight/accelerator_case.h"
#include "engine/foresight/foresight_model.h"
#include "engine/foresight/own_times.h"

namespace meshreel {

/// What a published time counts.
enum class TimeMetric : std::uint8_t {
    Total,         ///< conditioning, denoising, decoding: e2e, total
    Denoise,       ///< all steps
    Step,          ///< s_per_step
    Decode,        ///< vae_decode
    Conditioning,  ///< conditioning, text_encode
    KernelPerHop   ///< attention_kernel_per_hop
};

/// Returns nothing for a metric that the model does not foresee (load, compile, …).
std::optional<TimeMetric> metricNamed(std::string_view name);

/// Returns the part of the seconds that the metric counts.
double countedSeconds(const CaseSeconds& seconds, TimeMetric metric);

/// A measured time, which efficiencies are fitted to.
struct TimedCase {
    std::string id;
    AcceleratorCase of;
    TimeMetric metric = TimeMetric::Total;
    double seconds = 0;
    double weight = 1;  ///< 1 for a published time; more for the user's own
};

/// Seconds with the range that four of five measurements fall into.
struct ForeseenTime {
    double seconds = 0;
    double low = 0;
    double high = 0;
};

/// How near the measured times are to a case that its efficiencies come from.
enum class EfficiencyBasis : std::uint8_t {
    OwnTimes,       ///< this hardware, program and kernel were measured
    HardwareTimes,  ///< this hardware was measured, with another program or kernel
    ClassMean       ///< neither
};

/// "own times", "times of the hardware", "class mean".
std::string_view nameOf(EfficiencyBasis basis);

/// Efficiencies as a tree of effects: the class's mean, multiplied by the effects of hardware, program and
/// kernel. Each effect is a factor e^u with u around 0. The fit shrinks it towards 0 when it has few or
/// contradicting times, so that a case without a time of its own takes the mean of similar ones.
class Efficiencies {
  public:
    /// Fits maximum a posteriori to the logarithms of the times; times far from all others count less.
    static Efficiencies fit(const std::vector<TimedCase>& times);

    /// Returns the efficiencies of a case.
    [[nodiscard]] EfficiencyValues valuesFor(const AcceleratorCase& of) const;

    [[nodiscard]] CaseSeconds foresee(const AcceleratorCase& of) const {
        return foreseeSeconds(of, valuesFor(of));
    }

    /// Returns the time with its range: the uncertainty of the effects, and the spread of times of the same
    /// case.
    [[nodiscard]] ForeseenTime foresee(const AcceleratorCase& of, TimeMetric metric) const;

    [[nodiscard]] EfficiencyBasis basisFor(const AcceleratorCase& of) const;

    /// Returns how much each time of the fit counted, 0 to 1: little when it contradicts the others.
    [[nodiscard]] const std::vector<double>& credence() const { return m_credence; }

  private:
    std::map<std::string, double> m_effects;      ///< u by the effect's name
    std::map<std::string, std::size_t> m_places;  ///< index in m_covariance
    std::vector<double> m_covariance;             ///< covariance of the effects, row by row
    std::vector<double> m_credence;
};

}  // namespace meshreel
