// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/sparse_check.h"

#include <string>

#include "engine/checks/task_choice.h"
#include "engine/models/families/model_family.h"

namespace meshreel {

std::vector<Problem> sparseAttentionProblems(const Project& project, const ModelFacts& model) {
    const WanTaskRow& task = rowOf(chooseTask(project, *model.family).task);
    if (project.sparseAttention == noSparseAttention || task.task != WanTask::DrivenAnimation)
        return {};
    return {{.id = "sparse-attention-not-for-task",
             .key = "sparse_attention",
             .involved = {"task"},
             .message = sentence("{} ({}) attends to a driving video as well, whose keys lie in no blocks "
                                 "that sparse_attention {} could leave out",
                                 tableText(task.title), task.name, project.sparseAttention),
             .fixes = setKey(sentence("Write none"), "sparse_attention", {std::string(noSparseAttention)})}};
}

}  // namespace meshreel
