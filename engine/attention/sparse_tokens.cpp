// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/sparse_tokens.h"

#include <utility>

#include "engine/attention/context_split.h"
#include "engine/base/error.h"
#include "engine/kernels/attention/sparse_rule.h"

namespace meshreel {

SparseTokens::SparseTokens(const AttentionPlan& plan, const TokenGrid& video, std::int64_t tokens)
    : m_video(video) {
    if (!plan.sparse || !plan.keysSharded)
        throw Error(ErrorKind::Internal, "Blocks of tokens were asked of an attention that is not sparse");
    const SparseRule& rule = *plan.sparse;
    m_shards.reserve(static_cast<std::size_t>(plan.split.ring));
    for (int index = 0; index < plan.split.ring; ++index) {
        Shard shard{.tokens = groupTokens(plan.split, tokens, index), .firstBlock = m_blocks, .layouts = {}};
        const auto add = [&](TokenOrder order) {
            shard.layouts.push_back(
                orderTokens(order, video, shard.tokens.begin, shard.tokens.end, rule.blockTokens));
        };
        add(rule.row().order);
        if (rule.row().hasPlaces)
            add(TokenOrder::Places);
        m_blocks += shard.layouts.front().count();
        m_shards.push_back(std::move(shard));
    }
}

}  // namespace meshreel
