// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace meshreel {

/// How the videos of an evaluation are made; the defaults are what the embedded model's card recommends.
struct EvaluationSettings {
    std::string model;  ///< as a project's pretrained_model_name_or_path
    std::int64_t width = 64;
    std::int64_t height = 64;
    std::int64_t frames = 17;
    std::string preset = "none";  ///< of sampling; see followPreset()
    std::int64_t steps = 24;
    double guidance = 3.0;
    double flowShift = 3.0;
    std::uint64_t seed = 77;  ///< of the first prompt; each one has the next
};

/// Steps, guidance and flow shift of the preset, where there is one.
void followPreset(EvaluationSettings& settings);

}  // namespace meshreel
