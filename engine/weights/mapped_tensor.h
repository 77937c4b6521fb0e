// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "engine/tensor/tensor.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {

/// A tensor whose bytes lie in a mapped file: a view of them, or a copy where they are not aligned to the
/// type. Throws Error{Input} at `where` for a BOOL that is neither 0 nor 1.
Tensor mappedTensor(const std::shared_ptr<const MappedFile>& map, std::span<const std::byte> data,
                    const Shape& shape, DType type, const std::string& where);

}  // namespace meshreel
