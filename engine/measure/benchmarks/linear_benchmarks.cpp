// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/linear_benchmarks.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/units.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/linear/linear_kernel.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/measure/benchmarks/benchmark_workloads.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

/// A transformer's linear layer with what the transformer has fused to it.
struct LinearCase {
    std::string_view name;
    std::int64_t out;
    std::int64_t in;
    LinearActivation activation = LinearActivation::None;
    bool gatedResidual = false;
};

/// A transformer whose layers are measured.
struct LinearModel {
    std::string_view name;
    std::int64_t width;
    std::int64_t features;  ///< between the two layers of its feed-forward network

    [[nodiscard]] std::array<LinearCase, 4> cases() const {
        return {{{"query", width, width},
                 {"output", width, width, LinearActivation::None, true},
                 {"ffn_up", features, width, LinearActivation::GeluTanh},
                 {"ffn_down", width, features, LinearActivation::None, true}}};
    }
};

constexpr std::array linearModels{LinearModel{"1.3b", 1536, 8960}, LinearModel{"5b", 3072, 14336},
                                  LinearModel{"14b", 5120, 13824}};

/// One layer of random weights as the transformer runs it: rows of the activations' type in, products out in
/// that type, or added to the f32 residual stream.
class PreparedLinear {
  public:
    PreparedLinear(const Execution& execution, const LinearCase& linear, std::int64_t rows,
                   Arithmetic arithmetic)
        : m_execution(execution),
          m_linear(linear),
          m_arithmetic(arithmetic),
          m_bias(Tensor::zeros({linear.out})),
          m_gate(Tensor::zeros({linear.out})),
          m_matrix(PackedMatrix::pack(weights(execution, linear, rowType(arithmetic)), &m_bias, arithmetic)),
          m_x(randomRows(execution, {rows, linear.in}, rowType(arithmetic))),
          m_y(Tensor::zeros({rows, linear.out}, linear.gatedResidual ? DType::F32 : rowType(arithmetic))) {}

    [[nodiscard]] MeasuredTime measure(const BenchmarkRun& run) {
        LinearEpilogue epilogue{.activation = m_linear.activation};
        if (m_linear.gatedResidual) {
            epilogue.gate = m_gate.data<float>();
            epilogue.addToOutput = true;
        }
        return run.measure([&] { m_matrix.apply(m_execution, MatrixView(m_x), MatrixSpan(m_y), epilogue); },
                           m_arithmetic);
    }

    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(m_x.extent(0)) * static_cast<double>(m_linear.in * m_linear.out);
    }

    /// Read and written once each.
    [[nodiscard]] double bytes() const {
        const std::size_t written = m_y.bytes() * (m_linear.gatedResidual ? 2 : 1);
        return static_cast<double>(m_x.bytes() + m_matrix.bytes() + written);
    }

  private:
    static Tensor weights(const Execution& execution, const LinearCase& linear, DType type) {
        constexpr float deviation = 0.02F;
        return randomRows(execution, {linear.out, linear.in}, type, deviation, 1);
    }

    const Execution& m_execution;
    LinearCase m_linear;
    Arithmetic m_arithmetic;
    Tensor m_bias;
    Tensor m_gate;
    PackedMatrix m_matrix;
    Tensor m_x;
    Tensor m_y;
};

/// The product that the library computes for a layer, and nothing else: rows and weights in the type that it
/// wants, no bias, no epilogue.
MeasuredTime measureLibrary(const BenchmarkRun& run, const LinearCase& linear, std::int64_t rows,
                            Arithmetic arithmetic) {
    const Execution& execution = run.execution();
    const DType type = rowType(arithmetic);
    const PackedMatrix matrix = PackedMatrix::packBy(libraryCandidate(arithmetic), arithmetic,
                                                     randomRows(execution, {linear.out, linear.in}, type));
    const Tensor x = randomRows(execution, {rows, linear.in}, type);
    Tensor y = Tensor::empty({rows, linear.out}, type);
    return run.measure([&] { matrix.apply(execution, MatrixView(x), MatrixSpan(y)); });
}

}  // namespace

void benchmarkLinear(BenchmarkRun& run) {
    const Arithmetic arithmetic = run.options().arithmetic;
    for (const LinearModel& model : linearModels)
        for (const LinearCase& linear : model.cases())
            for (const std::int64_t rows : run.tokensOr({1280, 7800, 32760})) {
                const std::string name = fmt::format("linear.{}.{}.{}", model.name, linear.name, rows);
                if (!run.wants(name))
                    continue;
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                run.addFlops(name, prepared.flops(), prepared.measure(run), arithmetic, prepared.bytes());
            }
}

std::string_view linearRowsOf(const WanTransformerConfig& config) {
    for (const LinearModel& model : linearModels)
        if (model.width == config.innerDim() && model.features == config.ffnDim)
            return model.name;
    return {};
}

void benchmarkInt8(BenchmarkRun& run) {
    for (const LinearCase& linear : linearModels.back().cases())
        for (const std::int64_t rows : run.tokensOr({7800})) {
            const std::string name = fmt::format("int8.14b.{}.{}", linear.name, rows);
            if (!run.wants(name))
                continue;
            const auto secondsIn = [&](Arithmetic arithmetic) {
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                return prepared.measure(run);
            };
            const MeasuredTime bf16 = secondsIn(Arithmetic::BF16);
            const MeasuredTime int8 = secondsIn(Arithmetic::Int8);
            run.add({.name = name,
                     .value = int8.median,
                     .unit = "s",
                     .ratio = bf16.median / int8.median,
                     .of = "the same in bf16",
                     .spread = int8.spread(),
                     .rounds = int8.rounds,
                     .details = {{"bf16_seconds", bf16.median}},
                     .seconds = int8.seconds});
        }
}

void benchmarkLibrary(BenchmarkRun& run) {
    const Arithmetic arithmetic = run.options().arithmetic;
    const std::string_view library = libraryCandidate(arithmetic).library;
    // It is given f32, whatever the layer keeps.
    const Arithmetic given = library == openBlas ? Arithmetic::F32 : arithmetic;
    for (const LinearModel& model : linearModels)
        for (const LinearCase& linear : model.cases())
            for (const std::int64_t rows : run.tokensOr({1280, 7800})) {
                const std::string name = fmt::format("library.{}.{}.{}", model.name, linear.name, rows);
                if (!run.wants(name))
                    continue;
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                const MeasuredTime layer = prepared.measure(run);
                const MeasuredTime alone = measureLibrary(run, linear, rows, given);
                run.add({.name = name,
                         .value = prepared.flops() / layer.median / tera,
                         .unit = "TFLOP/s",
                         .ratio = alone.median / layer.median,
                         .of = fmt::format("{} alone", library),
                         .spread = layer.spread(),
                         .rounds = layer.rounds,
                         .details = {{"library_seconds", alone.median}},
                         .seconds = layer.seconds});
            }
}

}  // namespace meshreel
