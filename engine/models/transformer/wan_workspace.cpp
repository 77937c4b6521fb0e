// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/wan_workspace.h"

#include <algorithm>
#include <memory>

namespace meshreel {

namespace {

std::int64_t bytesOf(std::int64_t elements, DType type) {
    constexpr std::int64_t alignment = 64;
    return (elements * static_cast<std::int64_t>(sizeOf(type)) + alignment - 1) / alignment * alignment;
}

struct Sizes {
    Sizes(const WanTransformerConfig& config, const WanPassShape& pass)
        : normed(pass.batch * pass.tokens * config.innerDim()),
          feedForwardRows(std::min(pass.tokens, WanWorkspace::feedForwardTokens)),
          feedForward(feedForwardRows * (config.ffnDim / pass.tensorDevices)),
          query(normed / pass.tensorDevices) {}

    [[nodiscard]] std::int64_t sharedBytes(const WanPassShape& pass, DType type) const {
        const std::int64_t used = bytesOf(normed, type) + bytesOf(feedForward, type);
        // Other devices may have a token more.
        const std::int64_t longest = query + (pass.tokens > 0 ? query / pass.tokens : 0);
        return std::max(used, pass.exchangedShards * bytesOf(longest, type));
    }

    std::int64_t normed;
    std::int64_t feedForwardRows;
    std::int64_t feedForward;
    std::int64_t query;
};

Tensor viewOf(const Tensor& memory, std::int64_t offset, Shape shape, DType type) {
    return Tensor::view(memory.raw() + offset, std::move(shape), type, std::make_shared<Tensor>(memory));
}

Tensor sumOf(const WanPrecision& precision, const WanPassShape& pass, const Tensor& hidden,
             const Tensor& normed) {
    if (precision.activations == DType::F32)
        return normed;
    return pass.summed ? Tensor::empty(hidden.shape()) : Tensor();
}

}  // namespace

WanWorkspace::WanWorkspace(const WanTransformerConfig& config, const WanPrecision& precision,
                           const WanPassShape& pass)
    : m_shared(Tensor::empty({Sizes(config, pass).sharedBytes(pass, precision.activations)}, DType::U8)),
      hidden(Tensor::empty({pass.batch, pass.tokens, config.innerDim()})),
      normed(viewOf(m_shared, 0, hidden.shape(), precision.activations)),
      feedForward(viewOf(m_shared, bytesOf(hidden.elements(), precision.activations),
                         {Sizes(config, pass).feedForwardRows, config.ffnDim / pass.tensorDevices},
                         precision.activations)),
      query(Tensor::empty({pass.batch, pass.tokens, config.heads / pass.tensorDevices, config.headDim},
                          precision.activations)),
      key(Tensor::empty(query.shape(), precision.activations)),
      value(Tensor::empty(query.shape(), precision.activations)),
      attended(Tensor::empty(query.shape(), precision.activations)),
      sum(sumOf(precision, pass, hidden, normed)),
      scratch(m_shared) {}

}  // namespace meshreel
