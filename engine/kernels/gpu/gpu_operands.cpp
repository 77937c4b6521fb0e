// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_operands.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_rows.h"

namespace meshreel {
namespace {

GpuAddress addressIn(const Tensor& tensor) {
    return tensor.elements() == 0 ? 0 : reinterpret_cast<GpuAddress>(tensor.address());
}

Tensor vectorIn(GpuWork& gpu, std::span<const float> values) {
    const Shape shape{std::ssize(values)};
    return Tensor::view(values.data(), shape, DType::F32, nullptr).in(&gpu.memory());
}

/// What a device multiplies with; the host has no use for it.
class DeviceLinear final : public LinearKernel {
  public:
    DeviceLinear(Tensor weight, Tensor bias) : m_weight(std::move(weight)), m_bias(std::move(bias)) {}

    void apply(const MatrixView& /*x*/, const MatrixSpan& /*y*/, const LinearEpilogue& /*epilogue*/,
               OutputRange /*outputs*/) const override {
        throw Error(ErrorKind::Internal, "rows of the host met weights in a device's memory");
    }

    [[nodiscard]] std::string format() const override {
        return "in a device's memory, " +
               std::string(m_weight.dtype() == DType::BF16 ? bf16RowsFormat : f32RowsFormat);
    }

    [[nodiscard]] std::vector<Tensor> parts() const override { return {m_weight, m_bias}; }

  private:
    Tensor m_weight;
    Tensor m_bias;
};

}  // namespace

GpuWork& requireGpu(const Execution& execution, std::initializer_list<MatrixView> matrices) {
    const Memory* memory = execution.memory();
    if (memory == nullptr ||
        std::ranges::any_of(matrices, [&](const MatrixView& matrix) { return matrix.memory() != memory; }))
        throw Error(ErrorKind::Internal, "a kernel met rows in two memories");
    execution.gpu->stream().obey(execution.stop);
    return *execution.gpu;
}

GpuMatrix gpuMatrix(const MatrixView& matrix) {
    return {.address = reinterpret_cast<GpuAddress>(matrix.data()),
            .type = matrix.dtype(),
            .layout = {.rows = matrix.rows(), .width = matrix.width(), .stride = matrix.stride()}};
}

GpuVector::GpuVector(GpuWork& gpu, std::span<const float> values)
    : m_values(values.empty() ? Tensor() : vectorIn(gpu, values)) {}

GpuAddress GpuVector::address() const {
    return addressIn(m_values);
}

GpuFiniteCheck::GpuFiniteCheck(const Execution& execution, const MatrixView& values)
    : m_gpu(requireGpu(execution, {values})), m_found(m_gpu.takeFlag()) {
    findNonFinite(m_gpu.pipelines(), m_gpu.stream(), gpuMatrix(values), m_found.address);
    m_submission = m_gpu.stream().submit();
}

bool GpuFiniteCheck::isFinite() const {
    m_gpu.stream().await(m_submission);
    return *m_found.word == 0;
}

std::unique_ptr<LinearKernel> makeDeviceLinear(Tensor weight, Tensor bias) {
    return std::make_unique<DeviceLinear>(std::move(weight), std::move(bias));
}

void applyDeviceLinear(const Execution& execution, std::span<const Tensor> layer, const MatrixView& x,
                       const MatrixSpan& y, const LinearEpilogue& epilogue) {
    const MatrixView weight(layer[0]);
    GpuWork& gpu = requireGpu(execution, {x, y, weight});
    const GpuVector gate(gpu, epilogue.gate);
    applyLinear(
        gpu.pipelines(), gpu.stream(), {.weight = gpuMatrix(weight), .bias = addressIn(layer[1])},
        gpuMatrix(x), gpuMatrix(y),
        {.activation = epilogue.activation, .gate = gate.address(), .addToOutput = epilogue.addToOutput});
}

}  // namespace meshreel
