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
    std::vector<Problem> problems;  ///< with errors when the model or the inputs do not do
};

/// The task that the project names or, with `auto`, that its inputs mean.
TaskChoice chooseTask(const Project& project, const ModelFamily& family);

/// Whether guidance has a third pass, without the subjects of reference_images.
bool guidesImages(const Project& project, const ModelFamily& family);

/// Whether a project on a model of the family could read the key: one that no task has for itself or, of the
/// keys of tasks, those of the named task or, with `auto`, of any that the model does.
bool mayRead(const Project& project, const ModelFamily& family, std::string_view key);

}  // namespace meshreel
