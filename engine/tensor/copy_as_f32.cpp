// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/copy_as_f32.h"

#include <algorithm>
#include <string>

#include "engine/base/error.h"

namespace meshreel {
namespace {

template <typename T>
void widen(const Tensor& from, std::span<float> to) {
    const auto values = from.data<T>();
    std::transform(values.begin(), values.end(), to.begin(),
                   [](T value) { return static_cast<float>(value); });
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

}  // namespace meshreel
