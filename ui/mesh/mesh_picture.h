// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/context_split.h"
#include "engine/mesh/host_file.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/shard_range.h"

namespace meshreel {

struct RunPlan;

/// A GPU that computes a device's part.
struct PicturedGpu {
    int number = 0;  ///< as its host counts
    QString name;    ///< name from its driver; empty on another host, which was not asked
};

/// Returns a short name of a GPU: without the maker's name and what is in brackets.
QString shortGpuName(const QString& name);

/// One device as self-attention sees it.
struct PicturedDevice {
    int number = 0;
    DeviceCoordinates at = {};
    int ring = 0;  ///< in the context axis seen as ring × ulysses
    int ulysses = 0;
    ShardRange tokens = {};               ///< its own, before and after
    ShardRange computeTokens = {};        ///< the queries that it computes
    ShardRange heads = {};                ///< of the whole model, while computing
    std::vector<int> ulyssesGroup = {};   ///< devices that trade heads, itself among them
    std::vector<int> ringGroup = {};      ///< devices between which keys rotate or are gathered
    std::int64_t bytesReceived = 0;       ///< in one self-attention
    std::int64_t bytesPerStep = 0;        ///< for every purpose
    int rank = 0;                         ///< the process that it belongs to
    std::size_t host = 0;                 ///< the picture's, where it has hosts
    std::optional<PicturedGpu> gpu = {};  ///< absent: the CPU computes
};

/// A mesh as it is drawn and explained.
struct MeshPicture {
    MeshLayout layout;
    ContextSplit split;
    AttentionPlan attention;  ///< of the transformer to itself
    std::int64_t tokens = 0;
    std::int64_t heads = 0;
    std::vector<PicturedDevice> devices;
    int ranks = 1;
    std::vector<Host> hosts = {};  ///< that take the ranks; empty: this machine alone

    [[nodiscard]] const PicturedDevice& device(int number) const {
        return devices[static_cast<std::size_t>(number)];
    }
    /// Gathers keys in place of rotating them.
    [[nodiscard]] bool gathers() const;
};

/// They have the same place along all other axes.
bool differOnlyAlong(std::initializer_list<MeshAxis> axes, const PicturedDevice& one,
                     const PicturedDevice& other);

/// `hosts` take the plan's ranks.
MeshPicture makeMeshPicture(const RunPlan& plan, const std::vector<Host>& hosts = {});

/// Returns the same project on another mesh, whose devices the ranks divide; bytes are not known.
MeshPicture pictureOn(const MeshPicture& picture, const MeshLayout& layout, const ContextSplit& split);

/// "2 hosts × 4 slots = 8 ranks", and how many of so many devices each takes; 0: not known.
QString hostsSentence(const std::vector<Host>& hosts, int devices);

/// Returns what a device holds, whom it exchanges with, and how much: sentences for people.
QString deviceText(const MeshPicture& picture, int device);

/// Returns the mesh in one sentence.
QString meshSentence(const MeshPicture& picture);

}  // namespace meshreel
