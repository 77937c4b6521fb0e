// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/numbers.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

std::int64_t bytesOf(std::int64_t elements, DType type) {
    constexpr std::int64_t alignment = 64;
    return (elements * static_cast<std::int64_t>(byteSize(type)) + alignment - 1) / alignment * alignment;
}

struct Sizes {
    Sizes(const WanTransformerConfig& config, const WanPassShape& pass)
        : normed(pass.batch * pass.tokens * config.innerDim()),
          feedForwardRows(std::min(pass.tokens, WanWorkspace::feedForwardTokens)),
          feedForward(feedForwardRows * (config.ffnDim / pass.tensorDevices)),
          query(normed / pass.tensorDevices) {}

    [[nodiscard]] std::int64_t sharedBytes(const WanPassShape& pass, DType type) const {
        const std::int64_t used = bytesOf(normed, type) + bytesOf(feedForward, type);
        // Other devices may have a token more.
        const std::int64_t longest = query + (pass.tokens > 0 ? query / pass.tokens : 0);
        const double exchanged = pass.exchangedShards * real(bytesOf(longest, type));
        return std::max(used, static_cast<std::int64_t>(std::ceil(exchanged)));
    }

    std::int64_t normed;
    std::int64_t feedForwardRows;
    std::int64_t feedForward;
    std::int64_t query;
};

Tensor sumOf(const WanPrecision& precision, const WanPassShape& pass, const Tensor& hidden,
             const Tensor& normed) {
    if (precision.activations == DType::F32)
        return normed;
    return pass.summed ? Tensor::empty(hidden.shape(), DType::F32, hidden.memory()) : Tensor();
}

// Returns rows [first, first + count) of one video of x [videos, tokens, width].
MatrixSpan tokenRows(Tensor& x, std::int64_t video, std::int64_t first, std::int64_t count) {
    return MatrixSpan(x).slice(video * x.extent(1) + first, count);
}

bool isScattered(const ResidualGate& gate) {
    return gate.modulation != nullptr && gate.modulation->times().scattered();
}

}  // namespace

RingMemory ringMemoryOf(Device& device) {
    if (device.execution().hasOwnMemory())
        return RingMemory::Staged;
    return device.along(MeshAxis::Context).sharesMemory() ? RingMemory::Shared : RingMemory::Apart;
}

WanWorkspace::WanWorkspace(const WanTransformerConfig& config, const WanPrecision& precision,
                           const WanPassShape& pass, const TokenTimes& times, Memory* memory)
    : m_shared(
          Tensor::empty({Sizes(config, pass).sharedBytes(pass, precision.activations)}, DType::U8, memory)),
      hidden(Tensor::empty({pass.batch, pass.tokens, config.innerDim()}, DType::F32, memory)),
      normed(m_shared.part(0, hidden.shape(), precision.activations)),
      feedForward(m_shared.part(static_cast<std::size_t>(bytesOf(hidden.elements(), precision.activations)),
                                {Sizes(config, pass).feedForwardRows, config.ffnDim / pass.tensorDevices},
                                precision.activations)),
      query(Tensor::empty({pass.batch, pass.tokens, config.heads / pass.tensorDevices, config.headDim},
                          precision.activations, memory)),
      key(Tensor::empty(query.shape(), precision.activations, memory)),
      value(Tensor::empty(query.shape(), precision.activations, memory)),
      attended(Tensor::empty(query.shape(), precision.activations, memory)),
      sum(sumOf(precision, pass, hidden, normed)),
      scratch(m_shared),
      modulation(times) {}

void SumProbe::tell(const Tensor& sum) const {
    (*probe)(fmt::format("{}{}", prefix, name), sum);
}

ResidualSum::ResidualSum(Device& device, WanWorkspace& work, const ResidualGate& gate, const SumProbe& probe)
    : m_device(device),
      m_work(work),
      m_gate(gate),
      m_probe(probe),
      m_direct(device.along(MeshAxis::Tensor).size() == 1 && !m_probe.sees() && !isScattered(gate)) {}

void ResidualSum::add(const PackedMatrix& linear, std::int64_t video, std::int64_t first,
                      const MatrixView& x) {
    if (m_direct)
        addDirectly(linear, video, first, x);
    else
        linear.apply(m_device.execution(), x, tokenRows(m_work.sum, video, first, x.rows()));
}

void ResidualSum::addDirectly(const PackedMatrix& linear, std::int64_t video, std::int64_t first,
                              const MatrixView& x) {
    const auto addRows = [&](std::int64_t begin, std::int64_t count, std::span<const float> gate) {
        linear.apply(m_device.execution(), x.slice(begin - first, count),
                     tokenRows(m_work.hidden, video, begin, count), {.gate = gate, .addToOutput = true});
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
    if (Communicator& heads = m_device.along(MeshAxis::Tensor); heads.size() > 1)
        heads.allReduceSum(m_work.sum.data<float>());
    if (m_probe.sees())
        m_probe.tell(m_work.sum.host());
    const auto span = traceSpan(m_device.execution().trace, "residual", "norm");
    const Execution& execution = m_device.execution();
    if (m_gate.modulation != nullptr)
        m_gate.modulation->addGated(execution, m_work.hidden, m_work.sum, m_gate.index);
    else if (!m_gate.constant.empty())
        addGated(execution, MatrixSpan(m_work.hidden), MatrixView(m_work.sum), m_gate.constant);
    else
        addRows(execution, MatrixSpan(m_work.hidden), MatrixView(m_work.sum));
}

}  // namespace meshreel
