// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/studies/evaluation/evaluation.h"

namespace meshreel {

/// The figures as aligned text: measured, wanted, whether reached.
std::string evaluationTable(const Evaluation& evaluation);

/// {"model", "size", "prompts", "steps", …, "figures": […], "clips": [{"prompt", "wanted", "found"}]}
std::string evaluationJson(const Evaluation& evaluation);

/// "a red ball …: colour, background, motion right; shape star, not ball", one line.
std::string findingsLine(const EvaluatedClip& clip);

}  // namespace meshreel
