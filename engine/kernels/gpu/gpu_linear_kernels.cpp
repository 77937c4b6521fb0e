// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_linear_kernels.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/gpu_work.h"
#include "engine/kernels/dispatch/device_dispatch.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/gpu/gpu_int8_linear.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/linear/int8_rounding.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

/// The GPU of the rows, which has the weight in its memory too.
GpuWork& requireGpuOf(const Tensor& weight, const Execution& execution, const MatrixView& x,
                      const MatrixSpan& y) {
    GpuWork& gpu = requireGpu(execution, {x, y});
    if (weight.memory() != &gpu.memory() && weight.memory() != &gpu.memory().forStreaming())
        throw Error(ErrorKind::Internal, "a linear layer met weights in another memory");
    return gpu;
}

GpuEpilogue epilogueOn(GpuWork& gpu, const LinearEpilogue& epilogue) {
    return {.activation = epilogue.activation,
            .gate = gpu.memory().copyForNextWork(std::as_bytes(epilogue.gate)),
            .addToOutput = epilogue.addToOutput};
}

std::string formatThere(std::string_view format) {
    return "in a device's memory, " + std::string(format);
}

/// Holds f32 or bf16, as the checkpoint does.
class GpuFloatLinear final : public LinearKernel {
  public:
    GpuFloatLinear(GpuPipelines& pipelines, Tensor weight, Tensor bias,
                   const std::optional<BoundKernel>& narrow)
        : m_weight(std::move(weight)),
          m_bias(std::move(bias)),
          m_linear(prepareLinear(
              pipelines, {.weight = gpuMatrix(MatrixView(m_weight)), .bias = gpuAddress(m_bias)}, narrow)) {}

    void apply(const Execution& execution, const MatrixView& x, const MatrixSpan& y,
               const LinearEpilogue& epilogue) const override {
        GpuWork& gpu = requireGpuOf(m_weight, execution, x, y);
        applyLinear(gpu.stream(), m_linear, gpuMatrix(x), gpuMatrix(y), epilogueOn(gpu, epilogue));
    }

    [[nodiscard]] std::string format() const override {
        return formatThere(m_weight.dtype() == DType::BF16 ? bf16RowsFormat : f32RowsFormat);
    }
    [[nodiscard]] std::vector<Tensor> parts() const override { return {m_weight, m_bias}; }

  private:
    Tensor m_weight;  // [out, in]
    Tensor m_bias;    // f32 [out], or no elements
    PreparedLinear m_linear;
};

class GpuRoundedLinear final : public LinearKernel {
  public:
    GpuRoundedLinear(GpuPipelines& pipelines, Int8Weight weight, Tensor bias, const BoundKernel& by)
        : m_weight(std::move(weight)),
          m_bias(std::move(bias)),
          m_linear(prepareInt8Linear(pipelines,
                                     {.values = gpuAddress(m_weight.values),
                                      .scales = gpuAddress(m_weight.scales),
                                      .bias = gpuAddress(m_bias)},
                                     by)) {}

    void apply(const Execution& execution, const MatrixView& x, const MatrixSpan& y,
               const LinearEpilogue& epilogue) const override {
        GpuWork& gpu = requireGpuOf(m_weight.scales, execution, x, y);
        if (x.rows() == 0)
            return;
        const std::int64_t rows = std::min(x.rows(), int8RowsAtOnce);
        const auto valueBytes = static_cast<std::size_t>(rows * int8RowWidth(x.width()));
        const GpuAddress room =
            gpu.memory().roomForNextWork(valueBytes + static_cast<std::size_t>(rows) * sizeof(float));
        applyInt8Linear(gpu.stream(), m_linear, gpuMatrix(x), gpuMatrix(y),
                        {.values = room, .scales = room + valueBytes}, epilogueOn(gpu, epilogue));
    }

    [[nodiscard]] std::string format() const override { return formatThere(int8RowsFormat); }
    [[nodiscard]] std::vector<Tensor> parts() const override {
        return {m_weight.values, m_bias, m_weight.scales};
    }

  private:
    Int8Weight m_weight;
    Tensor m_bias;  // f32 [out], or no elements
    PreparedInt8Linear m_linear;
};

/// Rows of bytes as wide as a GPU reads them, zeros behind their ends.
Tensor filledRows(const Tensor& rows) {
    const std::int64_t width = rows.extent(1);
    const std::int64_t filledWidth = int8RowWidth(width);
    if (filledWidth == width)
        return rows;
    Tensor filled = Tensor::zeros({rows.extent(0), filledWidth}, DType::U8);
    for (std::int64_t row = 0; row < rows.extent(0); ++row)
        std::copy_n(rows.raw() + row * width, width, filled.raw() + row * filledWidth);
    return filled;
}

}  // namespace

std::unique_ptr<LinearKernel> keepLinear(InVulkan in, const Tensor& weight, const Tensor& bias,
                                         Arithmetic arithmetic) {
    GpuPipelines& pipelines = in.pipelines();
    Tensor kept = bias.elements() == 0 ? Tensor() : bias.in(&in.memory);
    if (arithmetic == Arithmetic::Int8) {
        const Int8Weight rounded = roundToInt8(weight);
        return std::make_unique<GpuRoundedLinear>(
            pipelines,
            Int8Weight{.values = filledRows(rounded.values).in(&in.memory),
                       .scales = rounded.scales.in(&in.memory)},
            std::move(kept), bindKernel(pipelines, GpuKernel::Int8Linear));
    }
    const Tensor values = weight.to(weight.dtype() == DType::BF16 ? DType::BF16 : DType::F32);
    const std::optional<BoundKernel> narrow = arithmetic == Arithmetic::BF16
                                                  ? bindKernel(pipelines, GpuKernel::Linear)
                                                  : findBound(pipelines, GpuKernel::Linear);
    return std::make_unique<GpuFloatLinear>(pipelines, values.in(&in.memory), std::move(kept), narrow);
}

}  // namespace meshreel
