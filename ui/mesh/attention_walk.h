// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "ui/mesh/mesh_picture.h"

namespace meshreel {

/// What passes between two devices in one step of a walk.
struct WalkTransfer {
    int from = 0;
    int to = 0;

    friend bool operator==(const WalkTransfer&, const WalkTransfer&) = default;
};

/// One self-attention stopped at a moment: who computes with whose keys, and what is on its way.
struct WalkStep {
    enum class Kind { Start, ToHeads, Gather, Compute, ToTokens, End };

    Kind kind = Kind::Start;
    QString title;
    QString sentence;
    /// For each device the ring indices whose keys and values it works on; empty while it does not compute.
    std::vector<std::vector<int>> keys;
    std::vector<WalkTransfer> transfers;  ///< that go on during the step
};

/// The steps of one self-attention on a mesh, as engine/attention does them: tokens for heads, keys around
/// the ring or along the line both ways or gathered, and back.
std::vector<WalkStep> walkAttention(const MeshPicture& picture);

}  // namespace meshreel
