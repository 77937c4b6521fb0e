// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/stop_token.h"
#include "engine/studies/evaluation/evaluation_settings.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The video that the model makes of a prompt, and of the picture in a file unless that is empty, on this
/// machine, u8 [time, height, width, 3]. Errors as
/// makePlan() and generate().
Tensor videoOf(const std::string& prompt, std::uint64_t seed, const std::filesystem::path& firstFrame,
               const EvaluationSettings& settings, const StopToken& stop);

}  // namespace meshreel
