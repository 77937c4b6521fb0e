// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Cross-attention keys and values of one block on one device.
struct CrossKeyValue {
    Tensor key;    ///< [batch, this device's tokens, heads / tensorDevices, headDim], normalised, of the
                   ///< activations' type
    Tensor value;  ///< as key
};

/// What the tokens of one block attend to.
struct BlockContext {
    CrossKeyValue text;
    std::optional<CrossKeyValue> image;
};

/// How long a sequence of keys is, over all devices together.
struct CrossTokens {
    std::int64_t count = 0;      ///< kept: see PaddedText
    std::int64_t lastCount = 1;  ///< equal tokens that the last one stands for
};

/// What WanConditions contribute to every step: it depends on neither latents nor time. Of use to the device
/// that made it.
struct WanContext {
    std::int64_t batch = 0;
    CrossTokens text;
    CrossTokens image;                 ///< none without an image
    std::vector<BlockContext> blocks;  ///< of this device's heads, and tokens where they are sharded
    std::vector<BlockContext> vaceBlocks;
    std::vector<CrossKeyValue> faceAdapters;  ///< [batch, faceFrames · face tokens, ...]: never sharded
    std::int64_t faceFrames = 0;              ///< latent frames that have a face, with that of the reference
};

}  // namespace meshreel
