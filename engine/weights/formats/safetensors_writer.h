// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/weights_writer.h"

namespace meshreel {

/// The layout of a safetensors file. It depends only on the contents: tensors are in order of falling
/// alignment, then name, as the reference implementation writes them.
struct SafetensorsLayout {
    std::string head;                ///< length and header, the bytes before the data
    std::vector<std::size_t> order;  ///< indices of the tensors in the order of their data
    std::size_t dataBytes = 0;
};

/// Throws Error{Internal} for a name given twice, Error{Project} for a type in blocks, which safetensors has
/// no name for.
SafetensorsLayout layoutSafetensors(std::span<const StoredSpec> tensors, const SafetensorsMetadata& metadata);
SafetensorsLayout layoutSafetensors(std::span<const TensorSpec> tensors, const SafetensorsMetadata& metadata);

/// Fills `values` with the f32 numbers of tensors[index] from its element `first` on.
using TensorFiller = std::function<void(std::size_t index, std::int64_t first, std::span<float> values)>;

/// writeSafetensors for tensors that no memory holds at once: `fill` is asked for pieces of a few MiB, which
/// are converted (F32, F16, BF16) and written. Without `fill` the data is a hole: zeros that take no disk.
/// Throws Error{Internal} for another dtype, and what writeFileAtomically and `fill` throw.
void streamSafetensors(const std::filesystem::path& file, std::span<const TensorSpec> tensors,
                       const TensorFiller& fill, const SafetensorsMetadata& metadata = {});

/// Writes directly into `file`, for a file that is not read before it is complete and need not survive a
/// power cut. Throws Error{Resources} when it cannot be written.
void streamSafetensorsInPlace(const std::filesystem::path& file, std::span<const TensorSpec> tensors,
                              const TensorFiller& fill, const SafetensorsMetadata& metadata = {});

}  // namespace meshreel
