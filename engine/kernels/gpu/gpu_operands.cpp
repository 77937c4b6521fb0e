// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_operands.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/device_dispatch.h"
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
    /// The weight, the bias, and of int8 weights the scales.
    explicit DeviceLinear(std::vector<Tensor> parts) : m_parts(std::move(parts)) {}

    void apply(const MatrixView& /*x*/, const MatrixSpan& /*y*/, const LinearEpilogue& /*epilogue*/,
               OutputRange /*outputs*/) const override {
        throw Error(ErrorKind::Internal, "rows of the host met weights in a device's memory");
    }

    [[nodiscard]] std::string format() const override {
        const DType type = m_parts.front().dtype();
        return "in a device's memory, " + std::string(type == DType::BF16  ? bf16RowsFormat
                                                      : type == DType::F32 ? f32RowsFormat
                                                                           : int8RowsFormat);
    }

    [[nodiscard]] std::vector<Tensor> parts() const override { return m_parts; }

  private:
    std::vector<Tensor> m_parts;
};

constexpr std::size_t int8Parts = 3;

}  // namespace

GpuWork& requireGpu(const Execution& execution, std::initializer_list<MatrixView> matrices) {
    const Memory* memory = execution.memory();
    if (memory == nullptr ||
        std::ranges::any_of(matrices, [&](const MatrixView& matrix) { return matrix.memory() != memory; }))
        throw Error(ErrorKind::Internal, "a kernel met rows in two memories");
    return onVulkan(execution).gpu;
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
    return std::make_unique<DeviceLinear>(std::vector{std::move(weight), std::move(bias)});
}

std::unique_ptr<LinearKernel> makeDeviceInt8Linear(Int8Weight weight, Tensor bias) {
    return std::make_unique<DeviceLinear>(
        std::vector{std::move(weight.values), std::move(bias), std::move(weight.scales)});
}

void applyDeviceLinear(const Execution& execution, std::span<const Tensor> layer, const MatrixView& x,
                       const MatrixSpan& y, const LinearEpilogue& epilogue) {
    const bool isInt8 = layer.size() == int8Parts;
    const MatrixView known(isInt8 ? layer[2] : layer[0]);
    GpuWork& gpu = requireGpu(execution, {x, y});
    if (known.memory() != &gpu.memory() && known.memory() != &gpu.memory().forStreaming())
        throw Error(ErrorKind::Internal, "a linear layer met weights in another memory");
    const GpuVector gate(gpu, epilogue.gate);
    const GpuEpilogue finish{
        .activation = epilogue.activation, .gate = gate.address(), .addToOutput = epilogue.addToOutput};
    if (!isInt8) {
        applyLinear(gpu.pipelines(), gpu.stream(), {.weight = gpuMatrix(known), .bias = addressIn(layer[1])},
                    gpuMatrix(x), gpuMatrix(y), finish);
        return;
    }
    if (x.rows() == 0)
        return;
    // Given back at once: what is recorded later comes behind this layer.
    const std::int64_t rows = std::min(x.rows(), int8RowsAtOnce);
    const Tensor values = Tensor::empty({rows, int8RowWidth(x.width())}, DType::U8, &gpu.memory());
    const Tensor scales = Tensor::empty({rows}, DType::F32, &gpu.memory());
    applyInt8Linear(
        gpu.pipelines(), gpu.stream(),
        {.values = addressIn(layer[0]), .scales = addressIn(layer[2]), .bias = addressIn(layer[1])},
        gpuMatrix(x), gpuMatrix(y), {.values = addressIn(values), .scales = addressIn(scales)}, finish);
}

}  // namespace meshreel
