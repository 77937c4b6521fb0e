// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/project/project.h"

namespace meshreel {

/// Returns why the project's task cannot leave blocks of tokens out, which `sparse_attention` asks for; empty
/// for tasks whose videos attend to themselves alone. What modes and GPUs leave out, others say
/// (attentionProblems(), gpuProblems()).
std::vector<Problem> sparseAttentionProblems(const Project& project, const ModelFacts& model);

}  // namespace meshreel
