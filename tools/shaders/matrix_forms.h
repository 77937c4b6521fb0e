// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace meshreel {

/// What the products of the rewritten module multiply.
enum class MatrixFactors : std::uint8_t {
    Half,      ///< f16, as the module has it
    Bfloat16,  ///< bf16 for f16, wherever the module has it
    Int8,      ///< int8, as the module has it; sums are int32
};

/// The name with which glslang writes an array of words as a header of C.
std::string spirvHeader(std::span<const std::uint32_t> words, const std::string& name);

/// A SPIR-V module of SPV_NV_cooperative_matrix as one of SPV_KHR_cooperative_matrix. A matrix type of the
/// latter says whether it is the left factor, the right one or the sum; that follows from the products, so
/// each use needs a type of its own. Throws std::runtime_error with a sentence when the module is another
/// than expected.
std::vector<std::uint32_t> toKhrMatrices(std::span<const std::uint32_t> module, MatrixFactors factors);

}  // namespace meshreel
