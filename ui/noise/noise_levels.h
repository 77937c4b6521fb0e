// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace meshreel {

struct RunPlan;

/// One step of the denoising loop.
struct NoiseStep {
    double level = 1;        ///< what the model is told when it begins: timestep over training timesteps
    double sigma = 1;        ///< the scheduler's
    int expert = 1;          ///< 1: `transformer`, 2: `transformer_2`
    double guidance = 1;     ///< 1: not guided
    bool shortened = false;  ///< a step cache may leave out a part of it
};

/// The noise levels of a run, and which expert works on which.
struct NoiseLevels {
    std::vector<NoiseStep> steps;
    std::vector<double>
        unshifted;  ///< level of each step without the flow shift; empty where that says nothing
    double flowShift = 1;
    std::optional<double> boundary;  ///< level from which on down the second expert works
    QString scheduler;               ///< as the project names it
};

NoiseLevels noiseLevelsOf(const RunPlan& plan);

/// "high noise", "low noise"; of a single transformer "transformer".
QString expertText(const NoiseLevels& levels, int expert);

/// Scheduler, steps and shift, and who computes which steps, in sentences.
QString noiseSentences(const NoiseLevels& levels);

/// What a step does, in lines.
QString noiseStepText(const NoiseLevels& levels, int step);

}  // namespace meshreel
