// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/tensor_operations.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/number_types.h"

namespace meshreel {
namespace {

template <typename T>
void widen(const Tensor& from, std::span<float> to) {
    const auto values = from.data<T>();
    std::transform(values.begin(), values.end(), to.begin(),
                   [](T value) { return static_cast<float>(value); });
}

/// Elements of all axes before or behind one.
std::int64_t product(std::span<const std::int64_t> extents) {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// The bytes that one index of the axis covers.
std::size_t bytesBehind(const Tensor& tensor, std::size_t axis) {
    return static_cast<std::size_t>(product(tensor.shape().extents().subspan(axis + 1))) *
           byteSize(tensor.dtype());
}

Tensor withExtent(const Tensor& like, std::size_t axis, std::int64_t extent) {
    return Tensor::empty(like.shape().with(axis, extent), like.dtype());
}

}  // namespace

void copyAsF32(const Tensor& from, std::span<float> to) {
    if (to.size() != static_cast<std::size_t>(from.elements()))
        throw Error(ErrorKind::Internal, "a tensor of shape " + from.shape().text() + " does not fill " +
                                             std::to_string(to.size()) + " values");
    switch (from.dtype()) {
        case DType::F32:
            std::ranges::copy(from.data<float>(), to.begin());
            break;
        case DType::F64:
            widen<double>(from, to);
            break;
        case DType::F16:
            convert(from.data<Half>(), to);
            break;
        case DType::BF16:
            convert(from.data<BFloat16>(), to);
            break;
        case DType::I64:
            widen<std::int64_t>(from, to);
            break;
        case DType::I32:
            widen<std::int32_t>(from, to);
            break;
        case DType::U8:
            widen<std::uint8_t>(from, to);
            break;
        case DType::Bool:
            widen<bool>(from, to);
            break;
    }
}

Tensor joined(std::span<const Tensor> parts, std::size_t axis) {
    const std::int64_t outer = product(parts.front().shape().extents().first(axis));
    const std::size_t inner = bytesBehind(parts.front(), axis);
    std::int64_t extent = 0;
    for (const Tensor& part : parts)
        extent += part.extent(axis);
    Tensor result = withExtent(parts.front(), axis, extent);
    std::byte* out = result.raw();
    for (std::int64_t index = 0; index < outer; ++index)
        for (const Tensor& part : parts) {
            const std::size_t run = static_cast<std::size_t>(part.extent(axis)) * inner;
            out = std::copy_n(part.raw() + static_cast<std::size_t>(index) * run, run, out);
        }
    return result;
}

Tensor joined(std::initializer_list<Tensor> parts, std::size_t axis) {
    return joined(std::span(parts.begin(), parts.size()), axis);
}

Tensor sliced(const Tensor& tensor, std::size_t axis, std::int64_t begin, std::int64_t end) {
    const std::int64_t outer = product(tensor.shape().extents().first(axis));
    const std::size_t inner = bytesBehind(tensor, axis);
    Tensor result = withExtent(tensor, axis, end - begin);
    std::byte* out = result.raw();
    const std::size_t run = static_cast<std::size_t>(end - begin) * inner;
    for (std::int64_t index = 0; index < outer; ++index)
        out = std::copy_n(
            tensor.raw() + static_cast<std::size_t>(index * tensor.extent(axis) + begin) * inner, run, out);
    return result;
}

Tensor repeated(const Tensor& row, std::int64_t rows) {
    if (rows == 1)
        return row;
    Tensor result = withExtent(row, 0, rows);
    auto out = result.data<float>().begin();
    for (std::int64_t index = 0; index < rows; ++index)
        out = std::ranges::copy(row.data<float>(), out).out;
    return result;
}

Tensor transposed(const Tensor& matrix) {
    const Tensor values = matrix.toF32();
    Tensor result = Tensor::empty({values.extent(1), values.extent(0)});
    const auto from = std::as_const(values).data<float>();
    const auto to = result.data<float>();
    const auto rows = static_cast<std::size_t>(values.extent(0));
    const auto columns = static_cast<std::size_t>(values.extent(1));
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column)
            to[column * rows + row] = from[row * columns + column];
    return result;
}

}  // namespace meshreel
