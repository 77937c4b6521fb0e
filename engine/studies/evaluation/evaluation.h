// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/studies/evaluation/evaluation_folder.h"
#include "engine/studies/evaluation/evaluation_settings.h"
#include "engine/studies/evaluation/figures.h"

namespace meshreel {

struct Evaluation {
    EvaluationSettings settings;
    std::vector<EvaluatedClip> clips;
    std::vector<Figure> figures;
};

/// Told after each video: how many are done, and the newest.
using OnEvaluatedClip = std::function<void(std::size_t done, const EvaluatedClip& newest)>;

/// Makes the video of every prompt that `folder` does not hold yet and measures all of them. Stopped or
/// failed, it keeps what was made; called again it goes on.
Evaluation evaluateModel(const EvaluationSettings& settings, std::span<const HeldOutPrompt> prompts,
                         const EvaluationFolder& folder, const OnEvaluatedClip& onClip,
                         const StopToken& stop);

/// figures.json and contact-sheet.png, in the evaluation's folder.
void writeResults(const Evaluation& evaluation, const EvaluationFolder& folder);

}  // namespace meshreel
