// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/random/philox.h"

namespace meshreel {
namespace {

constexpr int rounds = 10;
// Multipliers and Weyl increments of the paper.
constexpr std::uint64_t multiplier0 = 0xD2511F53U;
constexpr std::uint64_t multiplier1 = 0xCD9E8D57U;
constexpr std::uint32_t weyl0 = 0x9E3779B9U;
constexpr std::uint32_t weyl1 = 0xBB67AE85U;

std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32U);
}
std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
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

}  // namespace meshreel
