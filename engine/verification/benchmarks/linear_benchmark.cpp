// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "engine/kernels/linear/packed_matrix.h"
#include "engine/verification/benchmarks/benchmark_groups.h"
#include "engine/verification/benchmarks/random_rows.h"

namespace meshreel {
namespace {

/// The shapes of a model's linear layers.
struct LinearModel {
    std::string_view name;
    std::int64_t width;
    std::int64_t features;
};
constexpr std::array models{LinearModel{"1.3b", 1536, 8960}, LinearModel{"5b", 3072, 14336},
                            LinearModel{"14b", 5120, 13824}};

/// A layer with what the transformer has fused to it.
struct LinearCase {
    std::string_view name;
    std::int64_t out;
    std::int64_t in;
    LinearActivation activation = LinearActivation::None;
    bool gatedResidual = false;
};

std::array<LinearCase, 4> casesOf(const LinearModel& model) {
    return {{{"query", model.width, model.width},
             {"output", model.width, model.width, LinearActivation::None, true},
             {"ffn_up", model.features, model.width, LinearActivation::GeluTanh},
             {"ffn_down", model.width, model.features, LinearActivation::None, true}}};
}

/// One layer as the transformer runs it: rows of the activations' type in, products out in that type, or
/// added to the f32 residual stream.
class PreparedLinear {
  public:
    PreparedLinear(const Execution& execution, const LinearCase& linear, std::int64_t rows,
                   Arithmetic arithmetic)
        : m_execution(execution),
          m_linear(linear),
          m_type(arithmetic == Arithmetic::F32 ? DType::F32 : DType::BF16),
          m_bias(Tensor::zeros({linear.out})),
          m_gate(Tensor::zeros({linear.out})),
          m_matrix(PackedMatrix::pack(weights(execution, linear, m_type), &m_bias, arithmetic)),
          m_x(randomRows(execution, {rows, linear.in}, m_type)),
          m_y(Tensor::zeros({rows, linear.out}, linear.gatedResidual ? DType::F32 : m_type)) {}

    void run() {
        LinearEpilogue epilogue{.activation = m_linear.activation};
        if (m_linear.gatedResidual) {
            epilogue.gate = m_gate.data<float>();
            epilogue.addToOutput = true;
        }
        m_matrix.apply(m_execution, MatrixView(m_x), MatrixSpan(m_y), epilogue);
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
    DType m_type;
    Tensor m_bias;
    Tensor m_gate;
    PackedMatrix m_matrix;
    Tensor m_x;
    Tensor m_y;
};

MeasuredTime measureLinear(BenchmarkRun& run, PreparedLinear& linear) {
    return run.measure([&] { linear.run(); });
}

}  // namespace

void benchmarkLinear(BenchmarkRun& run) {
    const Arithmetic arithmetic = run.options().arithmetic;
    for (const LinearModel& model : models)
        for (const LinearCase& linear : casesOf(model))
            for (const std::int64_t rows : run.tokensOr({1280, 7800, 32760})) {
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                run.addFlops(fmt::format("linear.{}.{}.{}", model.name, linear.name, rows), prepared.flops(),
                             measureLinear(run, prepared), arithmetic, prepared.bytes());
            }
}

void benchmarkInt8(BenchmarkRun& run) {
    for (const LinearCase& linear : casesOf(models.back()))
        for (const std::int64_t rows : run.tokensOr({7800})) {
            const auto secondsIn = [&](Arithmetic arithmetic) {
                PreparedLinear prepared(run.execution(), linear, rows, arithmetic);
                return measureLinear(run, prepared);
            };
            const MeasuredTime bf16 = secondsIn(Arithmetic::BF16);
            const MeasuredTime int8 = secondsIn(Arithmetic::Int8);
            run.add({.name = fmt::format("int8.14b.{}.{}", linear.name, rows),
                     .value = int8.median,
                     .unit = "s",
                     .ratio = bf16.median / int8.median,
                     .of = "the same in bf16",
                     .spread = (int8.slowest - int8.fastest) / int8.median,
                     .rounds = int8.rounds,
                     .details = {{"bf16_seconds", bf16.median}}});
        }
}

}  // namespace meshreel
