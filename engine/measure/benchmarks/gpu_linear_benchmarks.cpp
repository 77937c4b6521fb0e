// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_linear_benchmarks.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/record.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

/// A linear layer of the transformers of Wan, with what is fused to it.
struct GpuLayerCase {
    std::string_view name;
    std::int64_t out;
    std::int64_t in;
    LinearActivation activation = LinearActivation::None;
    bool gatedResidual = false;
};
constexpr std::array smallModelCases{GpuLayerCase{"1.3b.query", 1536, 1536},
                                     GpuLayerCase{"1.3b.output", 1536, 1536, LinearActivation::None, true},
                                     GpuLayerCase{"1.3b.ffn_up", 8960, 1536, LinearActivation::GeluTanh},
                                     GpuLayerCase{"1.3b.ffn_down", 1536, 8960, LinearActivation::None, true}};
constexpr std::array largeModelCases{GpuLayerCase{"14b.query", 5120, 5120},
                                     GpuLayerCase{"14b.ffn_up", 13824, 5120, LinearActivation::GeluTanh},
                                     GpuLayerCase{"14b.ffn_down", 5120, 13824, LinearActivation::None, true}};

/// One way to multiply rows of bf16 by a linear layer's weights.
struct LinearWay {
    Arithmetic arithmetic = Arithmetic::BF16;
    MatrixForm form = MatrixForm::Scalar;  ///< for int8; bf16 uses the fastest
    const FastestPeak* peak = nullptr;
    std::string prefix = {};  ///< for its rows
};

/// bf16 in the fastest form, and int8 in each. Throws Error{Device} when no kernel takes the form that
/// alone is measured.
std::vector<LinearWay> linearWays(GpuBenchmarkRun& run) {
    std::vector<LinearWay> ways;
    if (run.measuresBf16())
        ways.push_back({.peak = &run.peak(), .prefix = "gpu.linear"});
    if (run.measuresInt8())
        for (const MatrixForm form : int8FormsOn(run.gpu()))
            ways.push_back(
                {.arithmetic = Arithmetic::Int8,
                 .form = form,
                 .peak = isOfPtx(form) ? &run.int8Peak() : &run.int8Peak(form),
                 .prefix = fmt::format("gpu.linear.{}",
                                       form == MatrixForm::Scalar ? "int8_scalar" : enumName(form))});
    if (ways.empty())
        throw Error(ErrorKind::Device,
                    sentence("No kernel multiplies in the sizes that {} offers for the form {}",
                             run.gpu().name(), findTuning(run.gpu()).filter().form),
                    "--form", sentence("Choose another form: the list of devices names those of each GPU"));
    return ways;
}

double dot(const Tensor& x, std::int64_t xRow, const Tensor& weight, std::int64_t weightRow,
           std::int64_t count, std::int64_t first = 0) {
    const Tensor one = x.slice(xRow, xRow + 1).toF32();
    const Tensor other = weight.slice(weightRow, weightRow + 1).toF32();
    double sum = 0;
    for (std::int64_t i = first; i < first + count; ++i)
        sum += static_cast<double>(one.data<float>()[static_cast<std::size_t>(i)]) *
               static_cast<double>(other.data<float>()[static_cast<std::size_t>(i)]);
    return sum;
}

/// The layers, one after the other.
class GpuLinears {
  public:
    explicit GpuLinears(GpuBenchmarkRun& run) : m_run(run), m_ways(linearWays(run)) {}

    /// int8 on the least rows only, and for drivers in software on the smallest weights.
    void measure(const GpuLayerCase& layer, std::int64_t rows) {
        std::vector<LinearWay> ways = m_ways;
        const double flops = 2.0 * real(rows) * real(layer.out) * real(layer.in);
        std::erase_if(ways, [&](const LinearWay& way) {
            return m_run.isTooLong(flops, *way.peak) || (m_run.options().quick && layer.in != layer.out) ||
                   (way.arithmetic == Arithmetic::Int8 && rows != m_run.tokens().front()) ||
                   !m_run.wants(nameOf(way, layer, rows));
        });
        if (ways.empty())
            return;
        constexpr float deviation = 0.02F;
        const Tensor x = randomRows(m_run.execution(), {rows, layer.in}, DType::BF16);
        const Tensor weight = randomRows(m_run.execution(), {layer.out, layer.in}, DType::BF16, deviation, 1);
        const Tensor bias = randomRows(m_run.execution(), {layer.out}, DType::F32, 1.0F, 2);
        const Tensor gate = randomRows(m_run.execution(), {layer.out}, DType::F32, 1.0F, 3);
        const Tensor gpuX = x.in(&m_run.gpu().memory());
        LinearEpilogue epilogue{.activation = layer.activation};
        if (layer.gatedResidual) {
            epilogue.gate = gate.data<float>();
            epilogue.addToOutput = true;
        }
        const auto expected = [&](std::int64_t row, std::int64_t column) {
            double sum = static_cast<double>(bias.data<float>()[static_cast<std::size_t>(column)]);
            sum += dot(x, row, weight, column, layer.in);
            if (layer.activation == LinearActivation::GeluTanh)
                sum *= 0.5 * (1.0 + std::tanh(0.7978845608028654 * (sum + 0.044715 * sum * sum * sum)));
            return layer.gatedResidual
                       ? sum * static_cast<double>(gate.data<float>()[static_cast<std::size_t>(column)])
                       : sum;
        };
        for (const LinearWay& way : ways) {
            Tensor y = Tensor::zeros({rows, layer.out}, layer.gatedResidual ? DType::F32 : DType::BF16)
                           .in(&m_run.gpu().memory());
            const auto measureThis = [&] {
                const PackedMatrix matrix =  // its shaders are chosen here
                    PackedMatrix::keepIn(m_run.gpu().memory(), weight, &bias, way.arithmetic);
                const auto apply = [&] {
                    matrix.apply(m_run.execution(), MatrixView(gpuX), MatrixSpan(y), epilogue);
                };
                const std::string name = nameOf(way, layer, rows);
                double error = 0;
                const MeasuredTime time =
                    m_run.measureCompared(apply, [&] { error = m_run.errorOf(name, y, expected); });
                m_run.addRate(name, flops, time, *way.peak, {{"error", error}});
            };
            if (way.arithmetic == Arithmetic::Int8)
                inForm(way.form, measureThis);
            else
                measureThis();
        }
    }

  private:
    static std::string nameOf(const LinearWay& way, const GpuLayerCase& layer, std::int64_t rows) {
        return fmt::format("{}.{}.{}", way.prefix, layer.name, rows);
    }

    /// Layers of int8 weights take this form meanwhile.
    void inForm(MatrixForm form, const std::function<void()>& measured) {
        GpuTuning& usual = findTuning(m_run.gpu());
        const auto [place, isNew] = m_int8Tunings.try_emplace(form, usual);
        GpuTuning& restricted = place->second;
        if (isNew)
            restricted.restrict({.form = std::string(enumName(form)), .block = usual.filter().block});
        std::swap(usual, restricted);
        measured();
        std::swap(usual, restricted);
    }

    GpuBenchmarkRun& m_run;
    std::vector<LinearWay> m_ways;
    std::map<MatrixForm, GpuTuning> m_int8Tunings;  // each restricted to its form
};

}  // namespace

void benchmarkGpuLinear(GpuBenchmarkRun& run) {
    if (!run.wantsAny("gpu.linear."))
        return;
    GpuLinears linears(run);
    for (const GpuLayerCase& each : smallModelCases)
        for (const std::int64_t rows : run.tokens())
            linears.measure(each, rows);
    if (!run.options().quick)
        for (const GpuLayerCase& each : largeModelCases)
            linears.measure(each, run.tokens().front());
}

}  // namespace meshreel
