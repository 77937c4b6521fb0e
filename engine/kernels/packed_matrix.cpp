// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/packed_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/kernels/linear_kernel.h"

namespace meshreel {

namespace {

// Parts begin at multiples of this, so that no worker is left with a sliver that the GEMM kernels handle
// slowly.
constexpr std::int64_t partGranule = 16;

Tensor toBf16(const Tensor& weight) {
    if (weight.dtype() == DType::BF16)
        return weight;
    const Tensor values = weight.toF32();
    Tensor result = Tensor::empty(weight.shape(), DType::BF16);
    convert(values.data<float>(), result.data<BFloat16>());
    return result;
}

std::unique_ptr<LinearKernel> makeKernel(const Tensor& weight, Tensor bias, Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::F32:
            return makeF32Linear(weight.toF32(), std::move(bias));
        case Arithmetic::BF16:
            return makeUnpackedBf16Linear(toBf16(weight), std::move(bias));
        case Arithmetic::Int8:
            break;
    }
    throw Error(ErrorKind::Resources,
                fmt::format("Linear layers in {} are not available on this machine", nameOf(arithmetic)), {},
                "Use f32 or bf16");
}

}  // namespace

PackedMatrix::PackedMatrix(const Shape& shape, Arithmetic arithmetic,
                           std::shared_ptr<const LinearKernel> kernel)
    : m_outFeatures(shape[0]),
      m_inFeatures(shape[1]),
      m_arithmetic(arithmetic),
      m_kernel(std::move(kernel)) {}

PackedMatrix PackedMatrix::pack(const Tensor& weight, const Tensor* bias, Arithmetic arithmetic) {
    if (weight.shape().rank() != 2)
        throw Error(ErrorKind::Internal,
                    fmt::format("A linear weight must be [out, in], not {}", weight.shape().text()));
    if (bias != nullptr && bias->shape() != Shape{weight.extent(0)})
        throw Error(ErrorKind::Internal, fmt::format("A bias of shape {} does not fit a weight of shape {}",
                                                     bias->shape().text(), weight.shape().text()));
    return {weight.shape(), arithmetic,
            makeKernel(weight, bias != nullptr ? bias->toF32() : Tensor(), arithmetic)};
}

std::size_t PackedMatrix::bytes() const {
    return m_kernel->bytes();
}

void PackedMatrix::requireFit(const MatrixView& x, const MatrixSpan& y,
                              const LinearEpilogue& epilogue) const {
    const bool gateFits =
        epilogue.gate.empty() || epilogue.gate.size() == static_cast<std::size_t>(m_outFeatures);
    if (x.rows() != y.rows() || x.width() != m_inFeatures || y.width() != m_outFeatures || !gateFits)
        throw Error(ErrorKind::Internal,
                    fmt::format("A matmul of [{}, {}] by [{}, {}] got an output of [{}, {}] and a gate of {}",
                                x.rows(), x.width(), m_outFeatures, m_inFeatures, y.rows(), y.width(),
                                epilogue.gate.size()));
}

void PackedMatrix::apply(const Execution& execution, const MatrixView& x, const MatrixSpan& y,
                         const LinearEpilogue& epilogue) const {
    requireFit(x, y, epilogue);
    const bool splitRows = x.rows() >= m_outFeatures;
    const std::int64_t extent = splitRows ? x.rows() : m_outFeatures;
    const std::int64_t granules = (extent + partGranule - 1) / partGranule;
    execution.workers.parallelFor(granules, [&](std::int64_t firstGranule, std::int64_t endGranule) {
        const std::int64_t first = firstGranule * partGranule;
        const std::int64_t end = std::min(extent, endGranule * partGranule);
        if (splitRows)
            m_kernel->apply(x.slice(first, end - first), y.slice(first, end - first), epilogue,
                            {.first = 0, .end = m_outFeatures});
        else
            m_kernel->apply(x, y.columns(first, end - first), epilogue.columns(first, end),
                            {.first = first, .end = end});
    });
}

void PackedMatrix::apply(const Execution& execution, std::span<const float> x, std::int64_t rows,
                         std::span<float> y) const {
    if (x.size() != static_cast<std::size_t>(rows * m_inFeatures) ||
        y.size() != static_cast<std::size_t>(rows * m_outFeatures))
        throw Error(ErrorKind::Internal,
                    fmt::format("A matmul of {} rows by [{}, {}] got {} inputs and {} outputs", rows,
                                m_outFeatures, m_inFeatures, x.size(), y.size()));
    apply(execution, MatrixView(x, m_inFeatures), MatrixSpan(y, m_outFeatures));
}

}  // namespace meshreel
