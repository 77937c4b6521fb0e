// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_list.h"
#include "engine/project/gpu_choice.h"

namespace meshreel {

/// Returns the GPUs that a choice means: those of its numbers, or of `automatic` the first of realGpus().
/// None when it means none or `automatic` finds none: software drivers are taken by number only. Throws
/// Error{Project} for a number that is not there and for a GPU that cannot be used, with the numbers that can
/// be as fixes.
std::vector<ChosenGpu> chooseGpus(const GpuChoice& choice, const std::vector<GpuDriver>& drivers);

}  // namespace meshreel
