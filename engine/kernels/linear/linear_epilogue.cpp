// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/linear_epilogue.h"

#include <cstddef>

#include "engine/kernels/rows/activations.h"

namespace meshreel {

namespace {

void activateRow(LinearActivation activation, std::span<float> values) {
    switch (activation) {
        case LinearActivation::None:
            return;
        case LinearActivation::GeluTanh:
            return geluTanh(values);
        case LinearActivation::GeluErf:
            return geluErf(values);
        case LinearActivation::Silu:
            return silu(values);
    }
}

void addTo(std::span<float> sum, std::span<const float> values) {
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += values[i];
}

void addTo(std::span<BFloat16> sum, std::span<float> values) {
    for (std::size_t i = 0; i < sum.size(); ++i)
        values[i] += toFloat(sum[i]);
    convert(std::span<const float>(values), sum);
}

void writeRow(const MatrixSpan& y, std::int64_t row, std::span<float> values, bool add) {
    const bool isF32 = y.dtype() == DType::F32;
    if (add && isF32)
        addTo(y.row<float>(row), values);
    else if (add)
        addTo(y.row<BFloat16>(row), values);
    else if (!isF32 || values.data() != y.row<float>(row).data())
        y.writeRow(row, values);
}

// Rows of a block of columns lie apart, which hardware does not fetch ahead.
void fetchRow(const MatrixSpan& y, std::int64_t row) {
    constexpr std::size_t lineBytes = 64;
    if (row >= y.rows())
        return;
    const std::size_t elementBytes = sizeOf(y.dtype());
    const auto* to =
        static_cast<const std::byte*>(y.data()) + static_cast<std::size_t>(row * y.stride()) * elementBytes;
    const std::size_t bytes = static_cast<std::size_t>(y.width()) * elementBytes;
    for (std::size_t offset = 0; offset < bytes; offset += lineBytes)
        __builtin_prefetch(to + offset, 1);
}

}  // namespace

LinearEpilogue LinearEpilogue::columns(std::int64_t first, std::int64_t end) const {
    LinearEpilogue result = *this;
    if (!gate.empty())
        result.gate = gate.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
    return result;
}

void finishLinear(const LinearEpilogue& epilogue, const LinearProducts& products, const MatrixSpan& y) {
    constexpr std::int64_t rowsAhead = 6;
    for (std::int64_t row = 0; row < y.rows(); ++row) {
        fetchRow(y, row + rowsAhead);
        const std::span<float> values(products.values + row * products.stride,
                                      static_cast<std::size_t>(y.width()));
        activateRow(epilogue.activation, values);
        for (std::size_t i = 0; i < epilogue.gate.size(); ++i)
            values[i] *= epilogue.gate[i];
        writeRow(y, row, values, epilogue.addToOutput);
    }
}

}  // namespace meshreel
