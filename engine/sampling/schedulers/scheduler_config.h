// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace meshreel {

/// How the noise levels of a run are spaced.
enum class SigmaSpacing {
    Flow,         ///< evenly in the flow's time, then shifted (`use_flow_sigmas`, what Wan uses)
    Karras,       ///< evenly in sigma^(1/7) (Karras et al., 2022)
    Exponential,  ///< evenly in log sigma
    Training,     ///< evenly in the training timesteps of the variance-preserving schedule
};

enum class FinalSigma { Zero, SigmaMin };
enum class TimestepSpacing { Linspace, Leading, Trailing };
enum class UniPcSolver { Bh1, Bh2 };
enum class DpmSolver { Midpoint, Heun };

/// What a diffusers `scheduler_config.json` says, for the classes of schedulerKinds(). Defaults are
/// upstream's.
struct SchedulerConfig {
    std::string className = "UniPCMultistepScheduler";
    int numTrainTimesteps = 1000;
    double flowShift = 1.0;  ///< `flow_shift` (UniPC) or `shift` (all others)
    std::optional<double> shiftTerminal;

    SigmaSpacing spacing = SigmaSpacing::Flow;
    bool flowSigmas = true;  ///< alpha = 1 - sigma; otherwise alpha = 1 / sqrt(1 + sigma^2)
    TimestepSpacing timestepSpacing = TimestepSpacing::Linspace;
    int stepsOffset = 0;
    FinalSigma finalSigma = FinalSigma::Zero;
    std::optional<double> sigmaMin;  ///< ends of the Karras and exponential spacings
    std::optional<double> sigmaMax;
    double betaStart = 0.0001;
    double betaEnd = 0.02;
    bool scaledLinearBetas = false;

    int solverOrder = 2;
    UniPcSolver uniPcSolver = UniPcSolver::Bh2;
    DpmSolver dpmSolver = DpmSolver::Midpoint;
    bool lowerOrderFinal = true;
    bool eulerAtFinal = false;
    std::vector<int> disableCorrector;  ///< steps after which UniPC does not correct

    /// Reads a scheduler config; keys of other purposes are ignored. Throws Error{Input} with `where` for a
    /// value of the wrong type and for a setting that is not supported.
    static SchedulerConfig fromJson(const nlohmann::json& json, const std::string& where);
};

}  // namespace meshreel
