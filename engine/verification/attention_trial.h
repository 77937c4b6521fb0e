// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/attention/fixed_m_log.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/attention/fixed_m_outcome.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/verification/attention_case.h"

namespace meshreel {

/// What one device did.
struct DeviceMeasurement {
    int device = 0;
    ShardRange heads;           ///< computed there; those of the first chunk when chunked
    ShardRange queryTokens;     ///< the queries whose attention was computed there, within the whole sequence
    double computeSeconds = 0;  ///< medians over the repetitions
    double waitSeconds = 0;
};

/// One attention on a mesh and how far it is from the float64 reference; the same in every process.
struct AttentionMeasurement {
    double maxAbsError = 0;  ///< over all outputs; infinite when one is not a number
    double meanAbsError = 0;
    double seconds = 0;              ///< median over the repetitions of the slowest device's
    std::int64_t bytesMoved = 0;     ///< payload over all devices, for one attention
    std::int64_t bytesExpected = 0;  ///< what attentionVolume() says
    int rotations = 0;
    std::string effectiveMode;
    FixedMOutcome fixedM;  ///< for all devices; empty without fixed m
    std::vector<DeviceMeasurement> devices;
};

struct TrialOptions {
    int repeat = 1;           ///< above 1, one more run before is not counted
    double perturbation = 0;  ///< added to the first output, to see whether checks notice
};

/// Returns a mesh of the case's devices, all in this process.
DeviceMeshOptions trialMesh(const AttentionCase& attention);

/// Runs the case on a mesh whose context axis are the case's devices and compares every output. Throws
/// Error{Project} for an illegal case, and as DeviceMesh::run.
AttentionMeasurement runTrial(DeviceMesh& mesh, const AttentionCase& attention, const TrialOptions& options,
                              const StopToken& stop);

/// Throws Error{Mismatch} when an output is not a number, more or less was moved or rotated than the case
/// should, or another mode ran.
void requireSound(const AttentionMeasurement& trial, const AttentionCase& attention);

}  // namespace meshreel
