// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/sharded_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/block_selection.h"
#include "engine/attention/context_split.h"
#include "engine/attention/key_rotation.h"
#include "engine/attention/paired_keys.h"
#include "engine/base/error.h"
#include "engine/base/function_ref.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/memory_block.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace {

/// The all-to-alls of one tensor, one for each batch element.
using Exchanges = ScratchVector<Pending>;

/// Trades tokens for heads between the devices of one ulysses group, and back. A "shard" holds this device's
/// tokens of all heads, by token; a "group" tensor all tokens of the group of this device's part of the heads
/// [chunk.begin, chunk.end), see headShard(). By head, they are transposed as they are copied.
class HeadExchange {
  public:
    /// `group`: the devices of the group at ring index `ring`; `length`: tokens of the whole sequence;
    /// `order`: of group tensors.
    HeadExchange(Communicator& group, const ContextSplit& split, int ring, std::int64_t length,
                 HeadOrder order);

    [[nodiscard]] const ShardRange& groupTokens() const { return m_groupTokens; }
    [[nodiscard]] HeadOrder order() const { return m_order; }

    /// This device's part of a chunk.
    [[nodiscard]] ShardRange toHeadRange(const ShardRange& chunk) const;

    [[nodiscard]] Exchanges startToHeads(const Tensor& shard, const ShardRange& chunk, HeadTensor& group);
    [[nodiscard]] Exchanges startToTokens(const HeadTensor& group, const ShardRange& chunk, Tensor& shard);

  private:
    Communicator* m_group;
    HeadOrder m_order;
    ShardRange m_groupTokens;
    ScratchVector<ShardRange> m_tokens;  // for each device, counted from the group's first token
};

template <typename Byte>
using Blocks = ScratchVector<BasicBlock<Byte>>;

std::int64_t headBytes(const Tensor& tensor) {
    return tensor.extent(3) * static_cast<std::int64_t>(byteSize(tensor.dtype()));
}

/// Returns what each of `parts` devices computes of a chunk's heads, cut out of one batch element of a tensor
/// with all heads, by token. `data` is the memory of `shard`.
template <typename Byte>
Blocks<Byte> headParts(Byte* data, const Tensor& shard, std::int64_t batch, const ShardRange& chunk,
                       int parts) {
    const std::int64_t rowBytes = headBytes(shard);
    const std::int64_t tokenBytes = shard.extent(2) * rowBytes;
    Blocks<Byte> blocks;
    for (int part = 0; part < parts; ++part) {
        const ShardRange heads = headShard(chunk, parts, part);
        blocks.push_back({.data = data + batch * shard.extent(1) * tokenBytes + heads.begin * rowBytes,
                          .rowBytes = rowBytes,
                          .rows = shard.extent(1),
                          .rowStride = tokenBytes,
                          .planes = heads.size(),
                          .planeStride = rowBytes});
    }
    return blocks;
}

/// Returns the tokens of each device, head after head, cut out of one batch element of a tensor with the
/// tokens of all of them.
template <typename Byte>
Blocks<Byte> tokenParts(Byte* data, const HeadTensor& group, std::int64_t batch,
                        std::span<const ShardRange> tokens) {
    const std::int64_t headRow = headBytes(group.data);
    const bool byHead = group.order == HeadOrder::ByHead;  // then the tokens of a head are one row
    const std::int64_t tokenBytes = byHead ? headRow : group.heads() * headRow;
    Byte* first = data + batch * group.heads() * group.tokens() * headRow;
    Blocks<Byte> blocks;
    for (const ShardRange& range : tokens)
        blocks.push_back({.data = first + range.begin * tokenBytes,
                          .rowBytes = byHead ? range.size() * headRow : headRow,
                          .rows = byHead ? 1 : range.size(),
                          .rowStride = tokenBytes,
                          .planes = group.heads(),
                          .planeStride = byHead ? group.tokens() * headRow : headRow});
    return blocks;
}

HeadExchange::HeadExchange(Communicator& group, const ContextSplit& split, int ring, std::int64_t length,
                           HeadOrder order)
    : m_group(&group), m_order(order), m_groupTokens(meshreel::groupTokens(split, length, ring)) {
    for (int device = 0; device < split.ulysses; ++device) {
        const ShardRange shard = shardRange(length, split.devices(), ring * split.ulysses + device);
        m_tokens.push_back({shard.begin - m_groupTokens.begin, shard.end - m_groupTokens.begin});
    }
}

ShardRange HeadExchange::toHeadRange(const ShardRange& chunk) const {
    return headShard(chunk, m_group->size(), m_group->position());
}

Exchanges HeadExchange::startToHeads(const Tensor& shard, const ShardRange& chunk, HeadTensor& group) {
    Exchanges exchanges;
    for (std::int64_t batch = 0; batch < shard.extent(0); ++batch)
        exchanges.push_back(
            m_group->startAllToAll(headParts(shard.raw(), shard, batch, chunk, m_group->size()),
                                   tokenParts(group.data.raw(), group, batch, m_tokens)));
    return exchanges;
}

Exchanges HeadExchange::startToTokens(const HeadTensor& group, const ShardRange& chunk, Tensor& shard) {
    Exchanges exchanges;
    for (std::int64_t batch = 0; batch < shard.extent(0); ++batch)
        exchanges.push_back(
            m_group->startAllToAll(tokenParts(group.data.raw(), group, batch, m_tokens),
                                   headParts(shard.raw(), shard, batch, chunk, m_group->size())));
    return exchanges;
}

/// Attends, for this device's `heads` of one chunk, the queries of the whole ulysses group to its keys (and
/// those of other groups). The memory of the keys may be overwritten.
using ChunkAttention = FunctionRef<void(const ShardRange& heads, const HeadTensor& query,
                                        const KeyShard& keys, HeadTensor& out)>;

/// The shards of one device, [batch, its tokens, all heads, headDim].
struct TokenShards {
    Tensor query;
    Tensor key;
    Tensor value;
    Tensor out;
};

/// Which shards may be overwritten once a single chunk has been exchanged.
enum class IdleShards : std::uint8_t { Query, QueryKeyAndValue };

/// One chunk of heads on its way through a device: gathered, attended to, sent back.
class Lane {
  public:
    Lane(HeadExchange& queries, HeadExchange& keys, TokenShards& shards)
        : m_queries(queries), m_keys(keys), m_shards(shards) {}

    /// Takes room for chunks of up to the size of `heads`, except for their output.
    void reserve(const ShardRange& heads, ScratchArena& scratch) {
        m_queryRoom = take(m_shards.query, m_queries, heads, scratch);
        m_keyRoom = take(m_shards.key, m_keys, heads, scratch);
        m_valueRoom = take(m_shards.value, m_keys, heads, scratch);
    }

    void reserveOutput(const ShardRange& heads, ScratchArena& scratch) {
        m_outRoom = take(m_shards.out, m_queries, heads, scratch);
    }

    /// Reserves for one chunk only, whose query goes where the result goes in the end, if it fits there.
    void reserveSingle(const ShardRange& heads, ScratchArena& scratch) {
        const HeadTensor result{m_shards.out, m_queries.order()};
        const Shape shape = shapeOf(m_shards.query, m_queries, heads);
        m_queryRoom = shape.elements() <= m_shards.out.elements()
                          ? takeFront(result, shape)
                          : take(m_shards.query, m_queries, heads, scratch);
        m_keyRoom = take(m_shards.key, m_keys, heads, scratch);
        m_valueRoom = take(m_shards.value, m_keys, heads, scratch);
    }

    void startArriving(const ShardRange& chunk) {
        m_chunk = chunk;
        m_query = takeFront(m_queryRoom, shapeOf(m_shards.query, m_queries, chunk));
        m_held = {.tokens = m_keys.groupTokens(),
                  .key = takeFront(m_keyRoom, shapeOf(m_shards.key, m_keys, chunk)),
                  .value = takeFront(m_valueRoom, shapeOf(m_shards.value, m_keys, chunk))};
        m_arriving = {m_queries.startToHeads(m_shards.query, chunk, m_query),
                      m_keys.startToHeads(m_shards.key, chunk, m_held.key),
                      m_keys.startToHeads(m_shards.value, chunk, m_held.value)};
    }

    void waitForArrival(Trace* trace) {
        const Trace::Span span = traceSpan(trace, "exchange", "attention");
        for (Exchanges& tensor : m_arriving)
            waitFor(tensor);
    }

    void attendAndStartLeaving(const ChunkAttention& attend) {
        m_out = takeFront(m_outRoom, m_query.data.shape());
        attend(m_queries.toHeadRange(m_chunk), m_query, m_held, m_out);
        m_leaving = m_queries.startToTokens(m_out, m_chunk, m_shards.out);
    }

    void waitForLeaving(Trace* trace) {
        const Trace::Span span = traceSpan(trace, "exchange", "attention");
        waitFor(m_leaving);
    }

  private:
    static void waitFor(Exchanges& exchanges) {
        for (Pending& exchange : exchanges)
            exchange.wait();
    }

    static HeadTensor take(const Tensor& shard, const HeadExchange& exchange, const ShardRange& heads,
                           ScratchArena& scratch) {
        return {scratch.take(shapeOf(shard, exchange, heads), shard.dtype()), exchange.order()};
    }

    static Shape shapeOf(const Tensor& shard, const HeadExchange& exchange, const ShardRange& chunk) {
        return HeadTensor::shapeOf(exchange.order(), shard.extent(0), exchange.groupTokens().size(),
                                   exchange.toHeadRange(chunk).size(), shard.extent(3));
    }

    HeadExchange& m_queries;
    HeadExchange& m_keys;
    TokenShards& m_shards;
    ShardRange m_chunk;
    HeadTensor m_queryRoom;
    HeadTensor m_keyRoom;
    HeadTensor m_valueRoom;
    HeadTensor m_outRoom;
    HeadTensor m_query;
    KeyShard m_held;
    HeadTensor m_out;
    // Last, because what is pending must end before the memory does.
    std::array<Exchanges, 3> m_arriving;
    Exchanges m_leaving;
};

// Chunks take turns on the lanes: while one is computed the next one arrives and the one before leaves.
constexpr std::size_t laneCount = 2;

const ShardRange& findLargest(const std::vector<ShardRange>& chunks, std::size_t lane) {
    std::size_t largest = lane;
    for (std::size_t chunk = lane; chunk < chunks.size(); chunk += laneCount)
        if (chunks[chunk].size() > chunks[largest].size())
            largest = chunk;
    return chunks[largest];
}

/// One chunk: once all devices have it, the shards that it came from are idle.
void attendSingleChunk(Lane& lane, TokenShards& shards, const ShardRange& chunk, IdleShards idle,
                       ScratchArena& scratch, Trace* trace, const ChunkAttention& attend) {
    lane.reserveSingle(chunk, scratch);
    lane.startArriving(chunk);
    lane.waitForArrival(trace);
    const ScratchArena::Frame frame(scratch);
    scratch.lend(shards.query);
    if (idle == IdleShards::QueryKeyAndValue) {
        scratch.lend(shards.key);
        scratch.lend(shards.value);
    }
    lane.reserveOutput(chunk, scratch);
    lane.attendAndStartLeaving(attend);
    lane.waitForLeaving(trace);
}

/// Ulysses: trades the tokens of a group's devices for heads, chunk by chunk, lets `attend` compute and
/// trades back, so that the exchanges of other chunks are under way while one is computed. Buffers for two
/// chunks (query, key, value, output) come from `scratch`. With one chunk only key and value do: its query is
/// put where the result goes in the end, its output over the idle query, and `scratch` is lent what else is
/// idle while `attend` runs. Where a device has more heads than others, what it takes is larger than what it
/// gave, and does not fit there.
void attendChunks(HeadExchange& queries, HeadExchange& keys, TokenShards& shards,
                  const std::vector<ShardRange>& chunks, IdleShards idle, ScratchArena& scratch, Trace* trace,
                  const ChunkAttention& attend) {
    std::array<Lane, laneCount> lanes{Lane(queries, keys, shards), Lane(queries, keys, shards)};
    const std::size_t count = chunks.size();
    if (count == 1)
        return attendSingleChunk(lanes.front(), shards, chunks.front(), idle, scratch, trace, attend);
    for (std::size_t lane = 0; lane < laneCount; ++lane) {
        lanes[lane].reserve(findLargest(chunks, lane), scratch);
        lanes[lane].reserveOutput(findLargest(chunks, lane), scratch);
    }
    lanes.front().startArriving(chunks.front());
    for (std::size_t chunk = 0; chunk < count; ++chunk) {
        Lane& lane = lanes[chunk % laneCount];
        lane.waitForArrival(trace);
        if (chunk + 1 < count)
            lanes[(chunk + 1) % laneCount].startArriving(chunks[chunk + 1]);
        if (chunk >= laneCount)
            lane.waitForLeaving(trace);
        lane.attendAndStartLeaving(attend);
    }
    for (std::size_t chunk = count - laneCount; chunk < count; ++chunk)
        lanes[chunk % laneCount].waitForLeaving(trace);
}

void requireShape(std::string_view what, const Tensor& tensor, const Shape& shape, DType type) {
    if (tensor.shape() != shape || tensor.dtype() != type)
        throw Error(ErrorKind::Internal, fmt::format("Sharded attention got a {} of {}, needs {}", what,
                                                     tensor.shape().text(), shape.text()));
}

void requireBiases(const ShardedAttentionInputs& inputs) {
    std::int64_t end = 0;
    for (const BiasedKeys& biased : inputs.biasedKeys) {
        const auto tokens = std::ssize(biased.ofFrames) * inputs.tokensPerFrame;
        if (biased.keys.begin < end || biased.keys.end < biased.keys.begin ||
            biased.keys.end > inputs.keyLength || tokens < inputs.queryLength)
            throw Error(
                ErrorKind::Internal,
                fmt::format("Sharded attention got a bias of {} frames for keys {} to {} of {}",
                            biased.ofFrames.size(), biased.keys.begin, biased.keys.end, inputs.keyLength));
        end = biased.keys.end;
    }
}

void requirePairs(const AttentionPlan& plan, const ShardedAttentionInputs& inputs, int position) {
    if (inputs.paired == nullptr)
        return;
    const PairedKeys& paired = *inputs.paired;
    const PairedShare share = pairedShare(plan, paired.pairs, position);
    if (!plan.keysSharded || paired.pairs.queryLength() != inputs.queryLength ||
        paired.key.size() != share.heads.size() || paired.value.size() != share.heads.size())
        throw Error(ErrorKind::Internal,
                    fmt::format("Sharded attention of {} queries got keys for {} frames of {} in {} chunks",
                                inputs.queryLength, paired.pairs.frames, paired.pairs.tokensPerFrame,
                                paired.key.size()));
    const Shape& query = inputs.query.shape();
    for (std::size_t chunk = 0; chunk < share.heads.size(); ++chunk) {
        const Shape shape{query[0], share.tokens.size(), share.heads[chunk].size(), query[3]};
        requireShape("paired key", paired.key[chunk], shape, inputs.query.dtype());
        requireShape("paired value", paired.value[chunk], shape, inputs.query.dtype());
    }
}

void requireInputs(const AttentionPlan& plan, const ShardedAttentionInputs& inputs, const Tensor& out,
                   int devices, int position) {
    const Shape& query = inputs.query.shape();
    if (query.rank() != 4 || inputs.scale == 0.0)
        throw Error(ErrorKind::Internal, "Sharded attention needs a query of four axes and a scale");
    const auto shapeOf = [&](std::int64_t tokens) { return Shape{query[0], tokens, query[2], query[3]}; };
    const Shape keyShape =
        shapeOf(plan.keysSharded ? shardRange(inputs.keyLength, devices, position).size() : inputs.keyLength);
    const DType type = inputs.query.dtype();
    requireShape("query", inputs.query, shapeOf(shardRange(inputs.queryLength, devices, position).size()),
                 type);
    requireShape("key", inputs.key, keyShape, type);
    requireShape("value", inputs.value, keyShape, type);
    requireShape("output", out, query, type);
    if (!inputs.keyMask.empty() &&
        static_cast<std::int64_t>(inputs.keyMask.size()) != query[0] * inputs.keyLength)
        throw Error(ErrorKind::Internal,
                    fmt::format("Sharded attention got a mask of {} values, needs {} × {}",
                                inputs.keyMask.size(), query[0], inputs.keyLength));
    if (inputs.lastKeyCount < 1 || (inputs.lastKeyCount > 1 && !inputs.keyMask.empty()))
        throw Error(ErrorKind::Internal,
                    fmt::format("Sharded attention got a last key that counts {} times{}",
                                inputs.lastKeyCount, inputs.keyMask.empty() ? "" : " and a mask"));
    requireBiases(inputs);
    requirePairs(plan, inputs, position);
    if (plan.sparse.has_value() != (inputs.sparse != nullptr) ||
        (plan.sparse &&
         (!plan.keysSharded || inputs.queryLength != inputs.keyLength ||
          inputs.sparse->shards() != plan.split.ring || !inputs.biasedKeys.empty() ||
          inputs.paired != nullptr || inputs.sparse->tokensOf(plan.split.ring - 1).end != inputs.keyLength)))
        throw Error(ErrorKind::Internal,
                    fmt::format("Block-sparse attention of {} tokens got blocks of another sequence",
                                inputs.keyLength));
}

void requirePlanned(const AttentionPlan& plan, const Tensor& query, int devices) {
    if (plan.mode == nullptr || plan.chunks.empty())
        throw Error(ErrorKind::Internal, "An attention has no plan");
    if (plan.split.devices() != devices ||
        (plan.split.ulysses > 1 && plan.keysSharded && plan.chunks.back().end != query.extent(2)))
        throw Error(ErrorKind::Internal,
                    fmt::format("A plan of {} devices that attend to {} heads met {} devices and {} heads",
                                plan.split.devices(), plan.chunks.back().end, devices, query.extent(2)));
}

/// One attention on one device.
class DeviceAttention {
  public:
    DeviceAttention(Device& device, const AttentionPlan& plan, const ShardedAttentionInputs& inputs,
                    Tensor& out, ScratchArena& scratch, FixedMOutcome earlier)
        : m_execution(device.execution()),
          m_context(device.along(MeshAxis::Context)),
          m_plan(plan),
          m_ringIndex(m_context.position() / plan.split.ulysses),
          m_inputs(inputs),
          m_out(out),
          m_scratch(scratch) {
        m_report.effectiveMode = plan.mode->name;
        m_report.heads = {0, inputs.query.extent(2)};
        m_report.fixedM = std::move(earlier);
        m_report.fixedM.begin(inputs.query.extent(0),
                              rowOf(plan.kernel).boundsScores ? inputs.query.extent(2) : 0);
        m_report.queryTokens = shardRange(inputs.queryLength, m_context.size(), m_context.position());
    }

    AttentionReport run() {
        const ScratchArena::Frame frame(m_scratch);
        if (!m_plan.keysSharded)
            attendHeld({m_inputs.key}, {m_inputs.value});
        else if (m_plan.split.ulysses > 1)
            exchangeHeads();
        else if (m_plan.exchange == Exchange::Gather)
            gatherKeys();
        else
            attendRing({m_inputs.query}, ownKeys(), {m_out});
        return std::move(m_report);
    }

  private:
    [[nodiscard]] KeyShard ownKeys() const {
        return {.tokens = groupTokens(m_plan.split, m_inputs.keyLength, m_ringIndex),
                .key = {m_inputs.key},
                .value = {m_inputs.value}};
    }

    [[nodiscard]] std::int64_t countLastKeys(const ShardRange& tokens) const {
        return tokens.size() > 0 && tokens.end == m_inputs.keyLength ? m_inputs.lastKeyCount : 1;
    }

    [[nodiscard]] LocalAttention localAttention(const HeadTensor& query, const KeyShard& keys) const {
        return {.query = query,
                .key = keys.key,
                .value = keys.value,
                .keyMask = m_inputs.keyMask.empty() ? nullptr : m_inputs.keyMask.data() + keys.tokens.begin,
                .keyMaskStride = m_inputs.keyLength,
                .scale = m_inputs.scale};
    }

    /// Calls visit(part) for the parts of keys of the sequence between the borders of biases; once for no
    /// keys.
    template <typename Visit>
    void eachPart(const ShardRange& tokens, const Visit& visit) const {
        std::int64_t begin = tokens.begin;
        const auto visitUpTo = [&](std::int64_t end, std::span<const float> ofFrames) {
            end = std::min(end, tokens.end);
            if (end > begin)
                visit(BiasedKeys{.keys = {begin, end}, .ofFrames = ofFrames});
            begin = std::max(begin, end);
        };
        for (const BiasedKeys& biased : m_inputs.biasedKeys) {
            visitUpTo(biased.keys.begin, {});
            visitUpTo(biased.keys.end, biased.ofFrames);
        }
        visitUpTo(tokens.end, {});
        if (tokens.size() == 0)
            visit(BiasedKeys{.keys = tokens, .ofFrames = {}});
    }

    /// How often add() attends to keys of these ranges, and addPaired() behind it.
    [[nodiscard]] int countParts(std::span<const ShardRange> ranges) const {
        int parts = m_inputs.paired == nullptr ? 0 : 1;
        for (const ShardRange& tokens : ranges)
            eachPart(tokens, [&parts](const BiasedKeys&) { ++parts; });
        return parts;
    }

    /// Chooses the blocks of a block-sparse attention; without a rule there is nothing to choose.
    void chooseBlocks(std::optional<BlockSelection>& selection, Communicator& ring, const HeadTensor& query,
                      const KeyShard& own) {
        if (!m_plan.sparse)
            return;
        selection.emplace(m_execution, ring,
                          SelectionInputs{.plan = m_plan,
                                          .tokens = *m_inputs.sparse,
                                          .query = query,
                                          .own = own,
                                          .keyMask = m_inputs.keyMask,
                                          .scale = m_inputs.scale});
        m_report.sparse += selection->counts();
    }

    /// Attends to what is kept of the shards of these keys.
    void addKept(AttentionAccumulator& sum, const HeadTensor& query, const KeyShard& keys,
                 const BlockSelection& selection) {
        const Trace::Span span = traceSpan(m_execution.trace, "attend", "attention");
        const SparseTokens& all = selection.tokens();
        for (int shard = 0; shard < all.shards(); ++shard) {
            const ShardRange& tokens = all.tokensOf(shard);
            if (tokens.begin < keys.tokens.begin || tokens.end > keys.tokens.end || !selection.reads(shard))
                continue;
            const SparseKeys kept = selection.keysOf(shard);
            LocalAttention attention = localAttention(query, keys);
            attention.firstKey = tokens.begin - keys.tokens.begin;
            attention.keys = tokens.size();
            attention.sparse = &kept;
            sum.add(attention);
        }
    }

    /// Compares with dense attention to the keys that are here, which must be all.
    void checkSparse(const HeadTensor& query, const KeyShard& keys, const HeadTensor& out,
                     const BlockSelection& selection, int own) {
        if (!m_inputs.checksSparse || keys.tokens.size() != m_inputs.keyLength)
            return;
        const SparseKeys kept = selection.keysOf(own);
        LocalAttention attention = localAttention(query, keys);
        attention.sparse = &kept;
        const SparseDifference found = differenceFromDense(m_plan, attention, out);
        m_report.sparse.difference += found.difference;
        m_report.sparse.reference += found.reference;
    }

    void add(AttentionAccumulator& sum, const HeadTensor& query, const KeyShard& keys) {
        const Trace::Span span = traceSpan(m_execution.trace, "attend", "attention");
        eachPart(keys.tokens, [&](const BiasedKeys& part) {
            LocalAttention attention = localAttention(query, keys);
            attention.firstKey = part.keys.begin - keys.tokens.begin;
            attention.keys = part.keys.size();
            attention.lastKeyCount = countLastKeys(part.keys);
            attention.frameBias = {.ofFrames = part.ofFrames,
                                   .firstToken = m_report.queryTokens.begin,
                                   .tokensPerFrame = m_inputs.tokensPerFrame};
            sum.add(attention, FixedMRecord{.outcome = m_report.fixedM, .firstHead = m_firstHead});
        });
    }

    /// Attends to the keys that are paired with the queries' frames, behind all others.
    void addPaired(AttentionAccumulator& sum, const HeadTensor& query) const {
        if (m_inputs.paired == nullptr)
            return;
        const Trace::Span span = traceSpan(m_execution.trace, "attend", "attention");
        const PairedKeys& paired = *m_inputs.paired;
        const PairedShare share = pairedShare(m_plan, paired.pairs, m_context.position());
        sum.addPairs({.query = query,
                      .key = {paired.key[m_chunk]},
                      .value = {paired.value[m_chunk]},
                      .scale = m_inputs.scale},
                     pairsOf(paired.pairs, share, m_report.queryTokens));
    }

    /// Attends to keys and values of the whole sequence.
    void attendHeld(const HeadTensor& key, const HeadTensor& value) {
        const ShardRange all{0, m_inputs.keyLength};
        const KeyShard keys{.tokens = all, .key = key, .value = value};
        std::optional<BlockSelection> selection;
        chooseBlocks(selection, m_context, {m_inputs.query}, ownKeys());
        AttentionAccumulator sum(m_execution, m_plan, {m_out},
                                 selection ? selection->countRead() : countParts(std::span(&all, 1)),
                                 m_scratch);
        if (!selection) {
            add(sum, {m_inputs.query}, keys);
            addPaired(sum, {m_inputs.query});
            return;
        }
        addKept(sum, {m_inputs.query}, keys, *selection);
        checkSparse({m_inputs.query}, keys, {m_out}, *selection, m_ringIndex);
    }

    void gatherKeys() {
        if (m_context.size() == 1)
            return attendHeld({m_inputs.key}, {m_inputs.value});
        const Tensor key = gathered(m_inputs.key);
        const Tensor value = gathered(m_inputs.value);
        attendHeld({key}, {value});
    }

    /// The tokens of all devices of the context axis.
    [[nodiscard]] Tensor gathered(const Tensor& ofDevice) {
        const Tensor shard = ofDevice.host();
        const std::int64_t tokenBytes =
            shard.extent(2) * shard.extent(3) * static_cast<std::int64_t>(byteSize(shard.dtype()));
        Tensor whole = exchangeScratch().take(
            {shard.extent(0), m_inputs.keyLength, shard.extent(2), shard.extent(3)}, shard.dtype());
        ScratchVector<Block> parts;
        for (int device = 0; device < m_context.size(); ++device) {
            const ShardRange tokens = shardRange(m_inputs.keyLength, m_context.size(), device);
            parts.push_back({.data = whole.raw() + tokens.begin * tokenBytes,
                             .rowBytes = tokens.size() * tokenBytes,
                             .planes = shard.extent(0),
                             .planeStride = m_inputs.keyLength * tokenBytes});
        }
        const Trace::Span span = traceSpan(m_execution.trace, "exchange", "attention");
        m_context.allGather({.data = shard.raw(), .rowBytes = static_cast<std::int64_t>(shard.bytes())},
                            parts);
        return uploaded(whole);
    }

    /// What the devices exchange passes through the host's memory.
    [[nodiscard]] bool isStaged() const { return m_execution.hasOwnMemory(); }
    [[nodiscard]] ScratchArena& exchangeScratch() { return isStaged() ? m_hostScratch : m_scratch; }

    /// Returns the tensor in the memory where the device attends, which may be the host's.
    [[nodiscard]] Tensor uploaded(const Tensor& tensor) {
        if (tensor.memory() == m_execution.memory())
            return tensor;
        Tensor there = m_scratch.take(tensor.shape(), tensor.dtype());
        there.assign(tensor);
        return there;
    }
    [[nodiscard]] HeadTensor uploaded(const HeadTensor& tensor) {
        return {uploaded(tensor.data), tensor.order};
    }

    /// Returns what another device has lent, in the memory where this one attends.
    [[nodiscard]] HeadTensor borrowed(const HeadTensor& lent) {
        Tensor there = m_scratch.take(lent.data.shape(), lent.data.dtype());
        there.borrow(lent.data);
        return {there, lent.order};
    }

    /// Returns a copy where other devices read it by themselves, if they do.
    [[nodiscard]] Tensor onHost(const Tensor& tensor) const {
        if (!isStaged() || tensor.memory() != m_execution.memory())
            return tensor;
        Tensor copy = Tensor::onHostOf(m_execution.memory(), tensor.shape(), tensor.dtype());
        copy.assign(tensor);
        return copy;
    }
    /// Returns the keys where the others of the ring find them: in the device's memory, if they reach it.
    [[nodiscard]] KeyShard passed(const KeyShard& keys, const Communicator& ring) const {
        Memory* const memory = keys.key.data.memory();
        if (memory != nullptr && memory->isReached() && ring.sharesMemory()) {
            memory->device().finish({});  // which computes them
            return keys;
        }
        return {.tokens = keys.tokens,
                .key = {onHost(keys.key.data), keys.key.order},
                .value = {onHost(keys.value.data), keys.value.order}};
    }

    /// Attends in the device's memory what others have brought together on the host.
    void attendStaged(const HeadTensor& query, const KeyShard& own, HeadTensor& out) {
        const ScratchArena::Frame frame(m_scratch);
        const HeadTensor attended{m_scratch.take(out.data.shape(), out.data.dtype()), out.order};
        attendRing(uploaded(query), own, attended);
        out.data.assign(attended.data);
    }

    /// Merges the attention of `query` to the keys of all ring devices, which pass by. The keys of GPUs pass
    /// by on the host; the next ones are on their way while the GPU attends.
    void attendRing(const HeadTensor& query, const KeyShard& own, const HeadTensor& out) {
        ScratchVector<ShardRange> tokens;
        ScratchVector<int> positions;
        for (int index = 0; index < m_plan.split.ring; ++index) {
            tokens.push_back(groupTokens(m_plan.split, m_inputs.keyLength, index));
            positions.push_back(index * m_plan.split.ulysses + m_context.position() % m_plan.split.ulysses);
        }
        Communicator& ring = m_context.subgroup(positions);
        const ScratchArena::Frame frame(m_scratch);
        std::optional<BlockSelection> selection;
        chooseBlocks(selection, ring, query, own);
        AttentionAccumulator sum(m_execution, m_plan, out,
                                 selection ? selection->countRead() : countParts(tokens), m_scratch);
        const bool bothWays = m_plan.rotation == Rotation::BidirectionalRing;
        const auto visit = [&](const KeyShard& keys) {
            const ScratchArena::Frame ofKeys(m_scratch);
            const bool isOwn = keys.tokens.begin == own.tokens.begin && keys.tokens.end == own.tokens.end;
            const bool isBorrowed = !isOwn && isStaged() && ring.sharesMemory();
            const auto brought = [&](const HeadTensor& rows) {
                return isBorrowed ? borrowed(rows) : uploaded(rows);
            };
            const KeyShard& near = isOwn ? own : keys;
            const KeyShard here{
                .tokens = keys.tokens, .key = brought(near.key), .value = brought(near.value)};
            if (!selection)
                return add(sum, query, here);
            addKept(sum, query, here, *selection);
            if (isOwn)
                checkSparse(query, here, out, *selection, m_ringIndex);
        };
        const RingReads everything(ring.size());
        const RingReads& reads = selection ? selection->reads() : everything;
        const KeyShard passing = ring.size() > 1 ? passed(own, ring) : own;
        if (ring.sharesMemory()) {
            const auto order = (bothWays ? lineOrder : ringOrder)(ring.position(), ring.size());
            m_report.rotations = readKeysInPlace(ring, order, passing, tokens, reads, m_execution.trace,
                                                 visit, m_execution.memory());
        } else {
            m_report.rotations = (bothWays ? rotateKeysBothWays : rotateKeys)(
                ring, passing, tokens, reads, exchangeScratch(), m_execution.trace, visit);
        }
        if (selection) {
            m_report.sparse.hops += m_report.rotations;
            m_report.sparse.skippedHops += ring.size() - 1 - m_report.rotations;
        }
        addPaired(sum, query);
    }

    void exchangeHeads() {
        ScratchVector<int> positions(static_cast<std::size_t>(m_plan.split.ulysses));
        std::iota(positions.begin(), positions.end(), m_ringIndex * m_plan.split.ulysses);
        Communicator& group = m_context.subgroup(positions);
        // A GPU's kernels take heads beside each other.
        const HeadOrder order = isStaged() ? HeadOrder::ByToken : HeadOrder::ByHead;
        HeadExchange queries(group, m_plan.split, m_ringIndex, m_inputs.queryLength, order);
        HeadExchange keys(group, m_plan.split, m_ringIndex, m_inputs.keyLength, order);
        m_report.heads = queries.toHeadRange(m_plan.chunks.front());
        m_report.queryTokens = queries.groupTokens();
        TokenShards shards{.query = m_inputs.query.host(),
                           .key = m_inputs.key.host(),
                           .value = m_inputs.value.host(),
                           .out = isStaged() ? Tensor::empty(m_out.shape(), m_out.dtype()) : m_out};
        const IdleShards idle = m_plan.split.ring == 1 ? IdleShards::Query : IdleShards::QueryKeyAndValue;
        attendChunks(
            queries, keys, shards, m_plan.chunks, idle, exchangeScratch(), m_execution.trace,
            [this](const ShardRange& heads, const HeadTensor& query, const KeyShard& held, HeadTensor& out) {
                m_firstHead = heads.begin;
                if (isStaged())
                    attendStaged(query, held, out);
                else
                    attendRing(query, held, out);
                ++m_chunk;
            });
        m_out.assign(shards.out);
    }

    const Execution& m_execution;
    Communicator& m_context;
    const AttentionPlan& m_plan;
    int m_ringIndex;
    const ShardedAttentionInputs& m_inputs;
    Tensor& m_out;
    ScratchArena& m_scratch;     // where the device attends
    ScratchArena m_hostScratch;  // for exchanges between GPUs
    AttentionReport m_report;
    std::int64_t m_firstHead = 0;  // of the heads that are being computed
    std::size_t m_chunk = 0;       // which they are
};

}  // namespace

AttentionReport attendSharded(Device& device, const AttentionPlan& plan, const ShardedAttentionInputs& inputs,
                              Tensor& out, ScratchArena& scratch, FixedMOutcome earlier) {
    Communicator& context = device.along(MeshAxis::Context);
    if (inputs.query.memory() != device.execution().memory())
        throw Error(ErrorKind::Internal, "Sharded attention got tensors that are not in its device's memory");
    requireInputs(plan, inputs, out, context.size(), context.position());
    requirePlanned(plan, inputs.query, context.size());
    return DeviceAttention(device, plan, inputs, out, scratch, std::move(earlier)).run();
}

}  // namespace meshreel
