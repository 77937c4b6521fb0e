// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Whether a model makes videos of images only. Errors as findModel() and readModelFacts().
bool needsFirstFrame(const std::string& model);

/// The shipped pictures: evaluation/first-frames.png in resourceFolder(), one of 64x64 for each held-out
/// prompt, row by row.
std::filesystem::path firstFramesFile();

/// u8 [64, 64, 3] each. Throws Error{Input} for a file that is missing or does not hold `count` of them.
std::vector<Tensor> readFirstFrames(const std::filesystem::path& file, std::size_t count);

/// dB between a video's first frame and the picture that it was made of. `frames` u8 [time, height, width,
/// 3]; nothing where the picture has another size. Equal pictures count as 100 dB.
std::optional<double> firstFrameKept(const Tensor& frames, const Tensor& picture);

}  // namespace meshreel
