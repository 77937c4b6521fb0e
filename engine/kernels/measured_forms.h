// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/linear/arithmetic.h"

namespace meshreel {

// In which form a GPU computes, as the user's cache knows it from measurements of earlier processes.

/// Returns the form in which a GPU multiplies in linear layers with such weights, or in convolutions of bf16;
/// nothing before it was measured with today's shaders, or when there is no choice. `gpu` is GpuFacts::id.
std::optional<MatrixForm> measuredLinearForm(const std::string& gpu, Arithmetic arithmetic);
std::optional<MatrixForm> measuredConvolutionForm(const std::string& gpu);

/// Returns whether a kernel convolves in the form of this name: those are compared where none was measured.
bool convolvesIn(std::string_view form);

/// Adds what the tuning knows about the forms that the device offers: their rates, the ones that linear
/// layers use, and why they do not use the others: by how much these are slower, or that none was measured.
void addMeasuredForms(GpuFacts& facts, const GpuTuning& tuning);

/// Returns what all drivers of this system answer, `again` also those that failed before, with what was
/// measured of each GPU: for lists of devices. Throws as askDrivers() does.
std::vector<GpuDriver> askMeasuredDrivers(bool again);

}  // namespace meshreel
