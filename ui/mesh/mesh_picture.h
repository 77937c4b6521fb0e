// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/attention/context_split.h"
#include "engine/mesh/mesh_layout.h"

namespace meshreel {

struct RunPlan;

/// One device as self-attention sees it.
struct PicturedDevice {
    int number = 0;
    DeviceCoordinates at = {};
    int ring = 0;  ///< of the context axis seen as ring × ulysses
    int ulysses = 0;
    ShardRange tokens = {};              ///< its own, before and after
    ShardRange computeTokens = {};       ///< whose queries it computes
    ShardRange heads = {};               ///< of the whole model, while computing
    std::vector<int> ulyssesGroup = {};  ///< devices that trade heads, itself among them
    std::vector<int> ringGroup = {};     ///< devices between which keys rotate or are gathered
    std::int64_t bytesReceived = 0;      ///< in one self-attention
};

/// A mesh as it is drawn and explained.
struct MeshPicture {
    MeshLayout layout;
    ContextSplit split;
    AttentionSettings attention;
    std::int64_t tokens = 0;
    std::int64_t heads = 0;
    std::int64_t attentionsPerStep = 0;  ///< of one device: layers × passes
    std::vector<PicturedDevice> devices;

    [[nodiscard]] const PicturedDevice& device(int number) const {
        return devices[static_cast<std::size_t>(number)];
    }
    /// Gathers keys in place of rotating them.
    [[nodiscard]] bool gathers() const;
};

MeshPicture meshPictureOf(const RunPlan& plan);

}  // namespace meshreel
