// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/modulation.h"

#include <algorithm>
#include <vector>

#include "engine/kernels/elementwise.h"
#include "engine/kernels/norms.h"
#include "engine/timing/trace.h"

namespace meshreel {

Modulation::Modulation(const Tensor& table, const Tensor& timestep)
    : m_vectors(Tensor::empty({timestep.extent(0), table.extent(1), table.extent(2)})) {
    const auto learned = table.data<float>();
    const auto timed = timestep.data<float>();
    const auto vectors = m_vectors.data<float>();
    const auto width = static_cast<std::size_t>(table.extent(2));
    const std::size_t timedPerBatch = timed.size() / static_cast<std::size_t>(timestep.extent(0));
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const std::size_t batch = i / learned.size();
        const std::size_t inTable = i % learned.size();
        const std::size_t inTimestep = timedPerBatch == width ? inTable % width : inTable;
        vectors[i] = learned[inTable] + timed[batch * timedPerBatch + inTimestep];
    }
}

std::span<const float> Modulation::vector(std::int64_t batch, std::int64_t index) const {
    const std::int64_t width = m_vectors.extent(2);
    return m_vectors.data<float>().subspan(
        static_cast<std::size_t>((batch * m_vectors.extent(1) + index) * width),
        static_cast<std::size_t>(width));
}

void Modulation::norm(const Execution& execution, const Tensor& x, double epsilon, std::int64_t shift,
                      std::int64_t scale, Tensor& y) const {
    const auto span = traceSpan(execution.trace, "layer_norm", "norm");
    const std::int64_t width = m_vectors.extent(2);
    std::vector<float> gamma(static_cast<std::size_t>(width));
    for (std::int64_t batch = 0; batch < x.extent(0); ++batch) {
        std::ranges::transform(vector(batch, scale), gamma.begin(), [](float value) { return 1.0F + value; });
        Tensor rows = y.slice(batch, batch + 1);
        layerNorm(execution, MatrixView(x.slice(batch, batch + 1)), epsilon, gamma, vector(batch, shift),
                  MatrixSpan(rows));
    }
}

void Modulation::addGated(const Execution& execution, Tensor& into, const Tensor& x,
                          std::int64_t gate) const {
    for (std::int64_t batch = 0; batch < x.extent(0); ++batch) {
        Tensor rows = into.slice(batch, batch + 1);
        meshreel::addGated(execution, rows.data<float>(), x.slice(batch, batch + 1).data<float>(),
                           vector(batch, gate));
    }
}

}  // namespace meshreel
