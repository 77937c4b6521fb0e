// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/rows/int8_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

constexpr std::int64_t bytesOfWord = 4;  // that a GPU reads at once

void unpackInt8Rows(const OnHost& on, const Int8Rows& packed, const MatrixSpan& into) {
    const auto width = static_cast<std::size_t>(into.width());
    const auto* const values = reinterpret_cast<const std::int8_t*>(packed.values.raw());
    const std::span<const float> scales = packed.scales.data<float>();
    on.execution.workers.parallelFor(into.rows(), [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<float> row(width);
        for (std::int64_t index = begin; index < end; ++index) {
            const float scale = scales[static_cast<std::size_t>(index)];
            const std::span<const std::int8_t> from(values + index * into.width(), width);
            std::ranges::transform(from, row.begin(),
                                   [scale](std::int8_t value) { return static_cast<float>(value) * scale; });
            into.writeRow(index, row);
        }
    });
}

}  // namespace

Int8Rows packInt8Rows(const Execution& execution, const Tensor& rows, std::int64_t width, Memory* memory) {
    const Tensor onHost = rows.host();
    const std::int64_t count = width > 0 ? onHost.elements() / width : 0;
    if (count * width != onHost.elements())
        throw Error(ErrorKind::Internal,
                    fmt::format("{} were to be packed in rows of {}", onHost.shape().text(), width));
    Int8Rows packed{.values = Tensor::empty({count, width}, DType::U8), .scales = Tensor::empty({count})};
    const MatrixView from(onHost.reshaped({count, width}));
    auto* const values = reinterpret_cast<std::int8_t*>(packed.values.raw());
    const std::span<float> scales = packed.scales.data<float>();
    execution.workers.parallelFor(count, [&](std::int64_t begin, std::int64_t end) {
        ScratchVector<float> row(static_cast<std::size_t>(width));
        for (std::int64_t index = begin; index < end; ++index) {
            from.readRow(index, row);
            scales[static_cast<std::size_t>(index)] =
                roundToInt8(row, {values + index * width, static_cast<std::size_t>(width)});
        }
    });
    return {.values = packed.values.in(memory), .scales = packed.scales.in(memory)};
}

void unpackInt8Rows(const Execution& execution, const Int8Rows& packed, const MatrixSpan& into) {
    if (packed.values.shape() != Shape{into.rows(), into.width()} ||
        packed.scales.elements() != into.rows() || into.width() % bytesOfWord != 0 ||
        packed.values.memory() != into.memory() || packed.scales.memory() != into.memory())
        throw Error(ErrorKind::Internal,
                    fmt::format("{} in int8 were to be unpacked into {} rows of {}",
                                packed.values.shape().text(), into.rows(), into.width()));
    dispatch(execution, {into}, [&](const auto& on) { unpackInt8Rows(on, packed, into); });
}

}  // namespace meshreel
