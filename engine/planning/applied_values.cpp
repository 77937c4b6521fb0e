// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/applied_values.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/attention/attention_plan.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_validation.h"
#include "engine/sampling/step_caches.h"

namespace meshreel {

std::optional<double> boundaryRatio(const RunTask& task) {
    if (task.model.experts() == 1)
        return std::nullopt;
    return task.project.boundaryRatio > 0 ? task.project.boundaryRatio : task.model.boundaryRatio.value_or(0);
}

namespace {

bool leavesItToThePlan(const Project& project, std::string_view name) {
    const ProjectKey* key = findProjectKey(name);
    return key != nullptr && automaticValue(*key) == valueText(project, *key);
}

struct AppliedValue {
    std::string_view key;
    void (*apply)(const RunPlan& plan, Project& applied);
};

constexpr std::array appliedValues{
    AppliedValue{"continue_frames",
                 [](const RunPlan& plan, Project& applied) { applied.continueFrames = plan.takenFrames(); }},
    AppliedValue{"guidance_scale_high",
                 [](const RunPlan& plan, Project& applied) {
                     if (plan.model.experts() > 1)
                         applied.guidanceScaleHigh = plan.guidanceFor(1);
                 }},
    AppliedValue{"guidance_scale_low",
                 [](const RunPlan& plan, Project& applied) {
                     if (plan.model.experts() > 1)
                         applied.guidanceScaleLow = plan.guidanceFor(2);
                 }},
    AppliedValue{"boundary_ratio",
                 [](const RunPlan& plan, Project& applied) {
                     applied.boundaryRatio = boundaryRatio(plan).value_or(0);
                 }},
    AppliedValue{"magcache_thresh",
                 [](const RunPlan& plan, Project& applied) {
                     if (plan.stepCache.kind == StepCacheKind::Mag)
                         applied.magcacheThresh = plan.stepCache.threshold;
                 }},
    AppliedValue{"teacache_thresh",
                 [](const RunPlan& plan, Project& applied) {
                     if (plan.stepCache.kind == StepCacheKind::Tea)
                         applied.teacacheThresh = plan.stepCache.threshold;
                 }},
    AppliedValue{
        "ici_data_parallelism",
        [](const RunPlan& plan, Project& applied) { applied.iciDataParallelism = plan.layout.ici().data; }},
    AppliedValue{
        "ici_fsdp_parallelism",
        [](const RunPlan& plan, Project& applied) { applied.iciFsdpParallelism = plan.layout.ici().fsdp; }},
    AppliedValue{"ici_context_parallelism",
                 [](const RunPlan& plan, Project& applied) {
                     applied.iciContextParallelism = plan.layout.ici().context;
                 }},
    AppliedValue{"ici_tensor_parallelism",
                 [](const RunPlan& plan, Project& applied) {
                     applied.iciTensorParallelism = plan.layout.ici().tensor;
                 }},
    AppliedValue{
        "dcn_data_parallelism",
        [](const RunPlan& plan, Project& applied) { applied.dcnDataParallelism = plan.layout.dcn().data; }},
    AppliedValue{
        "dcn_fsdp_parallelism",
        [](const RunPlan& plan, Project& applied) { applied.dcnFsdpParallelism = plan.layout.dcn().fsdp; }},
    AppliedValue{"dcn_context_parallelism",
                 [](const RunPlan& plan, Project& applied) {
                     applied.dcnContextParallelism = plan.layout.dcn().context;
                 }},
    AppliedValue{"dcn_tensor_parallelism",
                 [](const RunPlan& plan, Project& applied) {
                     applied.dcnTensorParallelism = plan.layout.dcn().tensor;
                 }},
    // The mode alone decides it if it is not requested.
    AppliedValue{"ulysses_shards",
                 [](const RunPlan& plan, Project& applied) {
                     applied.ulyssesShards = plan.attentions.self.split.ulysses;
                 }},
    AppliedValue{"devices",
                 [](const RunPlan& plan, Project& applied) { applied.devices = plan.layout.devices(); }},
    AppliedValue{"workers",
                 [](const RunPlan& plan, Project& applied) { applied.workers = plan.workersPerDevice; }},
    AppliedValue{"vae_spatial",
                 [](const RunPlan& plan, Project& applied) {
                     applied.vaeSpatial = vaeStrips(plan.project, plan.layout.devices());
                 }},
};

}  // namespace

Project appliedProject(const RunPlan& plan) {
    Project applied = plan.project;
    for (const AppliedValue& value : appliedValues)
        if (leavesItToThePlan(plan.project, value.key))
            value.apply(plan, applied);
    for (const BlockSizeRow& row : blockSizeRows())
        if (row.searched || row.member == &FlashBlockSizes::blockKvComputeIn)
            if (leavesItToThePlan(plan.project, row.key))
                applied.*row.member = plan.attentions.self.blocks.*row.member;
    return applied;
}

}  // namespace meshreel
