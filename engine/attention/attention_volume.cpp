// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/attention_volume.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/mesh/shard_range.h"

namespace meshreel {

namespace {

// One device of the context axis: how many heads it computes; how many tokens it and its ulysses group hold.
struct Place {
    std::int64_t heads;
    std::int64_t queries;
    std::int64_t keys;
    std::int64_t groupQueries;
    std::int64_t groupKeys;
};

/// Of all chunks together.
std::int64_t headsOf(const ContextSplit& split, std::int64_t heads, int device) {
    return headShard({0, heads}, split.ulysses, device % split.ulysses).size();
}

Place placeOf(const ContextSplit& split, const AttentionDimensions& dimensions, int device) {
    const int ring = device / split.ulysses;
    return {.heads = headsOf(split, dimensions.heads, device),
            .queries = shardRange(dimensions.queryLength, split.devices(), device).size(),
            .keys = shardRange(dimensions.keyLength, split.devices(), device).size(),
            .groupQueries = groupTokens(split, dimensions.queryLength, ring).size(),
            .groupKeys = groupTokens(split, dimensions.keyLength, ring).size()};
}

std::int64_t tokenBytes(const AttentionDimensions& dimensions, std::int64_t heads) {
    return dimensions.batch * heads * dimensions.headDim * dimensions.elementBytes;
}

std::int64_t exchangeBytes(const Place& place, const AttentionDimensions& dimensions) {
    return tokenBytes(dimensions, place.heads) *
           (place.groupQueries - place.queries + 2 * (place.groupKeys - place.keys));
}

std::int64_t returnBytes(const Place& place, const AttentionDimensions& dimensions) {
    return tokenBytes(dimensions, dimensions.heads - place.heads) * place.queries;
}

/// A gather and a ring bring the same: all keys and values that the ulysses group does not hold.
std::int64_t otherKeyBytes(const Place& place, const AttentionDimensions& dimensions) {
    return 2 * tokenBytes(dimensions, place.heads) * (dimensions.keyLength - place.groupKeys);
}

struct CollectiveRow {
    AttentionCollective collective;
    bool (*belongsTo)(Exchange exchange, Rotation rotation);
    std::int64_t (*bytes)(const Place& place, const AttentionDimensions& dimensions);
};

bool exchangesHeads(Exchange exchange, Rotation) {
    return exchange == Exchange::Ulysses;
}

constexpr std::array rows{
    CollectiveRow{.collective = {.name = "all-to-all of queries, keys and values: heads for tokens",
                                 .formula = "(U−1)/U·(q + 2·k)",
                                 .senders = Senders::UlyssesGroup,
                                 .chunked = true},
                  .belongsTo = exchangesHeads,
                  .bytes = exchangeBytes},
    CollectiveRow{.collective = {.name = "all-gather of keys and values",
                                 .formula = "2·(C−1)·k",
                                 .senders = Senders::RingGroup},
                  .belongsTo = [](Exchange exchange, Rotation) { return exchange == Exchange::Gather; },
                  .bytes = otherKeyBytes},
    CollectiveRow{.collective = {.name = "R−1 shifts of keys and values around the ring",
                                 .formula = "2·(R−1)·k",
                                 .senders = Senders::RingNeighbour,
                                 .chunked = true},
                  .belongsTo = [](Exchange, Rotation rotation) { return rotation == Rotation::Ring; },
                  .bytes = otherKeyBytes},
    CollectiveRow{
        .collective = {.name = "R−1 shifts of keys and values each way along a line",
                       .formula = "2·(R−1)·k",
                       .senders = Senders::LineNeighbours,
                       .chunked = true},
        .belongsTo = [](Exchange, Rotation rotation) { return rotation == Rotation::BidirectionalRing; },
        .bytes = otherKeyBytes},
    CollectiveRow{.collective = {.name = "all-to-all of outputs: tokens for heads",
                                 .formula = "(U−1)/U·q",
                                 .senders = Senders::UlyssesHeads,
                                 .chunked = true},
                  .belongsTo = exchangesHeads,
                  .bytes = returnBytes},
};

std::vector<AttentionCollective> listCollectives(Exchange exchange, Rotation rotation, bool chunked) {
    std::vector<AttentionCollective> collectives;
    for (const CollectiveRow& row : rows)
        if (row.belongsTo(exchange, rotation)) {
            collectives.push_back(row.collective);
            collectives.back().chunked = row.collective.chunked && chunked;
        }
    return collectives;
}

/// A part of what is received.
struct Share {
    std::int64_t parts = 0;
    std::int64_t of = 1;

    [[nodiscard]] std::int64_t taken(std::int64_t bytes) const { return bytes * parts / of; }
};

/// Members first, first + stride, … below `end` that are not below `begin`.
int membersBetween(int first, int stride, int begin, int end) {
    const auto below = [&](int limit) { return limit > first ? (limit - first - 1) / stride + 1 : 0; };
    return below(end) - below(begin);
}

/// What the device at index `device` of the context axis receives from other hosts, where each member of its
/// ulysses group sends by the heads that it computes.
Share headsOfOtherHosts(const ContextSplit& split, std::int64_t heads, int devicesPerHost, int device) {
    std::int64_t outside = 0;
    const int first = device / split.ulysses * split.ulysses;
    for (int other = first; other < first + split.ulysses; ++other)
        if (other / devicesPerHost != device / devicesPerHost)
            outside += headsOf(split, heads, other);
    return {outside, std::max<std::int64_t>(1, heads - headsOf(split, heads, device))};
}

/// The same of a collective.
Share shareOfOtherHosts(const CollectiveVolume& volume, int devicesPerHost, int device) {
    const ContextSplit& split = volume.split;
    const int ring = device / split.ulysses;
    const int ulysses = device % split.ulysses;
    const int begin = device / devicesPerHost * devicesPerHost;
    const int end = begin + devicesPerHost;
    const auto isOutside = [&](int other) { return other < begin || other >= end; };
    switch (volume.collective.senders) {
        case Senders::UlyssesHeads:
            return headsOfOtherHosts(split, volume.heads, devicesPerHost, device);
        case Senders::UlyssesGroup: {
            const int first = ring * split.ulysses;
            const int inside = std::min(end, first + split.ulysses) - std::max(begin, first);
            return {split.ulysses - inside, std::max(1, split.ulysses - 1)};
        }
        case Senders::RingGroup:
            return {
                split.ring - membersBetween(ulysses, split.ulysses, begin, std::min(end, split.devices())),
                std::max(1, split.ring - 1)};
        case Senders::RingNeighbour:
            return {isOutside((device - split.ulysses + split.devices()) % split.devices()) ? 1 : 0, 1};
        case Senders::LineNeighbours:
            return {(isOutside(device - split.ulysses) ? ring : 0) +
                        (isOutside(device + split.ulysses) ? split.ring - 1 - ring : 0),
                    std::max(1, split.ring - 1)};
    }
    return {};
}

}  // namespace

std::string_view attentionSharding(const AttentionMode& mode) {
    if (mode.exchange == Exchange::Gather)
        return "queries by token over C; every device gets all keys and values (with "
               "attention_sharding_uniform: false it is sharded as ulysses)";
    if (mode.exchange == Exchange::None)
        return "queries, keys and values by token over C";
    return mode.hybrid() ? "heads over U, queries, keys and values by token over R"
                         : "heads over C; every device gets all tokens";
}

std::vector<AttentionCollective> attentionCollectives(const AttentionMode& mode) {
    return listCollectives(mode.exchange, mode.rotation, mode.chunked());
}

std::vector<AttentionCollective> attentionCollectives(const AttentionPlan& plan) {
    if (!plan.keysSharded)
        return {};
    return listCollectives(plan.exchange, plan.rotation, plan.chunks.size() > 1);
}

std::vector<CollectiveVolume> attentionVolume(const AttentionPlan& plan,
                                              const AttentionDimensions& dimensions) {
    std::vector<CollectiveVolume> volume;
    if (!plan.keysSharded)
        return volume;
    for (const CollectiveRow& row : rows) {
        if (!row.belongsTo(plan.exchange, plan.rotation))
            continue;
        std::vector<std::int64_t> received;
        for (int device = 0; device < plan.split.devices(); ++device)
            received.push_back(row.bytes(placeOf(plan.split, dimensions, device), dimensions));
        volume.push_back({.collective = row.collective,
                          .split = plan.split,
                          .heads = dimensions.heads,
                          .bytesReceived = std::move(received)});
    }
    return volume;
}

std::vector<std::int64_t> bytesFromOtherHosts(const CollectiveVolume& volume, int devicesPerHost) {
    std::vector<std::int64_t> bytes;
    for (int device = 0; device < volume.split.devices(); ++device)
        bytes.push_back(shareOfOtherHosts(volume, devicesPerHost, device)
                            .taken(volume.bytesReceived[static_cast<std::size_t>(device)]));
    return bytes;
}

std::int64_t totalBytes(std::span<const CollectiveVolume> volume) {
    std::int64_t total = 0;
    for (const CollectiveVolume& collective : volume)
        total = std::accumulate(collective.bytesReceived.begin(), collective.bytesReceived.end(), total);
    return total;
}

}  // namespace meshreel
