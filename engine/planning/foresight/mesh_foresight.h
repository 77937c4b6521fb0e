// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/planning/foresight/foresight_check.h"
#include "engine/project/project.h"

namespace meshreel {

/// The project's generation on one device of the hardware, in bf16; only the mesh, the kernel and the blocks
/// remain to be chosen. A model that is not on this machine is taken by its published shapes. Throws as
/// makePlan() for a project that cannot be planned.
AcceleratorCase projectCase(const Project& project, const Hardware& hardware,
                            const AcceleratorProgram& program);

/// A step with one pair of block sizes.
struct ForeseenBlocks {
    BlockPair blocks;
    double stepSeconds = 0;
};

/// One legal way to share out a generation on accelerators, with the best block sizes of those tried.
struct ForeseenMesh {
    AcceleratorCase of;
    const AttentionMode* mode = nullptr;
    CaseSeconds seconds = {};
    ForeseenTime step = {};
    ForeseenTime clip = {};  ///< of all videos: conditioning, denoising, decoding
    CaseMemory memory = {};
    std::vector<ForeseenBlocks> blocks =
        {};  ///< every pair tried, by q and kv; empty of kernels without sizes

    [[nodiscard]] bool fits() const { return memory.total() <= of.hardware->memory; }
    /// Money for the clips, at a price of one device for an hour.
    [[nodiscard]] double money(double pricePerDeviceHour) const;
};

/// A way that is not legal, and why.
struct RefusedMesh {
    std::string what;
    Sentence why;
};

struct MeshForesight {
    std::vector<ForeseenMesh> meshes;  ///< those that fit into memory first, then by seconds of a step
    std::vector<RefusedMesh> refused;
    EfficiencyBasis basis = EfficiencyBasis::ClassMean;  ///< of the best

    /// Null where nothing fits.
    [[nodiscard]] const ForeseenMesh* best() const;
};

/// Every legal mesh of so many devices × attention mode × block sizes.
MeshForesight foreseeMeshes(const AcceleratorCase& of, int devices, const Foresight& foresight);

/// The best mesh of a number of devices.
struct ForeseenScaling {
    int devices = 1;
    std::optional<ForeseenMesh> best;
    double efficiency = 0;  ///< devices × seconds of the smallest number that fits, against this one's
    Sentence limit;         ///< what keeps it from scaling; empty where nothing does yet
};

/// 1, 2, 4, … 4,096 devices.
std::vector<ForeseenScaling> foreseeScaling(const AcceleratorCase& of, const Foresight& foresight);

/// What keeps a mesh from being faster, dearest first: "exposed hops of the ring: 0.9 s, 24 %. A shorter
/// ring…", and where a ring is bound by its hops that blocks do not help.
std::vector<Sentence> adviceFor(const ForeseenMesh& mesh);

}  // namespace meshreel
