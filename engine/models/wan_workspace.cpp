// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_workspace.h"

namespace meshreel {

WanWorkspace::WanWorkspace(const WanTransformerConfig& config, int tensorDevices, std::int64_t batch,
                           std::int64_t tokens)
    : m_shared(Tensor::empty({batch * tokens * (config.innerDim() + config.ffnDim / tensorDevices)})),
      hidden(Tensor::empty({batch, tokens, config.innerDim()})),
      normed(m_shared.slice(0, hidden.elements()).reshaped(hidden.shape())),
      feedForward(m_shared.slice(hidden.elements(), m_shared.elements())
                      .reshaped({batch, tokens, config.ffnDim / tensorDevices})),
      query(Tensor::empty({batch, tokens, config.heads / tensorDevices, config.headDim})),
      key(Tensor::empty(query.shape())),
      value(Tensor::empty(query.shape())),
      attended(Tensor::empty(query.shape())),
      scratch(m_shared) {}

}  // namespace meshreel
