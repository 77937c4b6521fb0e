// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

/// A matrix of an adapter's file: one tensor, or the product of two.
struct AdapterMatrix {
    const FileTensor* left = nullptr;   ///< [rows, columns, …], or [rows, rank]
    const FileTensor* right = nullptr;  ///< [rank, columns, …]; nullptr: `left` is the matrix

    [[nodiscard]] std::int64_t rows() const;
    [[nodiscard]] std::int64_t columns() const;
    /// Returns whether the two can be multiplied.
    [[nodiscard]] bool isConsistent() const;
    /// Returns rows [first, first + count), f32 [count, columns].
    [[nodiscard]] Tensor readRows(const TensorFile& file, std::int64_t first, std::int64_t count) const;
};

/// How the matrices of a change make a difference of weights.
enum class AdapterForm : std::uint8_t {
    Plain,      ///< the first matrix: LoRA's up · down, or a whole difference
    Hadamard,   ///< the products of equal places of both: LoHa
    Kronecker,  ///< every element of the first times the whole second: LoKr
};

/// What an adapter does to one tensor: weight + scale · difference and, with magnitudes (DoRA), the length of
/// each row or column of that set to its magnitude.
struct AdapterChange {
    AdapterForm form = AdapterForm::Plain;
    AdapterMatrix first{};
    AdapterMatrix second{};     ///< absent for Plain
    double scale = 1.0;         ///< without the adapter's strength
    std::int64_t firstRow = 0;  ///< first row of the difference, if the target is a part of it

    const FileTensor* magnitudes = nullptr;  ///< for DoRA: one number for each row or each input channel
    bool ofRows = true;

    [[nodiscard]] bool isLowRank() const { return form != AdapterForm::Plain || first.right != nullptr; }

    /// Returns whether the difference has the size of `parts` tensors of this shape, one after the other.
    [[nodiscard]] bool fits(const Shape& shape, std::int64_t parts) const;

    /// Adds factor · difference to `rows`, f32, which are at `place` of the target.
    void addDifference(const TensorFile& file, const RowsPlace& place, double factor, Tensor& rows) const;

    /// Magnitude / length of each row or input channel of weight + scale · difference; 0 if that is 0.
    [[nodiscard]] std::vector<float> magnitudeFactors(const TensorFile& file, const RowsBefore& weight) const;

    /// weight += strength · (factors · (weight + scale · difference) - weight).
    void applyMagnitudes(const TensorFile& file, const RowsPlace& place, const std::vector<float>& factors,
                         double strength, Tensor& rows) const;
};

}  // namespace meshreel
