// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/efficiencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/linear_solve.h"
#include "engine/foresight/hardware_profile.h"
#include "engine/foresight/own_times.h"

namespace meshreel {
namespace {

constexpr double spread = 0.06;  // of the logarithm of times of one and the same case
constexpr double rangeDeviations =
    1.5;                             // four of five times, with tails heavier than a normal distribution's
constexpr double rangeSpread = 1.5;  // the variance of a new time against that of the fitted ones

using Field = double EfficiencyValues::*;

/// One factor e^u of an efficiency.
struct Effect {
    Field field;
    std::string name;
    double deviation;  ///< of u before any time is seen
};

std::vector<Effect> effectsOn(const AcceleratorCase& of) {
    const std::string& hardware = of.hardware->efficienciesOf;
    const std::string_view program = of.program->name;
    const std::string_view kernel = of.kernel->name;
    const std::string_view kind = nameOf(of.hardware->kind);
    const std::int64_t width = of.model->transformer.innerDim();
    // Profiles of TPUs state what a hop reaches, those of GPUs the nominal rate of a link.
    const double linkDeviation = of.hardware->kind == AcceleratorKind::Tpu ? 0.12 : 0.35;
    std::vector<Effect> effects{
        {&EfficiencyValues::linear, fmt::format("linear|{}", hardware), 0.12},
        {&EfficiencyValues::linear, fmt::format("linear|{}|{}", hardware, program), 0.12},
        {&EfficiencyValues::attention, fmt::format("attention|{}|{}", hardware, kernel), 0.12},
        {&EfficiencyValues::attention, fmt::format("attention|{}|{}|{}", hardware, kernel, program), 0.10},
        {&EfficiencyValues::bytesPerValue, fmt::format("bytes|{}", program), 0.4},
        {&EfficiencyValues::convolution, fmt::format("convolution|{}|{}", hardware, program), 0.4},
        {&EfficiencyValues::conditioning, fmt::format("conditioning|{}", program), 0.5},
        {&EfficiencyValues::link, fmt::format("link|{}", kind), linkDeviation},
        {&EfficiencyValues::link, fmt::format("link|{}|{}", hardware, program), linkDeviation},
        {&EfficiencyValues::startRows, fmt::format("starts|{}", hardware), 0.3},
        {&EfficiencyValues::whole, fmt::format("whole|{}", program), 0.10},
        {&EfficiencyValues::whole, fmt::format("whole|{}|{}|{}", hardware, program, kernel), 0.10},
        {&EfficiencyValues::whole, fmt::format("whole|{}|{}|{}|{}", hardware, program, kernel, width), 0.05},
    };
    if (!of.hardware->measured.empty())  // the user's own machine may differ from all that were published
        effects.push_back({&EfficiencyValues::whole, fmt::format("whole|own {}", of.hardware->id), 0.3});
    if (of.splitAssumed)
        effects.push_back({&EfficiencyValues::whole, "split assumed", 0.2});
    if (of.numberType != "bf16")
        effects.push_back(
            {&EfficiencyValues::whole, fmt::format("type|{}|{}", of.numberType, program), 0.12});
    return effects;
}

/// Before any time is seen.
EfficiencyValues classMeans(const AcceleratorCase& of) {
    const AcceleratorKind kind = of.hardware->kind;
    const bool tpu = kind == AcceleratorKind::Tpu;
    constexpr double consumerGain = 1.15;  // for kernels: power does not limit the stated rate
    constexpr double assumedSplit = 1.25;  // times without a stated split come from worse splits than ours
    return {.linear = kind == AcceleratorKind::ConsumerGpu ? 0.85 : 0.72,
            .attention = of.kernel->share * (kind == AcceleratorKind::ConsumerGpu ? consumerGain : 1),
            .bytesPerValue = of.program->bytesPerValue,
            .convolution = tpu ? 0.05 : 0.18,
            .conditioning = 3,
            .link = tpu ? 1.0 : 0.6,
            .startRows = of.kernel->startRows,
            .whole = of.splitAssumed ? assumedSplit : 1};
}

EfficiencyValues valuesWith(const AcceleratorCase& of, const std::vector<Effect>& effects,
                            const std::map<std::string, double>& known) {
    EfficiencyValues values = classMeans(of);
    for (const Effect& effect : effects)
        if (const auto found = known.find(effect.name); found != known.end())
            values.*effect.field *= std::exp(found->second);
    return values;
}

/// The logarithm of a case's seconds, and how it changes with each of its effects.
struct Linearised {
    double value = 0;
    std::vector<double> slopes;
};

Linearised linearise(const AcceleratorCase& of, TimeMetric metric, const std::vector<Effect>& effects,
                     const EfficiencyValues& values) {
    constexpr double change = 1e-3;
    const auto logarithm = [&](const EfficiencyValues& at) {
        return std::log(countedSeconds(foreseeSeconds(of, at), metric));
    };
    Linearised result{.value = logarithm(values), .slopes = {}};
    Field last = nullptr;
    for (const Effect& effect : effects) {
        if (effect.field == last) {  // effects on one efficiency have one slope
            result.slopes.push_back(result.slopes.back());
            continue;
        }
        last = effect.field;
        EfficiencyValues changed = values;
        changed.*effect.field *= std::exp(change);
        result.slopes.push_back((logarithm(changed) - result.value) / change);
    }
    return result;
}

/// A weight that falls for residuals of several spreads: Student's t with three degrees of freedom. Before
/// the first fit, times are judged by the class means, which are no more than roughly right.
double studentWeight(double residual, bool first) {
    constexpr double degrees = 3;
    constexpr double roughly = 0.3;
    if (first)
        return 1 / (1 + residual * residual / (roughly * roughly));
    return 1 / (1 + residual * residual / (degrees * spread * spread));
}

}  // namespace

std::optional<TimeMetric> metricNamed(std::string_view name) {
    constexpr std::array names{
        std::pair(std::string_view("e2e"), TimeMetric::Total),
        std::pair(std::string_view("total"), TimeMetric::Total),
        std::pair(std::string_view("denoise"), TimeMetric::Denoise),
        std::pair(std::string_view("s_per_step"), TimeMetric::Step),
        std::pair(std::string_view("vae_decode"), TimeMetric::Decode),
        std::pair(std::string_view("conditioning"), TimeMetric::Conditioning),
        std::pair(std::string_view("text_encode"), TimeMetric::Conditioning),
        std::pair(std::string_view("attention_kernel_per_hop"), TimeMetric::KernelPerHop)};
    for (const auto& [known, metric] : names)
        if (known == name)
            return metric;
    return std::nullopt;
}

double countedSeconds(const CaseSeconds& seconds, TimeMetric metric) {
    switch (metric) {
        case TimeMetric::Total:
            return seconds.total();
        case TimeMetric::Denoise:
            return seconds.denoise;
        case TimeMetric::Step:
            return seconds.step.total();
        case TimeMetric::Decode:
            return seconds.decode;
        case TimeMetric::Conditioning:
            return seconds.conditioning;
        case TimeMetric::KernelPerHop:
            return seconds.kernelPerHop;
    }
    return 0;
}

std::string_view nameOf(EfficiencyBasis basis) {
    switch (basis) {
        case EfficiencyBasis::OwnTimes:
            return "own times";
        case EfficiencyBasis::HardwareTimes:
            return "times of the hardware";
        case EfficiencyBasis::ClassMean:
            return "class mean";
    }
    return {};
}

Efficiencies Efficiencies::fit(const std::vector<TimedCase>& times) {
    constexpr int rounds = 6;
    Efficiencies result;
    std::vector<double> precision;  // for each effect, before any time is seen
    std::vector<std::vector<Effect>> effects;
    for (const TimedCase& time : times) {
        effects.push_back(effectsOn(time.of));
        for (const Effect& effect : effects.back())
            if (result.m_places.emplace(effect.name, precision.size()).second) {
                precision.push_back(1 / (effect.deviation * effect.deviation));
                result.m_effects[effect.name] = 0;
            }
    }
    const std::size_t size = precision.size();
    if (size == 0)
        return result;
    std::vector<double> normal;
    result.m_credence.assign(times.size(), 1);
    for (int round = 0; round < rounds; ++round) {
        normal.assign(size * size, 0);
        std::vector<double> right(size, 0);
        for (std::size_t place = 0; place < size; ++place)
            normal[place * size + place] = precision[place];
        for (std::size_t index = 0; index < times.size(); ++index) {
            const TimedCase& time = times[index];
            const std::vector<Effect>& own = effects[index];
            const Linearised at =
                linearise(time.of, time.metric, own, valuesWith(time.of, own, result.m_effects));
            const double residual = std::log(time.seconds) - at.value;
            const double credence = time.weight > 1 ? 1 : studentWeight(residual, round == 0);
            result.m_credence[index] = credence;
            const double weight = time.weight * credence / (spread * spread);
            double target = residual;
            for (std::size_t effect = 0; effect < own.size(); ++effect)
                target += at.slopes[effect] * result.m_effects[own[effect].name];
            for (std::size_t row = 0; row < own.size(); ++row) {
                const std::size_t place = result.m_places[own[row].name];
                right[place] += weight * at.slopes[row] * target;
                for (std::size_t column = 0; column < own.size(); ++column)
                    normal[place * size + result.m_places[own[column].name]] +=
                        weight * at.slopes[row] * at.slopes[column];
            }
        }
        const std::vector<double> solution = solveSymmetric(normal, size, right);
        for (const auto& [name, place] : result.m_places)
            result.m_effects[name] = solution[place];
    }
    std::vector<double> identity(size * size, 0);
    for (std::size_t place = 0; place < size; ++place)
        identity[place * size + place] = 1;
    result.m_covariance = solveSymmetric(normal, size, identity);
    return result;
}

EfficiencyValues Efficiencies::valuesFor(const AcceleratorCase& of) const {
    return valuesWith(of, effectsOn(of), m_effects);
}

ForeseenTime Efficiencies::foresee(const AcceleratorCase& of, TimeMetric metric) const {
    const std::vector<Effect> effects = effectsOn(of);
    const Linearised at = linearise(of, metric, effects, valuesWith(of, effects, m_effects));
    const std::size_t size = m_places.size();
    double variance = rangeSpread * spread * spread;
    for (std::size_t one = 0; one < effects.size(); ++one) {
        const auto place = m_places.find(effects[one].name);
        if (place == m_places.end()) {
            variance += std::pow(at.slopes[one] * effects[one].deviation, 2);
            continue;
        }
        for (std::size_t other = 0; other < effects.size(); ++other)
            if (const auto found = m_places.find(effects[other].name); found != m_places.end())
                variance +=
                    at.slopes[one] * at.slopes[other] * m_covariance[place->second * size + found->second];
    }
    const double factor = std::exp(rangeDeviations * std::sqrt(std::max(variance, 0.0)));
    const double seconds = std::exp(at.value);
    return {.seconds = seconds, .low = seconds / factor, .high = seconds * factor};
}

EfficiencyBasis Efficiencies::basisFor(const AcceleratorCase& of) const {
    const auto known = [this](const std::string& name) { return m_places.contains(name); };
    if (known(fmt::format("attention|{}|{}|{}", of.hardware->efficienciesOf, of.kernel->name,
                          of.program->name)))
        return EfficiencyBasis::OwnTimes;
    return known(fmt::format("linear|{}", of.hardware->efficienciesOf)) ? EfficiencyBasis::HardwareTimes
                                                                        : EfficiencyBasis::ClassMean;
}

}  // namespace meshreel
