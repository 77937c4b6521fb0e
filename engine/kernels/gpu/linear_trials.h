// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/gpu_work.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/gpu/gpu_kernel_search.h"
#include "engine/kernels/gpu/kernel_trial.h"
#include "engine/kernels/kernel_sizes.h"
#include "engine/kernels/linear/arithmetic.h"

namespace meshreel {

/// Returns what compares the ways to multiply rows of bf16 by weights of bf16, and rounded rows by int8
/// weights.
KernelTrial linearTrial(GpuPipelines& pipelines);
KernelTrial int8LinearTrial(GpuPipelines& pipelines);

/// Returns every way in which matrix units may cut a layer: values of VariantFilter::block.
std::vector<std::string> linearBlocks();

/// Returns the form in which the GPU multiplies rows of bf16 by such weights; nothing before it has been
/// asked to, or when there is no choice.
std::optional<MatrixForm> linearFormOn(GpuPipelines& pipelines, Arithmetic arithmetic);

/// Returns the same as linearFormOn() by the measurements of a GPU.
std::optional<MatrixForm> linearFormIn(const GpuTuning& tuning, Arithmetic arithmetic);

/// Returns the forms in which the GPU can multiply by int8 weights, as far as its tuning's filter admits
/// them.
std::vector<MatrixForm> int8FormsOn(GpuPipelines& pipelines);

/// Returns the candidates for these layers together, on rows of bf16, or on rounded ones for int8. Throws
/// Error{Device} or Error{Resources} when the largest rows and weights do not fit the GPU's memory.
GpuKernelSearch searchLinear(GpuWork& gpu, const std::vector<LayerSize>& layers, Arithmetic arithmetic);

}  // namespace meshreel
