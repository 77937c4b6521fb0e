// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/packed_matrix.h"

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/gpu/gpu_linear_kernels.h"
#include "engine/kernels/linear/linear_candidates.h"

namespace meshreel {

PackedMatrix::PackedMatrix(std::int64_t outFeatures, std::int64_t inFeatures, Arithmetic arithmetic,
                           std::shared_ptr<const LinearKernel> kernel)
    : m_outFeatures(outFeatures),
      m_inFeatures(inFeatures),
      m_arithmetic(arithmetic),
      m_kernel(std::move(kernel)) {}

void PackedMatrix::requireShapes(const Tensor& weight, const Tensor* bias) {
    if (weight.shape().rank() != 2)
        throw Error(ErrorKind::Internal,
                    fmt::format("A linear weight must be [out, in], not {}", weight.shape().text()));
    if (bias != nullptr && bias->shape() != Shape{weight.extent(0)})
        throw Error(ErrorKind::Internal, fmt::format("A bias of shape {} does not fit a weight of shape {}",
                                                     bias->shape().text(), weight.shape().text()));
}

PackedMatrix PackedMatrix::pack(const Tensor& weight, const Tensor* bias, Arithmetic arithmetic) {
    return packBy(linearCandidate(arithmetic), arithmetic, weight, bias);
}

PackedMatrix PackedMatrix::packBy(const LinearCandidate& candidate, Arithmetic arithmetic,
                                  const Tensor& weight, const Tensor* bias) {
    requireShapes(weight, bias);
    return {weight.extent(0), weight.extent(1), arithmetic,
            candidate.pack(weight, bias != nullptr ? bias->toF32() : Tensor())};
}

PackedMatrix PackedMatrix::stream(const Tensor& weight, const Tensor* bias, Arithmetic arithmetic) {
    requireShapes(weight, bias);
    return {weight.extent(0), weight.extent(1), arithmetic,
            linearCandidate(arithmetic).stream(weight, bias != nullptr ? bias->toF32() : Tensor())};
}

PackedMatrix PackedMatrix::keepIn(Memory& memory, const Tensor& weight, const Tensor* bias,
                                  Arithmetic arithmetic) {
    requireShapes(weight, bias);
    const Tensor biasValues = bias != nullptr ? bias->toF32() : Tensor();
    return {weight.extent(0), weight.extent(1), arithmetic,
            prepareIn(memory, [&](auto in) { return keepLinear(in, weight, biasValues, arithmetic); })};
}

PackedMatrix PackedMatrix::fromPacked(const PackedForm& form) {
    const std::string format = packedFormat(form.outFeatures, form.inFeatures, form.arithmetic);
    if (form.format != format)
        throw Error(
            ErrorKind::Input,
            sentence(R"(The weights are packed as "{}"; here they are packed as "{}")", form.format, format),
            {}, sentence("Pack them again"));
    return {form.outFeatures, form.inFeatures, form.arithmetic,
            linearCandidate(form.arithmetic).fromParts(form)};
}

std::string PackedMatrix::packedFormat(std::int64_t outFeatures, std::int64_t inFeatures,
                                       Arithmetic arithmetic) {
    return linearCandidate(arithmetic).format(outFeatures, inFeatures);
}

PackedForm PackedMatrix::packed() const {
    return {.arithmetic = m_arithmetic,
            .outFeatures = m_outFeatures,
            .inFeatures = m_inFeatures,
            .format = m_kernel->format(),
            .parts = m_kernel->parts()};
}

std::size_t PackedMatrix::bytes() const {
    std::size_t sum = 0;
    for (const Tensor& part : m_kernel->parts())
        sum += part.bytes();
    return sum;
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
    m_kernel->apply(execution, x, y, epilogue);
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
