// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/residual_sum.h"

#include <utility>

#include "engine/kernels/rows/elementwise.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Rows [first, first + count) of one video of x [videos, tokens, width].
MatrixSpan tokenRows(Tensor& x, std::int64_t video, std::int64_t first, std::int64_t count) {
    return MatrixSpan(x).slice(video * x.extent(1) + first, count);
}

bool isScattered(const ResidualGate& gate) {
    return gate.modulation != nullptr && gate.modulation->times().scattered();
}

}  // namespace

ResidualSum::ResidualSum(Device& device, WanWorkspace& work, const ResidualGate& gate,
                         std::function<void(const Tensor&)> seen)
    : m_device(device),
      m_work(work),
      m_gate(gate),
      m_seen(std::move(seen)),
      m_direct(device.along(MeshAxis::Tensor).size() == 1 && !m_seen && !isScattered(gate)) {}

void ResidualSum::add(const RowParallelLinear& linear, std::int64_t video, std::int64_t first,
                      const MatrixView& x) {
    if (m_direct)
        addDirectly(linear, video, first, x);
    else
        linear.part().apply(m_device.execution(), x, tokenRows(m_work.sum, video, first, x.rows()));
}

void ResidualSum::addDirectly(const RowParallelLinear& linear, std::int64_t video, std::int64_t first,
                              const MatrixView& x) {
    const auto addRows = [&](std::int64_t begin, std::int64_t count, std::span<const float> gate) {
        linear.part().apply(m_device.execution(), x.slice(begin - first, count),
                            tokenRows(m_work.hidden, video, begin, count),
                            {.gate = gate, .addToOutput = true});
    };
    if (m_gate.modulation == nullptr)
        return addRows(first, x.rows(), m_gate.constant);
    m_gate.modulation->times().eachRun(
        video, first, x.rows(), [&](std::int64_t begin, std::int64_t count, std::int64_t time) {
            addRows(begin, count, m_gate.modulation->vector(time, m_gate.index));
        });
}

void ResidualSum::finish() {
    if (m_direct)
        return;
    m_device.along(MeshAxis::Tensor).allReduceSum(m_work.sum.data<float>());
    if (m_seen)
        m_seen(m_work.sum);
    const auto span = traceSpan(m_device.execution().trace, "residual", "norm");
    const Execution& execution = m_device.execution();
    if (m_gate.modulation != nullptr)
        m_gate.modulation->addGated(execution, m_work.hidden, m_work.sum, m_gate.index);
    else if (!m_gate.constant.empty())
        addGated(execution, m_work.hidden.data<float>(), m_work.sum.data<float>(), m_gate.constant);
    else
        addInPlace(execution, m_work.hidden.data<float>(), m_work.sum.data<float>());
}

}  // namespace meshreel
