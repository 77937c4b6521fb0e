// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/magcache_calibration.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/mesh/device_mesh.h"
#include "engine/pipelines/generation.h"
#include "engine/project/project.h"
#include "engine/project/project_settings.h"

namespace meshreel {
namespace {

double rounded(double ratio) {
    constexpr double places = 1e5;
    return std::round(ratio * places) / places;
}

}  // namespace

std::vector<std::string> calibrationSettings() {
    return {"use_cfg_cache=false", "use_sen_cache=false", "use_magcache=false", "use_first_block_cache=false",
            "compare_with="};
}

std::vector<double> measureMagCurve(const RunPlan& plan, const EventSink& sink, const StopToken& stop) {
    DeviceMesh mesh(meshOptions(plan));
    const PlanPtr drawn = withStoredProject(plan, withDrawnSeeds(plan.project));
    std::vector<double> curve = generate({mesh, stop}, *drawn, {.isExamined = true}, sink).magRatios;
    std::ranges::transform(curve, curve.begin(), rounded);
    return curve;
}

void writeMagCurve(const std::filesystem::path& file, const RunPlan& plan, const std::vector<double>& curve) {
    const Project& project = plan.project;
    const nlohmann::ordered_json json{{"model", project.model},
                                      {"family", plan.model.family->name},
                                      {"layers", plan.model.transformer.layers},
                                      {"steps", plan.steps()},
                                      {"flow_shift", project.flowShift},
                                      {"guidance_scale", project.guidanceScale},
                                      {"height", project.height},
                                      {"width", project.width},
                                      {"num_frames", project.numFrames},
                                      {"mag_ratios_base", curve}};
    writeFileAtomically(file, json.dump(2) + "\n");
}

}  // namespace meshreel
