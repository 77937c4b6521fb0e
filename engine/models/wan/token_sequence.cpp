// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/token_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/models/sound/frame_packer.h"
#include "engine/models/wan/wan_config.h"

namespace meshreel {
namespace {

/// Copies parts [B, part tokens, width] of tokens to those from `first` on of all [B, tokens, width].
void putTokens(const Tensor& part, std::int64_t first, Tensor& all) {
    const auto width = static_cast<std::size_t>(all.extent(2));
    const auto ofPart = static_cast<std::size_t>(part.extent(1)) * width;
    const auto ofAll = static_cast<std::size_t>(all.extent(1)) * width;
    for (std::int64_t video = 0; video < all.extent(0); ++video) {
        const auto at = static_cast<std::size_t>(video);
        std::ranges::copy(
            part.data<float>().subspan(at * ofPart, ofPart),
            all.data<float>().subspan(at * ofAll + static_cast<std::size_t>(first) * width, ofPart).begin());
    }
}

/// The first frame of all; the video's is 0.
std::int64_t firstFrameOf(const std::vector<TokenGroup>& groups) {
    std::int64_t first = 0;
    for (const TokenGroup& group : groups)
        first = std::min(first, group.firstFrame);
    return first;
}

}  // namespace

TokenSequence::TokenSequence(const WanPatches& patches, const Shape& latents,
                             const std::vector<TokenGroup>& groups) {
    const std::int64_t first = firstFrameOf(groups);
    m_grids.push_back(patches.grid(latents, -first));
    const std::int64_t framesOfPatch = latents[2] / video().frames;
    std::vector<TokenPlaces> motion;
    for (const TokenGroup& group : groups) {
        if (group.firstFrame % framesOfPatch != 0 || !motion.empty())
            throw Error(
                ErrorKind::Internal,
                fmt::format("A group of tokens begins at frame {} of patches of {}, behind {} of motion",
                            group.firstFrame, framesOfPatch, motion.size()));
        if (group.embedding == PatchEmbedding::Motion) {
            std::ranges::copy(motionPlaces(group.latents.shape(), -first), std::back_inserter(motion));
            continue;
        }
        m_grids.push_back(patches.of(group.embedding).grid(group.latents.shape(), group.firstFrame - first));
        m_grids.back().source = group.source;
    }
    for (const TokenGrid& grid : m_grids) {
        m_places.push_back(TokenPlaces::of(grid));
        m_patchTokens += grid.tokens();
    }
    m_tokens = m_patchTokens;
    for (TokenPlaces& places : motion) {
        m_tokens += places.tokens();
        m_places.push_back(std::move(places));
    }
}

RotaryTable TokenSequence::rotary(std::int64_t headDim, ShardRange own) const {
    return rotaryTable(m_places, headDim, own.begin, own.end);
}

std::int64_t TokenSequence::tokensBefore(std::size_t grid) const {
    std::int64_t tokens = 0;
    for (const TokenGrid& before : std::span(m_grids).first(grid))
        tokens += before.tokens();
    return tokens;
}

ShardRange TokenSequence::partOf(std::size_t grid, ShardRange own) const {
    const std::int64_t before = tokensBefore(grid);
    const std::int64_t begin = std::max(own.begin - before, std::int64_t{0});
    return {begin, std::max(begin, std::min(own.end - before, m_grids[grid].tokens()))};
}

Tensor TokenSequence::cut(const Execution& execution, const WanPatches& patches, const WanInputs& inputs,
                          ShardRange own) const {
    own = {std::min(own.begin, m_patchTokens), std::min(own.end, m_patchTokens)};
    if (m_grids.size() == 1)
        return patches.cut(execution, inputs.latents.toF32(), own);
    const Tensor ofVideo = patches.cut(execution, inputs.latents.toF32(), partOf(0, own));
    Tensor all = Tensor::zeros(ofVideo.shape().with(1, own.size()));
    const auto put = [&](std::size_t grid, const Tensor& patched) {
        if (const ShardRange part = partOf(grid, own); part.size() > 0)
            putTokens(patched, tokensBefore(grid) + part.begin - own.begin, all);
    };
    put(0, ofVideo);
    for (std::size_t grid = 1; grid < m_grids.size(); ++grid)
        if (const TokenGroup& group = inputs.groups[grid - 1]; group.embedding == PatchEmbedding::Video)
            put(grid, patches.cut(execution, group.latents.toF32(), partOf(grid, own)));
    return all;
}

std::vector<ReferencePatches> TokenSequence::cutReferences(const Execution& execution,
                                                           const WanPatches& patches, const WanInputs& inputs,
                                                           ShardRange own) const {
    std::vector<ReferencePatches> references;
    for (std::size_t grid = 1; grid < m_grids.size(); ++grid) {
        const TokenGroup& group = inputs.groups[grid - 1];
        const ShardRange part = partOf(grid, own);
        if (group.embedding == PatchEmbedding::Reference && part.size() > 0)
            references.push_back(
                {.first = tokensBefore(grid) + part.begin - own.begin,
                 .patches = patches.of(group.embedding).cut(execution, group.latents.toF32(), part)});
    }
    return references;
}

}  // namespace meshreel
