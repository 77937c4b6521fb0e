// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/benchmarks/linear_cases.h"

#include "engine/verification/benchmarks/random_rows.h"

namespace meshreel {
namespace {

constexpr std::array models{LinearModel{"1.3b", 1536, 8960}, LinearModel{"5b", 3072, 14336},
                            LinearModel{"14b", 5120, 13824}};

Tensor weights(const Execution& execution, const LinearCase& linear, DType type) {
    constexpr float deviation = 0.02F;
    return randomRows(execution, {linear.out, linear.in}, type, deviation, 1);
}

}  // namespace

std::array<LinearCase, 4> LinearModel::cases() const {
    return {{{"query", width, width},
             {"output", width, width, LinearActivation::None, true},
             {"ffn_up", features, width, LinearActivation::GeluTanh},
             {"ffn_down", width, features, LinearActivation::None, true}}};
}

std::span<const LinearModel> linearModels() {
    return models;
}

PreparedLinear::PreparedLinear(const Execution& execution, const LinearCase& linear, std::int64_t rows,
                               Arithmetic arithmetic)
    : m_execution(execution),
      m_linear(linear),
      m_type(arithmetic == Arithmetic::F32 ? DType::F32 : DType::BF16),
      m_bias(Tensor::zeros({linear.out})),
      m_gate(Tensor::zeros({linear.out})),
      m_matrix(PackedMatrix::pack(weights(execution, linear, m_type), &m_bias, arithmetic)),
      m_x(randomRows(execution, {rows, linear.in}, m_type)),
      m_y(Tensor::zeros({rows, linear.out}, linear.gatedResidual ? DType::F32 : m_type)) {}

void PreparedLinear::run() {
    LinearEpilogue epilogue{.activation = m_linear.activation};
    if (m_linear.gatedResidual) {
        epilogue.gate = m_gate.data<float>();
        epilogue.addToOutput = true;
    }
    m_matrix.apply(m_execution, MatrixView(m_x), MatrixSpan(m_y), epilogue);
}

double PreparedLinear::flops() const {
    return 2.0 * static_cast<double>(m_x.extent(0)) * static_cast<double>(m_linear.in * m_linear.out);
}

double PreparedLinear::bytes() const {
    const std::size_t written = m_y.bytes() * (m_linear.gatedResidual ? 2 : 1);
    return static_cast<double>(m_x.bytes() + m_matrix.bytes() + written);
}

}  // namespace meshreel
