// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/sigma_schedules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/beta_function.h"
#include "engine/base/error.h"

namespace meshreel {
namespace {

/// numpy.linspace(first, last, count), with numpy's rounding: equal whole parts decide equal timesteps.
std::vector<double> linspace(double first, double last, int count) {
    std::vector<double> values(static_cast<std::size_t>(count), first);
    if (count < 2)
        return values;
    const double step = (last - first) / (count - 1);
    for (int i = 1; i < count; ++i)
        values[static_cast<std::size_t>(i)] = i * step + first;
    values.back() = last;
    return values;
}

/// shift * s / (1 + (shift - 1) * s) in the caller's precision.
template <typename T>
T shifted(T shift, T sigma) {
    return shift * sigma / (T(1) + (shift - T(1)) * sigma);
}

void applyShift(std::vector<double>& sigmas, double shift) {
    for (double& sigma : sigmas)
        sigma = shifted(shift, sigma);
}

/// Stretches so that the last noise level becomes `terminal`; pure noise alone has nothing to stretch.
void stretchToTerminal(std::vector<double>& sigmas, double terminal) {
    if (sigmas.back() == 1.0)
        return;
    const double scale = (1.0 - sigmas.back()) / (1.0 - terminal);
    for (double& sigma : sigmas)
        sigma = 1.0 - (1.0 - sigma) / scale;
}

std::vector<double> karras(double sigmaMax, double sigmaMin, int steps) {
    constexpr double karrasRho = 7.0;
    const double from = std::pow(sigmaMax, 1.0 / karrasRho);
    const double to = std::pow(sigmaMin, 1.0 / karrasRho);
    std::vector<double> sigmas = linspace(0.0, 1.0, steps);
    for (double& sigma : sigmas)
        sigma = std::pow(from + sigma * (to - from), karrasRho);
    return sigmas;
}

std::vector<double> exponential(double sigmaMax, double sigmaMin, int steps) {
    std::vector<double> sigmas = linspace(std::log(sigmaMax), std::log(sigmaMin), steps);
    for (double& sigma : sigmas)
        sigma = std::exp(sigma);
    return sigmas;
}

/// Noise levels sqrt((1 - a) / a), a the cumulated product of 1 - beta, of every training timestep;
/// ascending. torch keeps betas and products in f32 and accumulates in f64.
std::vector<double> trainingSigmas(const SchedulerConfig& config) {
    const int count = config.numTrainTimesteps;
    const auto ends = config.scaledLinearBetas
                          ? std::pair{std::sqrt(config.betaStart), std::sqrt(config.betaEnd)}
                          : std::pair{config.betaStart, config.betaEnd};
    const std::vector<double> betas = linspace(ends.first, ends.second, count);
    std::vector<double> sigmas;
    sigmas.reserve(betas.size());
    double product = 1.0;
    for (const double value : betas) {
        const auto linear = static_cast<float>(value);
        const float beta = config.scaledLinearBetas ? linear * linear : linear;
        product *= static_cast<double>(1.0F - beta);
        const auto alpha = static_cast<float>(product);
        sigmas.push_back(static_cast<double>(std::sqrt((1.0F - alpha) / alpha)));
    }
    return sigmas;
}

/// The training timestep whose noise level is `sigma`, by interpolation in log sigma.
double toTimestep(double sigma, const std::vector<double>& training) {
    const auto last = static_cast<std::ptrdiff_t>(training.size()) - 1;
    const auto above = std::upper_bound(training.begin(), training.end(), sigma) - training.begin();
    const std::ptrdiff_t low =
        std::clamp<std::ptrdiff_t>(above - 1, 0, std::max<std::ptrdiff_t>(last - 1, 0));
    const std::ptrdiff_t high = std::min(low + 1, last);
    const double logLow = std::log(training[static_cast<std::size_t>(low)]);
    const double logHigh = std::log(training[static_cast<std::size_t>(high)]);
    if (logLow == logHigh)
        return static_cast<double>(low);
    const double weight = std::clamp((logLow - std::log(sigma)) / (logLow - logHigh), 0.0, 1.0);
    return (1.0 - weight) * static_cast<double>(low) + weight * static_cast<double>(high);
}

/// Training timesteps of the run, descending whole numbers.
std::vector<double> spacedTimesteps(const SchedulerConfig& config, int steps) {
    const int trained = config.numTrainTimesteps;
    const std::vector<double> evenly = linspace(0.0, trained - 1, steps + 1);
    const double ratio = static_cast<double>(trained) / steps;
    const int wholeRatio = trained / (steps + 1);
    std::vector<double> timesteps;
    for (int i = 0; i < steps; ++i) {
        switch (config.timestepSpacing) {
            case TimestepSpacing::Linspace:
                timesteps.push_back(std::nearbyint(evenly[static_cast<std::size_t>(steps - i)]));
                break;
            case TimestepSpacing::Leading:
                timesteps.push_back((steps - i) * wholeRatio + config.stepsOffset);
                break;
            case TimestepSpacing::Trailing:
                timesteps.push_back(std::nearbyint(trained - i * ratio) - 1.0);
                break;
        }
    }
    return timesteps;
}

void truncate(std::vector<double>& timesteps) {
    for (double& timestep : timesteps)
        timestep = std::trunc(timestep);
}

std::vector<double> scaled(const std::vector<double>& sigmas, double factor) {
    std::vector<double> result = sigmas;
    for (double& value : result)
        value *= factor;
    return result;
}

std::vector<float> withFinal(const std::vector<double>& sigmas, double last) {
    std::vector<float> result(sigmas.size() + 1);
    std::ranges::transform(sigmas, result.begin(), [](double sigma) { return static_cast<float>(sigma); });
    result.back() = static_cast<float>(last);
    return result;
}

void refuseCustom(std::span<const double> custom, const SchedulerConfig& config) {
    if (!custom.empty())
        throw Error(ErrorKind::Project,
                    sentence("custom sigmas need the evenly spaced flow schedule of {}", config.className),
                    "sigmas",
                    hasOwnLevels(config.spacing)
                        ? sentence("Remove them, or the key sigma_spacing")
                        : sentence("Switch `use_karras_sigmas` and `use_exponential_sigmas` off"));
}

SigmaSchedule spacedByTraining(const SchedulerConfig& config, int steps) {
    const std::vector<double> training = trainingSigmas(config);
    SigmaSchedule schedule;
    std::vector<double> sigmas;
    if (config.spacing == SigmaSpacing::Training) {
        schedule.timesteps = spacedTimesteps(config, steps);
        for (const double timestep : schedule.timesteps) {
            const double inside = std::clamp(timestep, 0.0, static_cast<double>(training.size() - 1));
            sigmas.push_back(training[static_cast<std::size_t>(inside)]);
        }
        schedule.sigmas = withFinal(sigmas, config.finalSigma == FinalSigma::Zero ? 0.0 : training.front());
        return schedule;
    }
    const bool isKarras = config.spacing == SigmaSpacing::Karras;
    const double sigmaMin = config.sigmaMin.value_or(training.front());
    const double sigmaMax = config.sigmaMax.value_or(training.back());
    sigmas = (isKarras ? karras : exponential)(sigmaMax, sigmaMin, steps);
    if (config.flowSigmas) {
        for (double& sigma : sigmas)
            sigma = sigma / (sigma + 1.0);
        schedule.timesteps = scaled(sigmas, config.numTrainTimesteps);
    } else {
        for (const double sigma : sigmas) {
            const double timestep = toTimestep(sigma, training);
            schedule.timesteps.push_back(isKarras ? std::nearbyint(timestep) : timestep);
        }
    }
    truncate(schedule.timesteps);
    schedule.sigmas = withFinal(sigmas, config.finalSigma == FinalSigma::Zero ? 0.0 : sigmas.back());
    return schedule;
}

/// f32(shift * t / (1 + (shift - 1) * t)) of the first Wan training sigma, (trained - 1) / trained; the last
/// is 0.
double wanSigmaMax(const SchedulerConfig& config) {
    return static_cast<double>(static_cast<float>(1.0 - 1.0 / config.numTrainTimesteps));
}

SigmaSchedule flowSchedule(const SchedulerConfig& config, const std::vector<double>& sigmas) {
    SigmaSchedule schedule;
    schedule.timesteps = scaled(sigmas, config.numTrainTimesteps);
    truncate(schedule.timesteps);
    schedule.sigmas = withFinal(sigmas, config.finalSigma == FinalSigma::Zero ? 0.0 : sigmas.back());
    return schedule;
}

std::vector<double> customOr(std::span<const double> custom, std::vector<double> evenly, int steps) {
    if (!custom.empty())
        return {custom.begin(), custom.end()};
    evenly.resize(static_cast<std::size_t>(steps));  // drops the final level, which is appended later
    return evenly;
}

/// Returns the quantile at p of the beta distribution, by bisection.
double betaQuantile(double p, double alpha, double beta) {
    if (p >= 1)
        return 1;
    constexpr double exact = 1e-15;  // one half is the middle of a symmetric distribution to the last bit
    double low = 0;
    double high = 1;
    for (;;) {
        const double middle = 0.5 * (low + high);
        const double below = regularisedBeta(middle, alpha, beta);
        if (std::abs(below - p) < exact || middle == low || middle == high)
            return middle;
        (below < p ? low : high) = middle;
    }
}

/// Training timesteps at even quantiles of a beta distribution, as noise levels of the flow. Equal neighbours
/// are one, so that there may be fewer than `steps`.
std::vector<double> betaSigmas(const SchedulerConfig& config, int steps, double alpha, double beta) {
    const double last = config.numTrainTimesteps - 1.0;
    std::vector<double> sigmas;
    for (int step = 0; step < steps; ++step) {
        const double quantile = betaQuantile(1.0 - static_cast<double>(step) / steps, alpha, beta);
        const double timestep = std::nearbyint(quantile * last) + 1;
        const double sigma = shifted(config.flowShift, timestep / config.numTrainTimesteps);
        if (sigmas.empty() || sigma != sigmas.back())
            sigmas.push_back(sigma);
    }
    return sigmas;
}

/// `count` levels from `first` to `last` along an arc tangent that is steepest at `pivot`.
std::vector<double> tangentSigmas(int count, double slope, double pivot, double first, double last) {
    const auto value = [&](double x) {
        return (2.0 / std::numbers::pi * std::atan(-slope * (x - pivot)) + 1.0) / 2.0;
    };
    const double least = value(count - 1);
    const double scale = (first - last) / (value(0) - least);
    std::vector<double> sigmas;
    for (int i = 0; i < count; ++i)
        sigmas.push_back((value(i) - least) * scale + last);
    return sigmas;
}

/// Two arcs that meet at one half after 0.6 of the steps; the flow shift has no part in them.
std::vector<double> bongTangentSigmas(int steps) {
    if (steps == 1)
        return {1.0};
    constexpr double pivot = 0.6;
    constexpr double slope = 0.2;
    constexpr double slopeSteps = 40;
    constexpr double middle = 0.5;
    const int count = steps + 2;
    const auto first = static_cast<int>(pivot * count);
    const double steepness = slope / (count / slopeSteps);
    std::vector<double> sigmas = tangentSigmas(first, steepness, first, 1.0, middle);
    sigmas.pop_back();
    const std::vector<double> second = tangentSigmas(count - first, steepness, 0, middle, 0.0);
    sigmas.insert(sigmas.end(), second.begin(), second.end());
    sigmas.pop_back();  // the final level, which is appended later
    return sigmas;
}

/// The levels of a spacing for which hasOwnLevels().
std::vector<double> ownLevels(const SchedulerConfig& config, int steps) {
    switch (config.spacing) {
        case SigmaSpacing::Beta:
            return betaSigmas(config, steps, 0.6, 0.6);
        case SigmaSpacing::Beta57:
            return betaSigmas(config, steps, 0.5, 0.7);
        default:
            return bongTangentSigmas(steps);
    }
}

/// At sigma 1 the log of alpha = 1 - sigma is infinite.
void keepBelowOne(std::vector<double>& sigmas) {
    constexpr double epsilon = 1e-6;
    if (std::abs(sigmas.front() - 1.0) < epsilon)
        sigmas.front() -= epsilon;
}

/// Levels that begin below one, for a solver that needs a finite log of the first alpha.
SigmaSchedule ownSchedule(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    refuseCustom(custom, config);
    std::vector<double> sigmas = ownLevels(config, steps);
    keepBelowOne(sigmas);
    return flowSchedule(config, sigmas);
}

}  // namespace

std::span<const OwnSpacing> ownSpacings() {
    static constexpr std::array<OwnSpacing, 3> rows{{
        {"beta", SigmaSpacing::Beta,
         "Dense at both ends: quantiles of the beta distribution with 0.6 and 0.6, shifted by flow_shift."},
        {"beta57", SigmaSpacing::Beta57, "The same with 0.5 and 0.7, which gives more steps to low noise."},
        {"bong_tangent", SigmaSpacing::BongTangent,
         "Two arc tangents that meet at half the noise after 0.6 of the steps; flow_shift has no effect."},
    }};
    return rows;
}

const OwnSpacing* findOwnSpacing(std::string_view name) {
    const auto found = std::ranges::find(ownSpacings(), name, &OwnSpacing::name);
    return found == ownSpacings().end() ? nullptr : &*found;
}

bool hasOwnLevels(SigmaSpacing spacing) {
    return std::ranges::find(ownSpacings(), spacing, &OwnSpacing::spacing) != ownSpacings().end();
}

SigmaSchedule uniPcSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    if (hasOwnLevels(config.spacing))
        return ownSchedule(config, steps, custom);
    if (config.spacing != SigmaSpacing::Flow) {
        refuseCustom(custom, config);
        return spacedByTraining(config, steps);
    }
    std::vector<double> sigmas =
        customOr(custom, linspace(1.0, 1.0 / config.numTrainTimesteps, steps + 1), steps);
    applyShift(sigmas, config.flowShift);
    if (config.shiftTerminal)
        stretchToTerminal(sigmas, *config.shiftTerminal);
    keepBelowOne(sigmas);
    return flowSchedule(config, sigmas);
}

SigmaSchedule flowEulerSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    const double trained = config.numTrainTimesteps;
    std::vector<double> sigmas;
    if (hasOwnLevels(config.spacing)) {
        refuseCustom(custom, config);
        sigmas = ownLevels(config, steps);
    } else if (custom.empty()) {
        // The class shifts its training sigmas in f32 when it is made, takes their ends, and shifts again.
        const auto shift = static_cast<float>(config.flowShift);
        const double sigmaMax = shifted(shift, 1.0F);
        const double sigmaMin = shifted(shift, 1.0F / static_cast<float>(trained));
        sigmas = linspace(sigmaMax * trained, sigmaMin * trained, steps);
        for (double& sigma : sigmas)
            sigma /= trained;
        applyShift(sigmas, config.flowShift);
    } else {
        // numpy keeps an f32 array f32 through the shift.
        for (const double sigma : custom)
            sigmas.push_back(shifted(static_cast<float>(config.flowShift), static_cast<float>(sigma)));
    }
    if (config.shiftTerminal && !hasOwnLevels(config.spacing))
        stretchToTerminal(sigmas, *config.shiftTerminal);
    if (config.spacing == SigmaSpacing::Karras)
        sigmas =
            karras(config.sigmaMax.value_or(sigmas.front()), config.sigmaMin.value_or(sigmas.back()), steps);
    else if (config.spacing == SigmaSpacing::Exponential)
        sigmas = exponential(config.sigmaMax.value_or(sigmas.front()),
                             config.sigmaMin.value_or(sigmas.back()), steps);

    SigmaSchedule schedule;
    schedule.sigmas = withFinal(sigmas, 0.0);
    for (const float sigma : std::span(schedule.sigmas).first(sigmas.size()))
        schedule.timesteps.push_back(sigma * static_cast<float>(trained));
    return schedule;
}

SigmaSchedule flowHeunSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    const SigmaSchedule single = flowEulerSigmas(config, steps, custom);
    SigmaSchedule twice;
    for (std::size_t index = 0; index < single.timesteps.size(); ++index)
        for (int copy = index == 0 ? 1 : 0; copy < 2; ++copy) {
            twice.sigmas.push_back(single.sigmas[index]);
            twice.timesteps.push_back(single.timesteps[index]);
        }
    twice.sigmas.push_back(single.sigmas.back());
    return twice;
}

SigmaSchedule flowRes2sSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    const SigmaSchedule single = flowEulerSigmas(config, steps, custom);
    SigmaSchedule both;
    const auto add = [&](float sigma) {
        both.sigmas.push_back(sigma);
        both.timesteps.push_back(sigma * static_cast<float>(config.numTrainTimesteps));
    };
    for (std::size_t index = 0; index < single.timesteps.size(); ++index) {
        add(single.sigmas[index]);
        if (index + 1 < single.timesteps.size())
            add(std::sqrt(single.sigmas[index] * single.sigmas[index + 1]));
    }
    both.sigmas.push_back(single.sigmas.back());
    return both;
}

SigmaSchedule wanUniPcSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    if (hasOwnLevels(config.spacing))
        return ownSchedule(config, steps, custom);
    std::vector<double> sigmas = customOr(custom, linspace(wanSigmaMax(config), 0.0, steps + 1), steps);
    applyShift(sigmas, config.flowShift);
    return flowSchedule(config, sigmas);
}

SigmaSchedule wanDpmSigmas(const SchedulerConfig& config, int steps, std::span<const double> custom) {
    if (hasOwnLevels(config.spacing))
        return ownSchedule(config, steps, custom);
    std::vector<double> sigmas = customOr(custom, linspace(1.0, 0.0, steps + 1), steps);
    if (custom.empty())
        applyShift(sigmas, config.flowShift);
    return flowSchedule(config, sigmas);
}

}  // namespace meshreel
