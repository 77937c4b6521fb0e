// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/base/sentence.h"
#include "engine/foresight/accelerator_case.h"
#include "engine/foresight/efficiencies.h"
#include "engine/foresight/foresight_check.h"
#include "engine/foresight/foresight_model.h"
#include "engine/foresight/hardware_profile.h"
#include "engine/project/project.h"
#include "engine/timing/verdict.h"

namespace meshreel {

/// A step with one pair of block sizes.
struct ForeseenBlocks {
    BlockPair blocks;
    double stepSeconds = 0;
};

/// One legal way to shard a generation over accelerators, with the best block sizes of those tried.
struct ForeseenMesh {
    AcceleratorCase of;
    const AttentionMode* mode = nullptr;
    CaseSeconds seconds = {};
    ForeseenTime step = {};
    ForeseenTime clip = {};  ///< for all videos: conditioning, denoising, decoding
    CaseMemory memory = {};
    std::vector<ForeseenBlocks> blocks =
        {};  ///< every pair tried, by q and kv; empty of kernels without sizes

    [[nodiscard]] bool fits() const { return memory.total() <= of.hardware->memory; }
    /// Returns the money for the clips, at a price of one device for an hour.
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
    EfficiencyBasis basis = EfficiencyBasis::ClassMean;  ///< basis of the best

    /// Null when nothing fits.
    [[nodiscard]] const ForeseenMesh* best() const;
};

/// Returns the modes that differ on this hardware, one for each way to divide tokens and kernel: of two names
/// for one way that which also runs on one device, else on TPUs the later one, which MaxDiffusion's recipes
/// use.
std::vector<const AttentionMode*> attentionModesOn(const HardwareProfile& hardware);

/// Returns the mesh of `of` with the mode: its seconds, ranges and memory. TPU kernels take the fastest of
/// the block sizes that are tried, or those of `of` if it names them.
ForeseenMesh foreseeMesh(const AcceleratorCase& of, const AttentionMode& mode, const Foresight& foresight);

/// Seconds of a step with so many chunks of heads, everything else being equal.
struct ForeseenChunks {
    int chunks = 1;
    double stepSeconds = 0;
};
/// 1, 2, 4 … chunks, as far as a device has heads for them; empty without Ulysses.
std::vector<ForeseenChunks> foreseeChunks(const ForeseenMesh& mesh, const EfficiencyValues& efficiencies);

/// Returns every legal mesh of so many devices × attention mode × block sizes.
MeshForesight foreseeMeshes(const AcceleratorCase& of, int devices, const Foresight& foresight);

/// The best mesh of a number of devices.
struct ForeseenScaling {
    int devices = 1;
    std::optional<ForeseenMesh> best;
    double efficiency = 0;  ///< devices × seconds of the smallest number that fits, against this one's
    Sentence limit;         ///< what keeps it from scaling; empty when nothing does yet
};

/// 1, 2, 4, … 4,096 devices.
std::vector<ForeseenScaling> foreseeScaling(const AcceleratorCase& of, const Foresight& foresight);

/// Returns whether both divide the work in one way, with the same kernel and block sizes.
bool areSame(const ForeseenMesh& a, const ForeseenMesh& b);

/// Compares a step of a mesh with one of another by their ranges.
Verdict judgeSteps(const ForeseenMesh& reference, const ForeseenMesh& mesh);

/// Returns what keeps a mesh from being faster, dearest first: "exposed hops of the ring: 0.9 s, 24 %. A
/// shorter ring…", and where a ring is bound by its hops that blocks do not help.
std::vector<Sentence> adviceFor(const ForeseenMesh& mesh);

}  // namespace meshreel
