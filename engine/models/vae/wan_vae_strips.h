// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "engine/mesh/communicator.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// The VAE's own mesh: all devices, in the order of Device::everyone(), as (groups, strips). The groups share
/// the samples of a batch, the devices of a group the columns of each frame, cut between latents.
class VaeMesh {
  public:
    /// `vaeSpatial` strips a frame; -1: as many as there are devices. Throws Error{Project} unless `devices`
    /// is a multiple of it.
    VaeMesh(int devices, int vaeSpatial);

    [[nodiscard]] int devices() const { return m_groups * m_strips; }
    [[nodiscard]] int groups() const { return m_groups; }
    [[nodiscard]] int strips() const { return m_strips; }

    /// Devices of each group that work: the others would have no column.
    [[nodiscard]] int workingStrips(std::int64_t latentColumns) const;

    /// Returns the latent columns of a device; empty for one that only waits.
    [[nodiscard]] ShardRange columns(int device, std::int64_t latentColumns) const;

    /// Samples that the busiest group, which is the first, works through.
    [[nodiscard]] std::int64_t rounds(std::int64_t batch) const;

    /// Returns what the group of a device works on in this round; nothing when it has run out of samples.
    [[nodiscard]] std::optional<std::int64_t> sample(int device, std::int64_t batch,
                                                     std::int64_t round) const;

  private:
    int m_groups;
    int m_strips;
};

/// One of the strips that a device decodes frames in, one after the other: latent columns that become its
/// pixels, and those that it is decoded with.
struct StripInTurn {
    ShardRange own;
    ShardRange seen;
};

/// Returns strip `index` of `strips`, none of which is empty; a pixel depends on `reach` latents on either
/// side (WanVaeConfig::decodeReach()).
StripInTurn stripInTurn(std::int64_t latentColumns, int strips, int index, std::int64_t reach);

/// Columns that the widest of the strips is decoded with.
std::int64_t widestStripInTurn(std::int64_t latentColumns, int strips, std::int64_t reach);

/// Features of a strip and what a convolution reads beside them. Past the borders of the image, and where the
/// features are whole frames, there is nothing: no elements.
struct StripFeatures {
    Tensor pixels;      ///< [T, H, W, C]
    Tensor left = {};   ///< [T, H, C]: the column before the first
    Tensor right = {};  ///< [T, H, C]: the column after the last
};

/// The strips of one frame, as seen by one of the devices that hold them. Calls are collective.
class WidthStrips {
  public:
    /// Requires that this device's columns are not empty.
    WidthStrips(const VaeMesh& mesh, Communicator& everyone, std::int64_t latentColumns);

    [[nodiscard]] bool isLast() const { return m_members.position() + 1 == m_members.size(); }
    [[nodiscard]] ShardRange columns() const { return columnsAt(m_members.position()); }

    /// Features with the next column of the neighbours on the sides asked for.
    [[nodiscard]] StripFeatures withNeighbours(const Tensor& features, bool left, bool right);

    /// Whole frames [T, H, latentColumns, C - firstChannel] of what all strips hold at the latents' size,
    /// from channel `firstChannel` on.
    [[nodiscard]] Tensor wholeFrames(const Tensor& features, std::int64_t firstChannel);

  private:
    [[nodiscard]] ShardRange columnsAt(int position) const {
        return balancedShard(m_latentColumns, m_members.size(), position);
    }

    Communicator& m_members;  // left to right
    std::int64_t m_latentColumns;
};

}  // namespace meshreel
