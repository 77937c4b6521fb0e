// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/control_check.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/checks/task_choice.h"
#include "engine/models/families/model_family.h"
#include "engine/project/input_files.h"

namespace meshreel {

std::vector<Problem> controlPictureProblems(const Project& project, const ModelFacts& model) {
    constexpr std::string_view picturesKey = "reference_images";
    constexpr std::int64_t fewestFrames = 5;  // of two latent frames
    const WanTaskRow& task = rowOf(chooseTask(project, *model.family).task);
    if (task.task != WanTask::ControlToVideo)
        return {};
    std::vector<Problem> problems;
    const std::vector<std::string> references = inputFiles(project, *findInputKey(picturesKey));
    if (!references.empty() && model.transformer.referenceChannels == 0)
        problems.push_back(
            {.id = "task-input-unused",
             .key = std::string(picturesKey),
             .involved = {"pretrained_model_name_or_path"},
             .message = sentence("this model takes no reference picture (its transformer has no "
                                 "ref_conv)"),
             .fixes =
                 setKey(sentence("Remove the line, or use Fun Control V1.1 or 2.2"), picturesKey, {""})});
    else if (references.size() > 1)
        problems.push_back(
            {.id = "references-too-many",
             .key = std::string(picturesKey),
             .message = sentence("{} names {} pictures, and {} ({}) takes one", picturesKey,
                                 references.size(), tableText(task.title), task.name),
             .fixes = setKey(sentence("Leave out the last ones"), picturesKey, {references.front()})});
    if (!project.image.empty() && project.numFrames < fewestFrames)
        problems.push_back({.id = "value-below-least",
                            .key = "num_frames",
                            .involved = {"image"},
                            .message = sentence("with image {} ({}) makes {} frames at least",
                                                tableText(task.title), task.name, fewestFrames),
                            .fixes = setKey({}, "num_frames", {std::to_string(fewestFrames)})});
    return problems;
}

}  // namespace meshreel
