// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_matrix.h"

#include <algorithm>
#include <limits>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::int64_t mostGroups = 65535;  // along y and z, and along x on some devices

}  // namespace

GpuMatrix GpuMatrix::slice(std::int64_t first, std::int64_t count) const {
    return {.address = address + static_cast<GpuAddress>(layout.offset(first, 0)) * byteSize(type),
            .type = type,
            .layout = {.rows = count, .width = layout.width, .stride = layout.stride}};
}

GpuMatrix GpuMatrix::columns(std::int64_t first, std::int64_t count) const {
    return {.address = address + static_cast<GpuAddress>(first) * byteSize(type),
            .type = type,
            .layout = {.rows = layout.rows, .width = count, .stride = layout.stride}};
}

void requireGpuMatrix(const GpuMatrix& matrix) {
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    if (matrix.type != DType::F32 && matrix.type != DType::BF16)
        throw Error(ErrorKind::Internal, "a matrix on a GPU is neither f32 nor bf16");
    if (matrix.layout.width > most || matrix.layout.stride > most ||
        matrix.layout.width > matrix.layout.stride)
        throw Error(ErrorKind::Internal, "a matrix on a GPU is too wide");
}

std::int64_t rowsOfDispatch(std::int64_t rows, double workOfRow, double mostWork) {
    const double affordable = std::min(mostWork / std::max(workOfRow, 1.0), static_cast<double>(mostGroups));
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(affordable), 1,
                                    std::max<std::int64_t>(rows, 1));
}

}  // namespace meshreel
