// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/sharded_attention.h"

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "engine/attention/attention_accumulator.h"
#include "engine/attention/head_pipeline.h"
#include "engine/attention/key_rotation.h"
#include "engine/base/error.h"

namespace meshreel {

namespace {

void requireShape(std::string_view what, const Tensor& tensor, const Shape& shape, DType type) {
    if (tensor.shape() != shape || tensor.dtype() != type)
        throw Error(ErrorKind::Internal, fmt::format("Sharded attention got a {} of {}, needs {}", what,
                                                     tensor.shape().text(), shape.text()));
}

void requireInputs(const ShardedAttentionInputs& inputs, const Tensor& out, int devices, int position) {
    const Shape& query = inputs.query.shape();
    if (query.rank() != 4 || inputs.scale == 0.0)
        throw Error(ErrorKind::Internal, "Sharded attention needs a query of four axes and a scale");
    const auto shapeOf = [&](std::int64_t tokens) { return Shape{query[0], tokens, query[2], query[3]}; };
    const Shape keyShape =
        shapeOf(inputs.keysSharded ? shardOf(inputs.keyLength, devices, position).size() : inputs.keyLength);
    const DType type = inputs.query.dtype();
    requireShape("query", inputs.query, shapeOf(shardOf(inputs.queryLength, devices, position).size()), type);
    requireShape("key", inputs.key, keyShape, type);
    requireShape("value", inputs.value, keyShape, type);
    requireShape("output", out, query, type);
    if (!inputs.keep.empty() && static_cast<std::int64_t>(inputs.keep.size()) != query[0] * inputs.keyLength)
        throw Error(ErrorKind::Internal,
                    fmt::format("Sharded attention got a mask of {} values, needs {} × {}",
                                inputs.keep.size(), query[0], inputs.keyLength));
    if (inputs.lastKeyCount < 1 || (inputs.lastKeyCount > 1 && !inputs.keep.empty()))
        throw Error(ErrorKind::Internal,
                    fmt::format("Sharded attention got a last key that counts {} times{}",
                                inputs.lastKeyCount, inputs.keep.empty() ? "" : " and a mask"));
}

void requireLegal(const AttentionSettings& settings, const Tensor& query, int devices) {
    const std::vector<AttentionProblemReport> problems =
        attentionProblems(settings, query.extent(2), query.extent(3), devices, 1);
    if (!problems.empty())
        throw Error(ErrorKind::Project, problems.front().message, problems.front().key,
                    problems.front().hint);
}

/// One attention on one device.
class DeviceAttention {
  public:
    DeviceAttention(Device& device, const AttentionSettings& settings, const ShardedAttentionInputs& inputs,
                    Tensor& out, ScratchArena& scratch)
        : m_execution(device.execution()),
          m_context(device.along(MeshAxis::Context)),
          m_settings(settings),
          m_split(contextSplit(settings, m_context.size())),
          m_ringIndex(m_context.position() / m_split.ulysses),
          m_inputs(inputs),
          m_out(out),
          m_scratch(scratch) {
        m_report.effectiveMode = settings.mode->name;
        m_report.heads = {0, inputs.query.extent(2)};
        m_report.queryTokens = shardOf(inputs.queryLength, m_context.size(), m_context.position());
    }

    AttentionReport run() {
        const ScratchArena::Frame frame(m_scratch);
        if (!m_inputs.keysSharded)
            attendHeld({m_inputs.key}, {m_inputs.value});
        else if (m_split.ulysses > 1)
            exchangeHeads();
        else if (m_settings.mode->exchange == Exchange::Gather)
            gatherKeys();
        else
            attendRing({m_inputs.query}, ownKeys(), {m_out});
        return m_report;
    }

  private:
    [[nodiscard]] KeyShard ownKeys() const {
        return {.tokens = groupTokens(m_split, m_inputs.keyLength, m_ringIndex),
                .key = {m_inputs.key},
                .value = {m_inputs.value}};
    }

    [[nodiscard]] std::int64_t lastKeyCountOf(const ShardRange& tokens) const {
        return tokens.size() > 0 && tokens.end == m_inputs.keyLength ? m_inputs.lastKeyCount : 1;
    }

    [[nodiscard]] LocalAttention localAttention(const HeadTensor& query, const KeyShard& keys) const {
        return {.query = query,
                .key = keys.key,
                .value = keys.value,
                .keep = m_inputs.keep.empty() ? nullptr : m_inputs.keep.data() + keys.tokens.begin,
                .keepStride = m_inputs.keyLength,
                .lastKeyCount = lastKeyCountOf(keys.tokens),
                .scale = m_inputs.scale,
                .wholeSequence = keys.tokens.size() == m_inputs.keyLength};
    }

    void add(AttentionAccumulator& sum, const HeadTensor& query, const KeyShard& keys) const {
        const Trace::Span span = traceSpan(m_execution.trace, "attend", "attention");
        sum.add(m_execution, m_settings, localAttention(query, keys));
    }

    /// To keys and values of the whole sequence.
    void attendHeld(const HeadTensor& key, const HeadTensor& value) {
        AttentionAccumulator sum({m_out}, 1, m_scratch);
        add(sum, {m_inputs.query}, {.tokens = {0, m_inputs.keyLength}, .key = key, .value = value});
    }

    void gatherKeys() {
        if (m_context.size() == 1)
            return attendHeld({m_inputs.key}, {m_inputs.value});
        const Tensor key = gathered(m_inputs.key);
        const Tensor value = gathered(m_inputs.value);
        attendHeld({key}, {value});
    }

    /// The tokens of all devices of the context axis.
    [[nodiscard]] Tensor gathered(const Tensor& shard) {
        const std::int64_t tokenBytes =
            shard.extent(2) * shard.extent(3) * static_cast<std::int64_t>(sizeOf(shard.dtype()));
        Tensor whole = m_scratch.take({shard.extent(0), m_inputs.keyLength, shard.extent(2), shard.extent(3)},
                                      shard.dtype());
        std::vector<Block> parts;
        for (int device = 0; device < m_context.size(); ++device) {
            const ShardRange tokens = shardOf(m_inputs.keyLength, m_context.size(), device);
            parts.push_back({.data = whole.raw() + tokens.begin * tokenBytes,
                             .rowBytes = tokens.size() * tokenBytes,
                             .planes = shard.extent(0),
                             .planeStride = m_inputs.keyLength * tokenBytes});
        }
        const Trace::Span span = traceSpan(m_execution.trace, "exchange", "attention");
        m_context.allGather({.data = shard.raw(), .rowBytes = static_cast<std::int64_t>(shard.bytes())},
                            parts);
        return whole;
    }

    /// Merges the attention of `query` to the keys of all ring devices, which pass by.
    void attendRing(const HeadTensor& query, const KeyShard& own, const HeadTensor& out) {
        std::vector<ShardRange> tokens;
        std::vector<int> positions;
        for (int index = 0; index < m_split.ring; ++index) {
            tokens.push_back(groupTokens(m_split, m_inputs.keyLength, index));
            positions.push_back(index * m_split.ulysses + m_context.position() % m_split.ulysses);
        }
        Communicator ring = m_context.subgroup(positions);
        const ScratchArena::Frame frame(m_scratch);
        AttentionAccumulator sum(out, m_split.ring, m_scratch);
        const auto rotate =
            m_settings.mode->rotation == Rotation::BidirectionalRing ? rotateKeysBothWays : rotateKeys;
        m_report.rotations = rotate(ring, own, tokens, m_scratch, m_execution.trace,
                                    [&](const KeyShard& keys) { add(sum, query, keys); });
    }

    void exchangeHeads() {
        std::vector<int> positions(static_cast<std::size_t>(m_split.ulysses));
        std::iota(positions.begin(), positions.end(), m_ringIndex * m_split.ulysses);
        Communicator group = m_context.subgroup(positions);
        HeadExchange queries(group, m_split, m_ringIndex, m_inputs.queryLength);
        HeadExchange keys(group, m_split, m_ringIndex, m_inputs.keyLength);
        const std::vector<ShardRange> chunks = headChunks(m_inputs.query.extent(2), m_split.ulysses,
                                                          m_settings.mode->chunked ? m_settings.chunks : 1);
        m_report.heads = queries.headsOf(chunks.front());
        m_report.queryTokens = queries.groupTokens();
        TokenShards shards{
            .query = m_inputs.query, .key = m_inputs.key, .value = m_inputs.value, .out = m_out};
        const IdleShards idle = m_split.ring == 1 ? IdleShards::Query : IdleShards::QueryKeyAndValue;
        attendChunks(queries, keys, shards, chunks, idle, m_scratch, m_execution.trace,
                     [this](const HeadTensor& query, const KeyShard& held, HeadTensor& out) {
                         attendRing(query, held, out);
                     });
    }

    const Execution& m_execution;
    Communicator& m_context;
    const AttentionSettings& m_settings;
    ContextSplit m_split;
    int m_ringIndex;
    const ShardedAttentionInputs& m_inputs;
    Tensor& m_out;
    ScratchArena& m_scratch;
    AttentionReport m_report;
};

}  // namespace

AttentionReport attendSharded(Device& device, const AttentionSettings& settings,
                              const ShardedAttentionInputs& inputs, Tensor& out, ScratchArena& scratch) {
    Communicator& context = device.along(MeshAxis::Context);
    requireInputs(inputs, out, context.size(), context.position());
    requireLegal(settings, inputs.query, context.size());
    const AttentionSettings effective = effectiveSettings(settings, inputs.queryLength, inputs.keyLength);
    return DeviceAttention(device, effective, inputs, out, scratch).run();
}

}  // namespace meshreel
