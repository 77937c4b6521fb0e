// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/token_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "engine/base/error.h"

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

}  // namespace

TokenSequence::TokenSequence(const WanPatches& patches, const Shape& latents,
                             const std::vector<TokenGroup>& groups)
    : m_grids{patches.grid(latents)} {
    const std::int64_t framesOfPatch = latents[2] / video().frames;
    for (const TokenGroup& group : groups) {
        if (group.firstFrame < 0 || group.firstFrame % framesOfPatch != 0)
            throw Error(ErrorKind::Internal,
                        fmt::format("A group of tokens begins at frame {} of patches of {}", group.firstFrame,
                                    framesOfPatch));
        m_grids.push_back(patches.grid(group.latents.shape(), group.firstFrame));
        m_grids.back().source = group.source;
    }
    for (const TokenGrid& grid : m_grids)
        m_tokens += grid.tokens();
}

RotaryTable TokenSequence::rotary(std::int64_t headDim, ShardRange own) const {
    return rotaryTable(m_grids, headDim, own.begin, own.end);
}

Tensor TokenSequence::cut(const Execution& execution, const WanPatches& patches, const WanInputs& inputs,
                          ShardRange own) const {
    if (inputs.groups.empty())
        return patches.cut(execution, inputs.latents.toF32(), own);
    Tensor all;
    std::int64_t before = 0;  // tokens of the grids before
    for (std::size_t part = 0; part < m_grids.size(); ++part) {
        const std::int64_t begin = std::max(own.begin - before, std::int64_t{0});
        const std::int64_t end = std::max(begin, std::min(own.end - before, m_grids[part].tokens()));
        const Tensor& latents = part == 0 ? inputs.latents : inputs.groups[part - 1].latents;
        const Tensor patched = patches.cut(execution, latents.toF32(), {begin, end});
        if (part == 0)
            all = Tensor::empty(patched.shape().with(1, own.size()));
        if (begin < end)
            putTokens(patched, before + begin - own.begin, all);
        before += m_grids[part].tokens();
    }
    return all;
}

}  // namespace meshreel
