// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/residual_sum.h"

#include <utility>

#include "engine/kernels/elementwise.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Rows [first, first + count) of one video of x [videos, tokens, width].
MatrixSpan tokensOf(Tensor& x, std::int64_t video, std::int64_t first, std::int64_t count) {
    return MatrixSpan(x).slice(video * x.extent(1) + first, count);
}

}  // namespace

ResidualSum::ResidualSum(Device& device, WanWorkspace& work, const ResidualGate& gate,
                         std::function<void(const Tensor&)> seen)
    : m_device(device),
      m_work(work),
      m_gate(gate),
      m_seen(std::move(seen)),
      m_direct(device.along(MeshAxis::Tensor).size() == 1 && !m_seen) {}

void ResidualSum::add(const RowParallelLinear& linear, std::int64_t video, std::int64_t first,
                      const MatrixView& x) {
    Tensor& into = m_direct ? m_work.hidden : m_work.sum;
    const LinearEpilogue added{.gate = m_gate.of(video), .addToOutput = true};
    linear.part().apply(m_device.execution(), x, tokensOf(into, video, first, x.rows()),
                        m_direct ? added : LinearEpilogue{});
}

void ResidualSum::finish() {
    if (m_direct)
        return;
    m_device.along(MeshAxis::Tensor).allReduceSum(m_work.sum.data<float>());
    if (m_seen)
        m_seen(m_work.sum);
    const auto span = traceSpan(m_device.execution().trace, "residual", "norm");
    if (m_gate.modulation != nullptr)
        m_gate.modulation->addGated(m_device.execution(), m_work.hidden, m_work.sum, m_gate.index);
    else
        addInPlace(m_device.execution(), m_work.hidden.data<float>(), m_work.sum.data<float>());
}

}  // namespace meshreel
