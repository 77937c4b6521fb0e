// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/catalogue/model_facts.h"
#include "engine/estimates/video_shape.h"
#include "engine/project/project.h"

namespace meshreel {

struct RunTask;

/// Returns the size that a picture is encoded in for Bernini-R: as large as it is, or shrunk so that its
/// longer side is `most`, each side rounded to a multiple of `multiple`, half to even. VAEImageTransform of
/// Bernini's tools/vae_transform.py, without its limit of 2048 x 2048 pixels.
PictureSize sourceSize(const PictureSize& picture, std::int64_t most, std::int64_t multiple);

/// Returns the sizes that reference_images are encoded in, in their order. A file that cannot be read counts
/// as one of the video's size: whoever opens it says so.
std::vector<PictureSize> readSourceSizes(const Project& project, const ModelFacts& model);

/// Returns Bernini-R's sources as token groups: the video, then each picture, as source 1 and on. Their
/// places in time begin at 0. Reads these parts of the task: project, model, latentShape and pictures.
std::vector<GroupShape> sourceGroups(const RunTask& task);

}  // namespace meshreel
