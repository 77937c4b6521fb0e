// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/svg_profile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "engine/kernels/linear/matmul.h"
#include "engine/kernels/rows/exponential.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {
namespace {

constexpr std::int64_t profileBlock = 128;  // as published, whatever the blocks of the attention are
constexpr std::int64_t keysAtATime = 512;

/// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t nextRandom(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

ScratchVector<std::int64_t> drawQueries(const SparseRule& rule, std::int64_t tokens) {
    const std::int64_t pool = std::clamp<std::int64_t>(rule.sampledRows, 1, tokens);
    const std::int64_t count = std::clamp<std::int64_t>(rule.profileQueries, 1, pool);
    ScratchVector<std::int64_t> rows(static_cast<std::size_t>(count));
    std::uint64_t state = rule.profileSeed;
    for (std::int64_t i = 0; i < count; ++i)
        rows[static_cast<std::size_t>(i)] =
            count == pool ? i
                          : static_cast<std::int64_t>(nextRandom(state) % static_cast<std::uint64_t>(pool));
    return rows;
}

/// Which keys a query sees in an order of the tokens.
class OrderMask {
  public:
    OrderMask(const TokenGrid& video, bool byPlace)
        : m_frames(video.frames), m_frameTokens(video.rows * video.columns), m_byPlace(byPlace) {}

    [[nodiscard]] bool sees(std::int64_t query, std::int64_t key) const {
        const std::int64_t from = positionOf(query);
        const std::int64_t to = positionOf(key);
        return to < m_frameTokens ||
               std::abs(from / profileBlock - to / profileBlock) < 2 * m_frameTokens / profileBlock;
    }

  private:
    [[nodiscard]] std::int64_t positionOf(std::int64_t token) const {
        return m_byPlace ? token % m_frameTokens * m_frames + token / m_frameTokens : token;
    }

    std::int64_t m_frames;
    std::int64_t m_frameTokens;
    bool m_byPlace;
};

/// Attention of the drawn queries, summed up block of keys by block of keys.
struct ProfiledOutput {
    ProfiledOutput(std::int64_t queries, std::int64_t headDim)
        : sums(static_cast<std::size_t>(queries), 0.0),
          output(static_cast<std::size_t>(queries * headDim), 0.0F) {}

    ScratchVector<double> sums;
    ScratchVector<float> output;  // [queries, headDim], not normalised
};

void readProfiled(const HeadRows& rows, std::int64_t first, std::int64_t count, std::int64_t width,
                  std::span<float> to) {
    for (std::int64_t row = 0; row < count; ++row)
        rows.read(first + row,
                  to.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)));
}

/// The sum of squares of what two attentions differ by.
double differenceOf(const ProfiledOutput& a, const ProfiledOutput& b, std::int64_t headDim) {
    double sum = 0;
    for (std::size_t query = 0; query < a.sums.size(); ++query)
        for (std::int64_t i = 0; i < headDim; ++i) {
            const std::size_t at = query * static_cast<std::size_t>(headDim) + static_cast<std::size_t>(i);
            const double difference = static_cast<double>(a.output[at]) / a.sums[query] -
                                      static_cast<double>(b.output[at]) / b.sums[query];
            sum += difference * difference;
        }
    return sum;
}

}  // namespace

bool svgPrefersPlaces(const SparseRule& rule, const TokenGrid& video, const ProfiledHead& head) {
    const std::int64_t tokens = video.tokens();
    const std::int64_t width = head.headDim;
    const ScratchVector<std::int64_t> drawn = drawQueries(rule, tokens);
    const auto queries = static_cast<std::int64_t>(drawn.size());
    ScratchVector<float> query(static_cast<std::size_t>(queries * width));
    for (std::int64_t i = 0; i < queries; ++i)
        readProfiled(head.query, drawn[static_cast<std::size_t>(i)], 1, width,
                     std::span(query).subspan(static_cast<std::size_t>(i * width)));
    ScratchVector<float> rows(static_cast<std::size_t>(keysAtATime * width));
    ScratchVector<float> scores(static_cast<std::size_t>(queries * tokens));
    for (std::int64_t first = 0; first < tokens; first += keysAtATime) {
        const std::int64_t count = std::min(keysAtATime, tokens - first);
        readProfiled(head.key, first, count, width, rows);
        gemm(false, true, queries, count, width, static_cast<float>(head.scale), query.data(), width,
             rows.data(), width, 0.0F, scores.data() + first, tokens);
    }
    ScratchVector<float> maxima(static_cast<std::size_t>(queries));
    for (std::int64_t i = 0; i < queries; ++i)
        maxima[static_cast<std::size_t>(i)] =
            *std::max_element(scores.begin() + i * tokens, scores.begin() + (i + 1) * tokens);

    const OrderMask frames(video, false);
    const OrderMask places(video, true);
    ProfiledOutput dense(queries, width);
    ProfiledOutput byFrames(queries, width);
    ProfiledOutput byPlaces(queries, width);
    ScratchVector<float> weights(static_cast<std::size_t>(queries * keysAtATime));
    ScratchVector<float> seen(weights.size());
    const auto addBlock = [&](ProfiledOutput& to, std::int64_t count, const ScratchVector<float>& of) {
        for (std::int64_t i = 0; i < queries; ++i)
            for (std::int64_t key = 0; key < count; ++key)
                to.sums[static_cast<std::size_t>(i)] +=
                    static_cast<double>(of[static_cast<std::size_t>(i * keysAtATime + key)]);
        gemm(false, false, queries, width, count, 1.0F, of.data(), keysAtATime, rows.data(), width, 1.0F,
             to.output.data(), width);
    };
    const auto addSeen = [&](ProfiledOutput& to, std::int64_t first, std::int64_t count,
                             const OrderMask& mask) {
        for (std::int64_t i = 0; i < queries; ++i)
            for (std::int64_t key = 0; key < count; ++key) {
                const auto at = static_cast<std::size_t>(i * keysAtATime + key);
                seen[at] = mask.sees(drawn[static_cast<std::size_t>(i)], first + key) ? weights[at] : 0.0F;
            }
        addBlock(to, count, seen);
    };
    for (std::int64_t first = 0; first < tokens; first += keysAtATime) {
        const std::int64_t count = std::min(keysAtATime, tokens - first);
        readProfiled(head.value, first, count, width, rows);
        for (std::int64_t i = 0; i < queries; ++i) {
            const float* const row = scores.data() + i * tokens + first;
            const float maximum = maxima[static_cast<std::size_t>(i)];
            std::transform(row, row + count, weights.begin() + i * keysAtATime,
                           [maximum](float score) { return exponential(score - maximum); });
        }
        addBlock(dense, count, weights);
        addSeen(byFrames, first, count, frames);
        addSeen(byPlaces, first, count, places);
    }
    return differenceOf(byPlaces, dense, width) < differenceOf(byFrames, dense, width);
}

}  // namespace meshreel
