// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/attention_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/attention/attention_mode.h"
#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/project/attention_check.h"
#include "engine/project/block_size_rows.h"
#include "engine/sampling/noise.h"

namespace meshreel {
namespace {

constexpr std::array countedMasks{
    std::pair{std::string_view("tail"), KeyMask::Kind::Tail},
    std::pair{std::string_view("head"), KeyMask::Kind::Head},
    std::pair{std::string_view("row"), KeyMask::Kind::Row},
};

template <typename Number>
std::optional<Number> parseNumber(std::string_view text) {
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

}  // namespace

std::string KeyMask::text() const {
    for (const auto& [name, countedKind] : countedMasks)
        if (countedKind == kind)
            return fmt::format("{}:{}", name, count);
    return kind == Kind::Random ? fmt::format("random:{}", probability) : "none";
}

KeyMask parseKeyMask(std::string_view text) {
    if (text == "none")
        return {};
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        const std::string_view name = text.substr(0, colon);
        const std::string_view number = text.substr(colon + 1);
        for (const auto& [counted, kind] : countedMasks)
            if (counted == name)
                if (const auto count = parseNumber<std::int64_t>(number))
                    return {.kind = kind, .count = *count};
        if (name == "random")
            if (const auto probability = parseNumber<double>(number))
                return {.kind = KeyMask::Kind::Random, .probability = *probability};
    }
    throw Error(
        ErrorKind::Project, sentence("'{}' is not a mask", text), "mask",
        sentence("Use none, tail:K or head:K (the last or first K keys), row:B (all keys of batch row B) or "
                 "random:P (each key with probability P)"));
}

namespace {

/// Elements of one operand; more could not be numbered or allocated anyway.
constexpr double maxElements = 0x1p44;

/// Threads, each with a stack; far beyond what makes sense.
constexpr int maxDevices = 1024;

using Problems = std::vector<Problem>;

void checkSizes(const AttentionCase& attention, Problems& problems) {
    const std::array<std::pair<std::string_view, std::int64_t>, 7> sizes{{
        {"devices", attention.devices},
        {"batch", attention.batch},
        {"heads", attention.heads},
        {"seq", attention.queryLength},
        {"kv-seq", attention.keyLength},
        {"head-dim", attention.headDim},
        {"chunks", attention.settings.chunks},
    }};
    for (const auto& [name, size] : sizes)
        if (size < 1)
            problems.push_back({.id = "case-impossible",
                                .key = std::string(name),
                                .message = sentence("{} of {} is impossible", name, size),
                                .fixes = byHand(sentence("Use 1 or more"))});
    if (attention.devices > maxDevices)
        problems.push_back({.id = "case-impossible",
                            .key = "devices",
                            .message = sentence("{} devices are too many", attention.devices),
                            .fixes = byHand(sentence("Use at most {}", maxDevices))});
    const double rows = static_cast<double>(attention.batch) *
                        static_cast<double>(std::max(attention.queryLength, attention.keyLength));
    if (rows * static_cast<double>(attention.heads) * static_cast<double>(attention.headDim) > maxElements)
        problems.push_back(
            {.id = "case-impossible",
             .key = "seq",
             .message = sentence("A tensor of this attention would not fit any memory"),
             .fixes = byHand(sentence("Use a smaller batch, sequence, head count or head size"))});
}

void checkMask(const AttentionCase& attention, Problems& problems) {
    const KeyMask& mask = attention.mask;
    const auto refuse = [&](Sentence message, Sentence hint) {
        problems.push_back({.id = "case-impossible",
                            .key = "mask",
                            .message = std::move(message),
                            .fixes = byHand(std::move(hint))});
    };
    if (mask.kind == KeyMask::Kind::Random && !(mask.probability >= 0 && mask.probability <= 1))
        refuse(sentence("A probability of {} is impossible", mask.probability), sentence("Use 0 to 1"));
    const bool counts = mask.kind == KeyMask::Kind::Tail || mask.kind == KeyMask::Kind::Head;
    if (counts && (mask.count < 0 || mask.count > attention.keyLength))
        refuse(sentence("{} of {} keys cannot be masked", mask.count, attention.keyLength),
               sentence("Use 0 to {}", attention.keyLength));
    if (mask.kind == KeyMask::Kind::Row && (mask.count < 0 || mask.count >= attention.batch))
        refuse(sentence("There is no row {} in a batch of {}", mask.count, attention.batch),
               sentence("Use 0 to {}", attention.batch - 1));
}

/// ulysses_shards means something to the hybrid modes only; elsewhere it may state what is so anyway.
void checkShards(const AttentionCase& attention, Problems& problems) {
    const AttentionMode& mode = *attention.settings.mode;
    const int shards = attention.settings.ulyssesShards;
    const int actual = mode.exchange == Exchange::Ulysses ? attention.devices : 1;
    if (!mode.hybrid() && shards != -1 && shards != actual)
        problems.push_back(
            {.id = "case-impossible",
             .key = "ulysses_shards",
             .message = sentence("{} does not divide the devices by ulysses_shards, so that {} means nothing",
                                 mode.name, shards),
             .fixes = byHand(sentence("Leave it out, or use one of the ulysses_ring modes"))});
}

void checkNumbers(const AttentionCase& attention, Problems& problems) {
    if (attention.type != DType::F32 && attention.type != DType::BF16)
        problems.push_back({.id = "case-impossible",
                            .key = "dtype",
                            .message = sentence("Attention does not run in {}", nameOf(attention.type)),
                            .fixes = byHand(sentence("Use f32 or bf16"))});
    if (!std::isfinite(attention.gain))
        problems.push_back({.id = "case-impossible",
                            .key = "gain",
                            .message = sentence("The gain is not a number"),
                            .fixes = byHand(sentence("Use a finite number, such as 6"))});
}

}  // namespace

std::string AttentionCase::text() const {
    std::string blocks;
    for (const BlockSizeRow& row : blockSizeRows())
        if (row.searched)
            blocks += fmt::format("{}{}", blocks.empty() ? "" : "/", settings.blocks.*row.member);
    return fmt::format(
        "{}, {} devices, ulysses_shards {}, {} chunks, {}, batch {}, {} heads of {}, {} queries, {} keys, "
        "blocks {}, {} heads per tile, mask {}, {}, gain {}, seed {}",
        settings.mode->name, devices, settings.ulyssesShards, settings.chunks,
        settings.base2 ? "base 2" : "base e", batch, heads, headDim, queryLength, keyLength, blocks,
        settings.blocks.headsPerTile, mask.text(), type == DType::BF16 ? "bf16" : "f32", gain, seed);
}

std::vector<ShardRange> headRanges(const AttentionCase& attention, int device) {
    const int ulysses = attention.plan().split.ulysses;
    const bool chunked = attention.settings.mode->chunked() && ulysses > 1;
    std::vector<ShardRange> ranges;
    for (const ShardRange& chunk :
         headChunks(attention.heads, ulysses, chunked ? attention.settings.chunks : 1))
        ranges.push_back(headShard(chunk, ulysses, device % ulysses));
    return ranges;
}

std::vector<Problem> caseProblems(const AttentionCase& attention) {
    Problems problems;
    checkSizes(attention, problems);
    if (!problems.empty())
        return problems;
    checkMask(attention, problems);
    checkShards(attention, problems);
    checkNumbers(attention, problems);
    for (Problem& problem :
         attentionProblems(attention.settings, attention.heads, attention.headDim, attention.devices, 1))
        problems.push_back(std::move(problem));
    return problems;
}

void requireLegal(const AttentionCase& attention) {
    const Problems problems = caseProblems(attention);
    if (!problems.empty())
        throw Error(ErrorKind::Project, problems.front());
}

double allowedError(const AttentionCase& attention) {
    constexpr double f32 = 2e-5;
    constexpr double bf16 = 2e-2;
    constexpr double sharpenedBf16 = 5e-2;
    if (attention.type == DType::F32)
        return f32;
    return std::abs(attention.gain) > 1 ? sharpenedBf16 : bf16;
}

namespace {

/// Third counter word of the mask's draws; counterNormal's is 0.
constexpr std::uint32_t maskStream = 1;

/// Where the operand begins in the seed's sequence.
std::int64_t firstElement(const AttentionCase& attention, AttentionOperand operand) {
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
    const std::int64_t start = firstElement(attention, operand);
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
    std::vector<std::uint8_t> keyMask;
    keyMask.reserve(static_cast<std::size_t>(attention.batch * attention.keyLength));
    for (std::int64_t row = 0; row < attention.batch; ++row)
        for (std::int64_t key = 0; key < attention.keyLength; ++key)
            keyMask.push_back(isMasked(attention, row, key) ? 0 : 1);
    return keyMask;
}

}  // namespace meshreel
