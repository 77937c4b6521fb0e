// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/block_selection.h"

#include <algorithm>

#include "engine/kernels/attention/block_choice.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/kernels/attention/token_blocks.h"
#include "engine/mesh/memory_block.h"
#include "engine/tensor/dtype.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

std::int64_t rowBytesOf(const HeadTensor& rows) {
    return rows.headDim() * static_cast<std::int64_t>(byteSize(rows.data.dtype()));
}

}  // namespace

BlockSelection::BlockSelection(const Execution& execution, Communicator& ring, const SelectionInputs& inputs)
    : m_execution(execution),
      m_ring(ring),
      m_plan(inputs.plan),
      m_tokens(inputs.tokens),
      m_own(ring.position()),
      m_batch(inputs.query.batch()),
      m_kept(m_batch, inputs.query.heads(), m_plan.sparse->row().choosesByHead, m_tokens.countOf(m_own),
             m_tokens.blocks()),
      m_reads(ring.size()) {
    const Trace::Span span = traceSpan(execution.trace, "choose_blocks", "attention");
    m_rooms.reserve(5);  // tensors look at them
    markAlwaysKept(inputs.keyMask);
    choose(inputs);
    tellReads();
}

void BlockSelection::markAlwaysKept(std::span<const std::uint8_t> keyMask) {
    const std::int64_t all = m_tokens.blocks();
    m_alwaysKept.assign(static_cast<std::size_t>(m_batch * all), std::uint8_t{0});
    const std::int64_t length = m_tokens.tokensOf(m_tokens.shards() - 1).end;
    for (std::int64_t batch = 0; batch < m_batch; ++batch)
        for (int shard = 0; shard < m_tokens.shards(); ++shard) {
            const TokenBlocks& blocks = m_tokens.blocksOf(shard).front();
            const std::int64_t firstToken = batch * length + m_tokens.tokensOf(shard).begin;
            for (std::int64_t block = 0; block < blocks.count(); ++block) {
                bool kept = block >= blocks.wholeBlocks;
                for (std::int64_t i = 0; !keyMask.empty() && !kept && i < blocks.sizeOf(block); ++i) {
                    const std::int32_t place =
                        blocks.order[static_cast<std::size_t>(block * blocks.blockTokens + i)];
                    kept = keyMask[static_cast<std::size_t>(firstToken + place)] == 0;
                }
                m_alwaysKept[static_cast<std::size_t>(batch * all + m_tokens.firstBlockOf(shard) + block)] =
                    kept ? 1 : 0;
            }
        }
}

HeadTensor BlockSelection::meansRoom(const HeadTensor& like, std::int64_t blocks) {
    const Shape shape =
        HeadTensor::shapeOf(HeadOrder::ByHead, like.batch(), blocks, like.heads(), like.headDim());
    const DType type = like.data.dtype();
    ScratchVector<std::byte>& room =
        m_rooms.emplace_back(static_cast<std::size_t>(shape.elements()) * byteSize(type));
    return {Tensor::view(room.data(), shape, type, nullptr), HeadOrder::ByHead};
}

HeadTensor BlockSelection::meansOfAll(const HeadTensor& own) {
    const TokenBlocks& blocks = m_tokens.blocksOf(m_own).front();
    HeadTensor mine = meansRoom(own, blocks.count());
    takeBlockMeans(m_execution, own, blocks, mine);
    if (m_ring.size() == 1)
        return mine;
    HeadTensor all = meansRoom(own, m_tokens.blocks());
    const std::int64_t rowBytes = rowBytesOf(own);
    ScratchVector<Block> parts;
    for (int shard = 0; shard < m_tokens.shards(); ++shard)
        parts.push_back({.data = all.data.raw() + m_tokens.firstBlockOf(shard) * rowBytes,
                         .rowBytes = m_tokens.countOf(shard) * rowBytes,
                         .planes = own.batch() * own.heads(),
                         .planeStride = m_tokens.blocks() * rowBytes});
    const Trace::Span span = traceSpan(m_execution.trace, "exchange", "attention");
    m_ring.allGather({.data = mine.data.raw(), .rowBytes = static_cast<std::int64_t>(mine.data.bytes())},
                     parts);
    return all;
}

void BlockSelection::choose(const SelectionInputs& inputs) {
    const SparseRule& rule = *m_plan.sparse;
    switch (rule.method) {
        case SparseMethod::Sol:
            return chooseByScores(inputs);
        case SparseMethod::Radial:
            return chooseRadially();
        case SparseMethod::Svg:
            return keepBands(m_execution, rule,
                             {.alwaysKept = m_alwaysKept,
                              .ownBlock = 0,
                              .wholeQueryBlocks = m_tokens.blocksOf(m_own).front().wholeBlocks},
                             m_tokens.video(), inputs.query, inputs.own.key, inputs.own.value, inputs.scale,
                             m_kept);
    }
}

void BlockSelection::chooseByScores(const SelectionInputs& inputs) {
    const TokenBlocks& blocks = m_tokens.blocksOf(m_own).front();
    m_means = {.key = meansOfAll(inputs.own.key), .value = meansOfAll(inputs.own.value)};
    const HeadTensor ofQueries = meansRoom(inputs.query, blocks.count());
    takeBlockMeans(m_execution, inputs.query, blocks, ofQueries);
    keepByScores(m_execution, *m_plan.sparse,
                 {.alwaysKept = m_alwaysKept,
                  .ownBlock = m_tokens.firstBlockOf(m_own),
                  .wholeQueryBlocks = blocks.wholeBlocks},
                 ofQueries, m_means.key, inputs.scale, m_kept);
}

void BlockSelection::chooseRadially() {
    ScratchVector<TokenRun> keys;
    ScratchVector<TokenRun> queries;
    for (int shard = 0; shard < m_tokens.shards(); ++shard) {
        const TokenBlocks& blocks = m_tokens.blocksOf(shard).front();
        for (std::int64_t block = 0; block < blocks.count(); ++block) {
            const std::int64_t begin = m_tokens.tokensOf(shard).begin + block * blocks.blockTokens;
            keys.push_back({.begin = begin, .end = begin + blocks.sizeOf(block)});
            if (shard == m_own)
                queries.push_back(keys.back());
        }
    }
    keepRadially(m_execution, *m_plan.sparse,
                 {.alwaysKept = m_alwaysKept,
                  .ownBlock = m_tokens.firstBlockOf(m_own),
                  .wholeQueryBlocks = m_tokens.blocksOf(m_own).front().wholeBlocks},
                 m_tokens.video(), queries, keys, m_kept);
}

void BlockSelection::tellReads() {
    const auto members = static_cast<std::size_t>(m_ring.size());
    ScratchVector<std::uint8_t> own(members);
    ScratchVector<std::uint8_t> all(members * members);
    for (int shard = 0; shard < m_ring.size(); ++shard) {
        const std::int64_t first = m_tokens.firstBlockOf(shard);
        const bool isRead = shard == m_own || m_kept.anyKept(first, first + m_tokens.countOf(shard));
        own[static_cast<std::size_t>(shard)] = isRead ? 1 : 0;
    }
    if (m_ring.size() == 1)
        return;  // it reads all there is
    ScratchVector<Block> parts;
    for (std::size_t member = 0; member < members; ++member)
        parts.push_back(toBlock(std::span(all).subspan(member * members, members)));
    m_ring.allGather(toBlock(std::span<const std::uint8_t>(own)), parts);
    for (int reader = 0; reader < m_ring.size(); ++reader)
        for (int owner = 0; owner < m_ring.size(); ++owner)
            m_reads.set(
                reader, owner,
                all[static_cast<std::size_t>(reader) * members + static_cast<std::size_t>(owner)] != 0);
}

int BlockSelection::countRead() const {
    int count = 0;
    for (int shard = 0; shard < m_ring.size(); ++shard)
        count += reads(shard) ? 1 : 0;
    return count;
}

SparseKeys BlockSelection::keysOf(int shard) const {
    const bool addsMeans = shard == m_own && m_plan.sparse->row().addsMeans;
    return {.kept = m_kept,
            .queries = m_tokens.blocksOf(m_own),
            .keys = m_tokens.blocksOf(shard),
            .firstBlock = m_tokens.firstBlockOf(shard),
            .means = addsMeans ? &m_means : nullptr};
}

SparseCounts BlockSelection::counts() const {
    return {.keptBlocks = static_cast<double>(m_kept.countKept()),
            .allBlocks = static_cast<double>(m_kept.countAll())};
}

}  // namespace meshreel
