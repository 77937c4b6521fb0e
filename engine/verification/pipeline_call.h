// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/verification/golden_files.h"

namespace meshreel {

/// The arguments of a golden pipeline case's call; defaults are those of diffusers' WanPipeline.
struct PipelineCall {
    std::vector<std::string> prompts;          ///< one a video; empty: the case gives embeddings
    std::vector<std::string> negativePrompts;  ///< as many as prompts
    std::int64_t videosPerPrompt = 1;
    int steps = 50;
    double guidanceScale = 5.0;
    double guidanceScale2 = 5.0;  ///< of the second expert; as the first where it is not given
    std::int64_t maxSequenceLength = 512;
    std::optional<std::int64_t> height;  ///< of what the case gives to see
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> frames;
    double strength = 0.8;                        ///< of video to video
    std::vector<double> conditioningScales{1.0};  ///< of VACE
};

/// Reads the call from case.json's `call` or, where there is none, from the first JSON object of the README's
/// line "Call: …", the only place where the cases keep it. Throws Error{Input} when neither has one and
/// Error{Project} for an argument that Meshreel does not know.
PipelineCall readPipelineCall(const GoldenFiles& files);

}  // namespace meshreel
