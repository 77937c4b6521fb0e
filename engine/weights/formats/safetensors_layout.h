// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/weights/formats/safetensors.h"
#include "engine/weights/tensor_spec.h"
#include "engine/weights/weights_writer.h"

namespace meshreel {

/// Where everything of a safetensors file lies. It depends only on what it is made of: tensors lie in order
/// of falling alignment, then name, as the reference implementation lays them.
struct SafetensorsLayout {
    std::string head;                ///< length and header, the bytes before the data
    std::vector<std::size_t> order;  ///< indices of the tensors in the order in which their data lie
    std::size_t dataBytes = 0;
};

/// Throws Error{Internal} for a name given twice, Error{Project} for a type in blocks, which safetensors has
/// no name for.
SafetensorsLayout layoutSafetensors(std::span<const StoredSpec> tensors, const SafetensorsMetadata& metadata);
SafetensorsLayout layoutSafetensors(std::span<const TensorSpec> tensors, const SafetensorsMetadata& metadata);

}  // namespace meshreel
