// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/head_pipeline.h"

#include <array>

namespace meshreel {

namespace {

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

    /// The same for one chunk only, whose query is put where the result goes in the end, if it fits there.
    void reserveSingle(const ShardRange& heads, ScratchArena& scratch) {
        const HeadTensor result{m_shards.out, HeadOrder::ByHead};
        const Shape shape = shapeOf(m_shards.query, m_queries, heads);
        m_queryRoom = shape.elements() <= m_shards.out.elements()
                          ? frontOf(result, shape)
                          : take(m_shards.query, m_queries, heads, scratch);
        m_keyRoom = take(m_shards.key, m_keys, heads, scratch);
        m_valueRoom = take(m_shards.value, m_keys, heads, scratch);
    }

    void startArriving(const ShardRange& chunk) {
        m_chunk = chunk;
        m_query = frontOf(m_queryRoom, shapeOf(m_shards.query, m_queries, chunk));
        m_held = {.tokens = m_keys.groupTokens(),
                  .key = frontOf(m_keyRoom, shapeOf(m_shards.key, m_keys, chunk)),
                  .value = frontOf(m_valueRoom, shapeOf(m_shards.value, m_keys, chunk))};
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
        m_out = frontOf(m_outRoom, m_query.data.shape());
        attend(m_query, m_held, m_out);
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
        return {scratch.take(shapeOf(shard, exchange, heads), shard.dtype()), HeadOrder::ByHead};
    }

    static Shape shapeOf(const Tensor& shard, const HeadExchange& exchange, const ShardRange& chunk) {
        return HeadTensor::shapeOf(HeadOrder::ByHead, shard.extent(0), exchange.groupTokens().size(),
                                   exchange.headsOf(chunk).size(), shard.extent(3));
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

const ShardRange& largestOf(const std::vector<ShardRange>& chunks, std::size_t lane) {
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

}  // namespace

void attendChunks(HeadExchange& queries, HeadExchange& keys, TokenShards& shards,
                  const std::vector<ShardRange>& chunks, IdleShards idle, ScratchArena& scratch, Trace* trace,
                  const ChunkAttention& attend) {
    std::array<Lane, laneCount> lanes{Lane(queries, keys, shards), Lane(queries, keys, shards)};
    const std::size_t count = chunks.size();
    if (count == 1)
        return attendSingleChunk(lanes.front(), shards, chunks.front(), idle, scratch, trace, attend);
    for (std::size_t lane = 0; lane < laneCount; ++lane) {
        lanes[lane].reserve(largestOf(chunks, lane), scratch);
        lanes[lane].reserveOutput(largestOf(chunks, lane), scratch);
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

}  // namespace meshreel
