// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/sampling/torch_generator.h"

namespace meshreel {
namespace {

std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32U);
}

std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
    constexpr int rounds = 10;
    // Multipliers and Weyl increments of the paper.
    constexpr std::uint64_t multiplier0 = 0xD2511F53U;
    constexpr std::uint64_t multiplier1 = 0xCD9E8D57U;
    constexpr std::uint32_t weyl0 = 0x9E3779B9U;
    constexpr std::uint32_t weyl1 = 0xBB67AE85U;
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t product0 = multiplier0 * counter[0];
        const std::uint64_t product1 = multiplier1 * counter[2];
        counter = {high(product1) ^ counter[1] ^ key[0], low(product1), high(product0) ^ counter[3] ^ key[1],
                   low(product0)};
        key[0] += weyl0;
        key[1] += weyl1;
    }
    return counter;
}

namespace {

constexpr std::int64_t lanes = 4;  // of a block

constexpr std::array<NoiseKindRow, 2> noiseRows{{
    {"counter", NoiseKind::Counter, "the same latents from a seed whatever the mesh, threads or batch split"},
    {"torch_cpu", NoiseKind::TorchCpu, "the latents that diffusers makes from a CPU generator's seed"},
}};

/// In (0, 1): never 0, whose log is infinite.
double unitInterval(std::uint32_t bits) {
    return (static_cast<double>(bits) + 0.5) * 0x1p-32;
}

std::array<float, lanes> normalBlock(std::uint64_t seed, std::uint64_t block) {
    const auto bits =
        philox4x32({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32U), 0, 0},
                   {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
    std::array<float, lanes> normals{};
    for (std::size_t pair = 0; pair < bits.size(); pair += 2) {
        const double radius = std::sqrt(-2.0 * std::log(unitInterval(bits[pair])));
        const double angle = 2.0 * std::numbers::pi * unitInterval(bits[pair + 1]);
        normals[pair] = static_cast<float>(radius * std::cos(angle));
        normals[pair + 1] = static_cast<float>(radius * std::sin(angle));
    }
    return normals;
}

}  // namespace

std::span<const NoiseKindRow> noiseKinds() {
    return noiseRows;
}

const NoiseKindRow* findNoiseKind(std::string_view name) {
    const auto found = std::ranges::find(noiseRows, name, &NoiseKindRow::name);
    return found == noiseRows.end() ? nullptr : &*found;
}

Tensor counterNormal(std::uint64_t seed, const Shape& shape, std::int64_t firstElement) {
    Tensor result = Tensor::empty(shape);
    const auto values = result.data<float>();
    std::int64_t element = firstElement;
    const std::int64_t end = firstElement + shape.elements();
    while (element < end) {
        const std::int64_t block = element / lanes;
        const std::array<float, lanes> normals = normalBlock(seed, static_cast<std::uint64_t>(block));
        for (const std::int64_t blockEnd = std::min((block + 1) * lanes, end); element < blockEnd; ++element)
            values[static_cast<std::size_t>(element - firstElement)] =
                normals[static_cast<std::size_t>(element % lanes)];
    }
    return result;
}

Tensor initialLatents(NoiseKind kind, std::uint64_t seed, const Shape& shape, int segment) {
    // Far behind what schedulers draw for their steps.
    constexpr std::int64_t segmentStretch = std::int64_t{1} << 40;
    if (kind == NoiseKind::Counter)
        return counterNormal(seed, shape, segment * segmentStretch);
    TorchGenerator generator(seed);
    for (int before = 0; before < segment; ++before)
        static_cast<void>(generator.normal(shape));
    return generator.normal(shape);
}

}  // namespace meshreel
