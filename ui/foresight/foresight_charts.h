// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/foresight/efficiencies.h"
#include "engine/foresight/foresight_model.h"
#include "engine/foresight/mesh_foresight.h"
#include "engine/timing/timing_summary.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// The foreseen meshes of a number of devices.
struct ForeseenDevices {
    int devices = 1;
    MeshForesight meshes;
};

/// Charts the fastest mesh that fits for each number of devices and context size, by seconds a step. All of
/// these functions throw Error{Project} when none fits. `own`, the project's, is named so, and stands before
/// the others unless it is one of them; null, or one that does not fit: none is.
ChartSheet bestByContextSheet(const std::vector<ForeseenDevices>& answers, const ForeseenMesh* own = nullptr);

/// Returns the seconds of a step by cause, a bar for each of the fastest meshes, `most` of each number of
/// devices. `own` as above.
ChartSheet splitSheet(const std::vector<ForeseenDevices>& answers, const ForeseenMesh* own = nullptr,
                      std::size_t most = 8);

/// Returns the seconds of a step against block_q, a line for each block_kv. Throws Error{Project} for kernels
/// without such sizes.
ChartSheet blockCurveSheet(const ForeseenMesh& mesh);

/// Returns the seconds of a step and efficiency against the number of devices, which doubles.
ChartSheet foreseenScalingSheet(const std::vector<ForeseenScaling>& points);

/// A run beside what is foreseen of it.
struct MeasuredCase {
    std::string name;
    std::string mesh;  ///< that is foreseen: "8 × dp2-cp4-U2R2"
    TimingSummary measured;
    CaseSeconds foreseen;
    ForeseenTime clip;  ///< with its range
};

/// Conditioning, denoising and decoding: measured and foreseen, two bars a run. Throws Error{Project} without
/// runs.
ChartSheet foreseenBesideMeasuredSheet(const std::vector<MeasuredCase>& cases);

}  // namespace meshreel
