// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
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

/// Returns whether a file's name is that of an adapter of Stable Video Infinity 2.0 Pro, which makes chains
/// of clips of a model of image to video ("SVI_v2_PRO_Wan2.2-I2V-A14B_HIGH_lora_rank_128_fp16.safetensors"):
/// SVI and, behind it, PRO stand in it as words, between what is no letter.
bool isChainAdapter(const std::string& file);

/// Returns whether the project's adapters make a chain of clips: the model is given the anchor `image` and
/// the last latent of the clip before, in channels beside the latents. Never of a model without such
/// channels.
bool chainsClips(const Project& project, const ModelFamily& family, WanTask task);

/// Returns whether `image` does not say how the project's video begins, so that a clip that continues another
/// one keeps it: the anchor of a chain, or the character of an animation.
bool keepsImage(const Project& project);

/// Returns how many frames of continue_from the clip begins with; 0 where it continues none. Where nobody
/// says how many, an animation takes as many as its segments take of each other.
std::int64_t continuedFrames(const Project& project, const ModelFamily& family, WanTask task);

/// Returns whether guidance has more than two passes in some step: without pictures, or a video.
bool guidesImages(const Project& project, const ModelFamily& family);

/// Returns whether a project on a model of the family could read the key: one that belongs to no task, or to
/// the named task or, with `auto`, to any task that the model does.
bool mayRead(const Project& project, const ModelFamily& family, std::string_view key);

}  // namespace meshreel
