// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "engine/weights/formats/safetensors.h"
#include "engine/weights/tensor_spec.h"

namespace meshreel {

/// Fills `values` with the f32 numbers of tensors[index] from its element `first` on.
using TensorFiller = std::function<void(std::size_t index, std::int64_t first, std::span<float> values)>;

/// writeSafetensors for tensors that no memory holds at once: `fill` is asked for pieces of a few MiB, which
/// are converted (F32, F16, BF16) and written. Without `fill` the data is a hole: zeros that take no disk.
/// Throws Error{Internal} for another dtype, and what writeFileAtomically and `fill` throw.
void streamSafetensors(const std::filesystem::path& file, std::span<const TensorSpec> tensors,
                       const TensorFiller& fill, const SafetensorsMetadata& metadata = {});

/// The same straight into `file`, for one that nobody else sees before it is whole and that need not outlive
/// a power cut. Throws Error{Resources} when it cannot be written.
void streamSafetensorsInPlace(const std::filesystem::path& file, std::span<const TensorSpec> tensors,
                              const TensorFiller& fill, const SafetensorsMetadata& metadata = {});

}  // namespace meshreel
