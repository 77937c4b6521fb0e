// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace meshreel {

/// How block-sparse attention chooses the blocks of keys that a block of queries attends to.
enum class SparseMethod : std::uint8_t {
    Sol,     ///< by scores of block means: NVlabs' Sol-Attn
    Radial,  ///< by the distance of frames: radial attention (MIT Han Lab)
    Svg,     ///< by head, near in space or near in time: Sparse VideoGen, as MaxDiffusion runs it
};

/// The order in which the tokens of a video are cut into blocks.
enum class TokenOrder : std::uint8_t {
    Morton,  ///< along a 3-D Morton curve, column in the lowest bit, then row, then frame: 64 are a cube of 4
    Frames,  ///< frame after frame, as they stand in the sequence
    Places,  ///< place after place, each with its tokens of all frames
};

/// What holds for a method, whatever its settings.
struct SparseMethodRow {
    SparseMethod method;
    std::string_view name;
    std::int64_t blockTokens = 64;          ///< as published
    TokenOrder order = TokenOrder::Frames;  ///< of the first layout
    bool addsMeans = false;                 ///< blocks that are left out count by their means
    bool choosesByHead = false;             ///< each head has blocks of its own
    bool hasPlaces = false;                 ///< a second layout is TokenOrder::Places, taken by some heads
    bool takesRings = true;                 ///< keys may lie on several devices
};

/// In the order of the enumeration.
inline constexpr std::array sparseMethods{
    SparseMethodRow{.method = SparseMethod::Sol,
                    .name = "sol",
                    .blockTokens = 64,
                    .order = TokenOrder::Morton,
                    .addsMeans = true,
                    .choosesByHead = true},
    SparseMethodRow{.method = SparseMethod::Radial, .name = "radial", .blockTokens = 128},
    SparseMethodRow{.method = SparseMethod::Svg,
                    .name = "svg",
                    .blockTokens = 128,
                    .choosesByHead = true,
                    .hasPlaces = true,
                    .takesRings = false}};

constexpr const SparseMethodRow& rowOf(SparseMethod method) {
    return sparseMethods[static_cast<std::size_t>(method)];
}

/// Which blocks of keys are attended to exactly: a value of an attention's plan.
struct SparseRule {
    SparseMethod method = SparseMethod::Sol;
    std::int64_t blockTokens = 64;
    /// sol: a block is kept whose score is above mean + tau · deviation of the scores of a block of queries.
    double tau = 1.3;
    double decay = 1.0;  ///< radial: factor of the windows of frames that are two or more apart
    // svg:
    double density = 0.25;             ///< share of the pairs of tokens that the band keeps
    std::int64_t profileQueries = 64;  ///< drawn to choose between space and time
    std::int64_t sampledRows = 10000;  ///< the first ones, among which they are drawn
    std::uint64_t profileSeed = 0;
    bool firstFrame = true;  ///< as many keys as a frame has, the first of the layout, are kept

    [[nodiscard]] const SparseMethodRow& row() const { return rowOf(method); }
    /// Returns how many ways there are in which a head may cut the tokens into blocks.
    [[nodiscard]] int layouts() const { return row().hasPlaces ? 2 : 1; }
    friend bool operator==(const SparseRule&, const SparseRule&) = default;
};

}  // namespace meshreel
