// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What a packed linear layer is made of, to be kept in a file and mapped again.
struct PackedForm {
    Arithmetic arithmetic = Arithmetic::F32;
    std::int64_t outFeatures = 0;
    std::int64_t inFeatures = 0;

    /// The layout of `parts`: "oneDNN 2.6.3 bf16 32a64b2a ...". Another text is another layout.
    std::string format;

    /// The weight first; a missing bias has no elements. Their number, shapes and types follow from the
    /// format and the features.
    std::vector<Tensor> parts;
};

/// The bytes of a bias: none, or out · 4.
inline constexpr std::size_t biasPart = static_cast<std::size_t>(-1);

/// Throws Error{Input} unless the parts have these sizes in bytes.
void requireParts(const PackedForm& form, std::initializer_list<std::size_t> bytes);

}  // namespace meshreel
