// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention_accumulator.h"

#include <algorithm>
#include <utility>

namespace meshreel {

AttentionAccumulator::AttentionAccumulator(HeadTensor out, int parts, ScratchArena& scratch)
    : m_out(std::move(out)), m_partsLeft(parts) {
    if (parts == 1)
        return;
    m_sums = m_out;
    if (m_out.data.dtype() != DType::F32)
        m_sums.data = scratch.take(m_out.data.shape());
    const Shape statistics{m_out.batch(), m_out.heads(), m_out.tokens()};
    m_maximum = scratch.take(statistics);
    m_sum = scratch.take(statistics);
}

void AttentionAccumulator::add(const Execution& execution, const AttentionSettings& settings,
                               const LocalAttention& attention) {
    --m_partsLeft;
    attendLocally(execution, settings, attention,
                  [this](const QueryBlock& block, AttentionPartial& part, AttentionPartial& before) {
                      if (!m_first) {
                          load(block, part.base, before);
                          mergePartials(before, part);
                      }
                      const AttentionPartial& merged = m_first ? part : before;
                      if (m_partsLeft == 0)
                          finalizePartial(merged,
                                          m_out.outputRows(block.batch, block.firstQuery, block.head));
                      else
                          store(block, merged);
                  });
    m_first = false;
}

std::int64_t AttentionAccumulator::statisticsOf(const QueryBlock& block) const {
    return (block.batch * m_out.heads() + block.head) * m_out.tokens() + block.firstQuery;
}

void AttentionAccumulator::load(const QueryBlock& block, ExponentBase base, AttentionPartial& partial) const {
    const std::int64_t width = m_sums.headDim();
    partial.reset(block.queries, width, base);
    const HeadRows rows = m_sums.rows(block.batch, block.firstQuery, block.head);
    for (std::int64_t row = 0; row < block.queries; ++row)
        rows.read(row, std::span(partial.output)
                           .subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)));
    const std::int64_t statistics = statisticsOf(block);
    std::copy_n(m_maximum.data<float>().begin() + statistics, block.queries, partial.maximum.begin());
    std::copy_n(m_sum.data<float>().begin() + statistics, block.queries, partial.sum.begin());
}

void AttentionAccumulator::store(const QueryBlock& block, const AttentionPartial& partial) {
    const std::int64_t width = m_sums.headDim();
    const OutputRows rows = m_sums.outputRows(block.batch, block.firstQuery, block.head);
    for (std::int64_t row = 0; row < block.queries; ++row)
        rows.write(row,
                   std::span(partial.output)
                       .subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)),
                   1.0F);
    const std::int64_t statistics = statisticsOf(block);
    std::ranges::copy(partial.maximum, m_maximum.data<float>().begin() + statistics);
    std::ranges::copy(partial.sum, m_sum.data<float>().begin() + statistics);
}

}  // namespace meshreel
