// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/attention_inputs.h"

#include <algorithm>

#include "engine/base/number_types.h"
#include "engine/sampling/random/noise.h"
#include "engine/sampling/random/philox.h"

namespace meshreel {
namespace {

/// Third counter word of the mask's draws; counterNormal's is 0.
constexpr std::uint32_t maskStream = 1;

/// Where the operand begins in the seed's sequence.
std::int64_t firstElementOf(const AttentionCase& attention, AttentionOperand operand) {
    const std::int64_t token = attention.heads * attention.headDim;
    const std::int64_t query = attention.batch * attention.queryLength * token;
    const std::int64_t key = attention.batch * attention.keyLength * token;
    switch (operand) {
        case AttentionOperand::Query:
            return 0;
        case AttentionOperand::Key:
            return query;
        case AttentionOperand::Value:
            return query + key;
    }
    return 0;
}

void store(std::span<const float> normals, float gain, std::span<float> to) {
    std::ranges::transform(normals, to.begin(), [gain](float normal) { return normal * gain; });
}

void store(std::span<const float> normals, float gain, std::span<BFloat16> to) {
    std::ranges::transform(normals, to.begin(), [gain](float normal) { return toBFloat16(normal * gain); });
}

template <typename T>
void fillOperand(const AttentionCase& attention, AttentionOperand operand, ShardRange tokens,
                 WorkerPool& workers, std::span<T> values) {
    const bool isQuery = operand == AttentionOperand::Query;
    const std::int64_t length = isQuery ? attention.queryLength : attention.keyLength;
    const std::int64_t width = attention.heads * attention.headDim;
    const std::int64_t start = firstElementOf(attention, operand);
    const auto gain = operand == AttentionOperand::Value ? 1.0F : static_cast<float>(attention.gain);
    workers.parallelFor(attention.batch * tokens.size(), [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t row = first; row < end; ++row) {
            const std::int64_t token = row / tokens.size() * length + tokens.begin + row % tokens.size();
            const Tensor normals = counterNormal(attention.seed, Shape{width}, start + token * width);
            store(normals.data<float>(), gain,
                  values.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width)));
        }
    });
}

bool drops(const AttentionCase& attention, std::int64_t row, std::int64_t key) {
    const auto element = static_cast<std::uint64_t>(row * attention.keyLength + key);
    const auto bits = philox4x32(
        {static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(element >> 32U), maskStream, 0},
        {static_cast<std::uint32_t>(attention.seed), static_cast<std::uint32_t>(attention.seed >> 32U)});
    return static_cast<double>(bits[0]) * 0x1p-32 < attention.mask.probability;
}

bool isMasked(const AttentionCase& attention, std::int64_t row, std::int64_t key) {
    const KeyMask& mask = attention.mask;
    switch (mask.kind) {
        case KeyMask::Kind::None:
            return false;
        case KeyMask::Kind::Tail:
            return key >= attention.keyLength - mask.count;
        case KeyMask::Kind::Head:
            return key < mask.count;
        case KeyMask::Kind::Row:
            return row == mask.count;
        case KeyMask::Kind::Random:
            return drops(attention, row, key);
    }
    return false;
}

}  // namespace

Tensor attentionOperand(const AttentionCase& attention, AttentionOperand operand, ShardRange tokens,
                        WorkerPool& workers) {
    Tensor result = Tensor::empty(Shape{attention.batch, tokens.size(), attention.heads, attention.headDim},
                                  attention.type);
    if (attention.type == DType::BF16)
        fillOperand(attention, operand, tokens, workers, result.data<BFloat16>());
    else
        fillOperand(attention, operand, tokens, workers, result.data<float>());
    return result;
}

std::vector<std::uint8_t> keepMask(const AttentionCase& attention) {
    if (attention.mask.kind == KeyMask::Kind::None)
        return {};
    std::vector<std::uint8_t> keep;
    keep.reserve(static_cast<std::size_t>(attention.batch * attention.keyLength));
    for (std::int64_t row = 0; row < attention.batch; ++row)
        for (std::int64_t key = 0; key < attention.keyLength; ++key)
            keep.push_back(isMasked(attention, row, key) ? 0 : 1);
    return keep;
}

}  // namespace meshreel
