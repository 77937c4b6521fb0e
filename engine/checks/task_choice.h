// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project.h"

namespace meshreel {

/// What a project does on a model of a family.
struct TaskChoice {
    WanTask task = WanTask::TextToVideo;
    std::vector<Problem> problems;  ///< contains errors when the model or the inputs are not usable
};

/// Returns the task that the project names or, with `auto`, that its inputs mean.
TaskChoice chooseTask(const Project& project, const ModelFamily& family);

/// Returns whether guidance has a third pass, without the subjects of reference_images.
bool guidesImages(const Project& project, const ModelFamily& family);

/// Returns whether a project on a model of the family could read the key: one that belongs to no task, or to
/// the named task or, with `auto`, to any task that the model does.
bool mayRead(const Project& project, const ModelFamily& family, std::string_view key);

}  // namespace meshreel
