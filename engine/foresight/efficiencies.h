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

/// Nothing for a metric that the model does not foresee (load, compile, …).
std::optional<TimeMetric> metricNamed(std::string_view name);

/// The part of the seconds that the metric counts.
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

/// Efficiencies as a tree of effects: the class's mean, and on it what hardware, program and kernel add. Each
/// effect is a factor e^u with u around 0. The fit shrinks it towards 0 as far as few or contradicting times
/// ask for, so that what has no time of its own takes the mean of what is like it.
class Efficiencies {
  public:
    /// A maximum a posteriori fit of the logarithms of the times; times far from all others count less.
    static Efficiencies fit(const std::vector<TimedCase>& times);

    /// The efficiencies of a case.
    [[nodiscard]] EfficiencyValues valuesFor(const AcceleratorCase& of) const;

    [[nodiscard]] CaseSeconds foresee(const AcceleratorCase& of) const {
        return foreseeSeconds(of, valuesFor(of));
    }

    /// With the range: what the effects leave open, and how much times of the same case spread.
    [[nodiscard]] ForeseenTime foresee(const AcceleratorCase& of, TimeMetric metric) const;

    [[nodiscard]] EfficiencyBasis basisFor(const AcceleratorCase& of) const;

    /// How much each time of the fit counted, 0 to 1: little where it contradicts the others.
    [[nodiscard]] const std::vector<double>& credence() const { return m_credence; }

  private:
    std::map<std::string, double> m_effects;      ///< u by the effect's name
    std::map<std::string, std::size_t> m_places;  ///< in m_covariance
    std::vector<double> m_covariance;             ///< of the effects, row after row
    std::vector<double> m_credence;
};

}  // namespace meshreel
