// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/text/plan_json.h"

#include <nlohmann/json.hpp>

#include "engine/base/sentence_json.h"
#include "engine/planning/cost/mesh_traffic.h"
#include "engine/planning/text/sharding_table.h"
#include "engine/project/project_keys.h"
#include "engine/project/sampling_preset.h"

namespace meshreel {
namespace {

using Json = nlohmann::ordered_json;

Json shapeJson(const MeshShape& shape) {
    Json json;
    for (const MeshAxis axis : meshAxes)
        json[std::string(nameOf(axis))] = shape.extent(axis);
    return json;
}

Json meshJson(const RunPlan& plan) {
    return {{"devices", plan.layout.devices()},
            {"ranks", plan.ranks},
            {"devices_per_rank", plan.devicesPerRank()},
            {"workers_per_device", plan.workersPerDevice},
            {"axes", shapeJson(plan.layout.shape())},
            {"ici", shapeJson(plan.layout.ici())},
            {"dcn", shapeJson(plan.layout.dcn())},
            {"vae_strips", plan.vaeStrips},
            {"stall_timeout_seconds", plan.stallTimeout.count()}};
}

Json attentionJson(const RunPlan& plan) {
    const EffectiveAttention attention = effectiveAttention(plan);
    const FlashBlockSizes& blocks = plan.attention.blocks;
    return {{"requested", plan.attention.mode->name},
            {"self", attention.self.mode->name},
            {"cross", attention.cross.mode->name},
            {"ring", attention.split.ring},
            {"ulysses", attention.split.ulysses},
            {"rotations", attention.rotations},
            {"chunks", plan.attention.chunks},
            {"base2", plan.attention.base2},
            {"blocks",
             {{"block_q", blocks.blockQ},
              {"block_kv", blocks.blockKv},
              {"block_kv_compute", blocks.blockKvCompute},
              {"block_kv_compute_in", blocks.blockKvComputeIn},
              {"heads_per_tile", blocks.headsPerTile},
              {"vmem_limit_bytes", blocks.vmemLimitBytes}}}};
}

Json shardingJson(const RunPlan& plan) {
    Json tensors = Json::array();
    for (const TensorSharding& tensor : shardingTable(plan)) {
        Json axes = Json::array();
        for (const ShardedAxis& axis : tensor.axes)
            axes.push_back({{"name", axis.name},
                            {"extent", axis.extent},
                            {"over", axis.over},
                            {"parts", axis.parts},
                            {"per_device", axis.perDevice()}});
        tensors.push_back({{"tensor", tensor.tensor},
                           {"axes", std::move(axes)},
                           {"copies", tensor.copies},
                           {"fsdp_parts", tensor.flatParts},
                           {"dtype", keyValueOf(tensor.type)},
                           {"note", tensor.note},
                           {"bytes_per_device", tensor.bytesPerDevice()}});
    }
    return tensors;
}

Json trafficJson(const RunPlan& plan) {
    Json traffic = Json::object();
    for (const MeshTraffic& part : trafficPerStep(plan))
        traffic[std::string(part.purpose)] = part.bytes;
    return traffic;
}

Json expertsJson(const RunPlan& plan) {
    Json experts = Json::array();
    for (const ExpertSteps& stretch : plan.experts)
        experts.push_back({{"expert", stretch.expert},
                           {"first_step", stretch.firstStep},
                           {"end_step", stretch.endStep},
                           {"guidance_scale", plan.guidanceOf(stretch.expert)}});
    return experts;
}

Json presetJson(const RunPlan& plan) {
    const Project& project = plan.project;
    if (project.preset == noPreset)
        return {};
    const auto values = [&project](bool taken) {
        Json json = Json::object();
        for (const std::string_view name : presetKeys(project, taken))
            json[std::string(name)] = valueText(project, *findProjectKey(name));
        return json;
    };
    return {{"name", project.preset},
            {"taken", values(true)},
            {"written_instead", values(false)},
            {"adapters_found", plan.presetAdapters}};
}

Json stepCacheJson(const StepCachePlan& cache) {
    if (cache.kind == StepCacheKind::None)
        return {};
    Json works = Json::array();
    for (const StepWork work : cache.schedule)
        works.push_back(nameOf(work));
    return {{"kind", rowOf(cache.kind).name},
            {"steps", std::move(works)},
            {"threshold", cache.threshold},
            {"curve", cache.curveSource}};
}

Json stageJson(const StageMemory& stage) {
    return {{"total", stage.total()},           {"weights", stage.weights},     {"packed", stage.packed},
            {"activations", stage.activations}, {"workspace", stage.workspace}, {"mapped", stage.mapped}};
}

Json memoryJson(const RunPlan& plan) {
    const MemoryEstimate& memory = plan.memory;
    return {{"peak", memory.peak()},
            {"loading", stageJson(memory.loading)},
            {"conditioning", stageJson(memory.conditioning)},
            {"denoising", stageJson(memory.denoising)},
            {"decoding", stageJson(memory.decoding)},
            {"available", memory.available},
            {"budget", memory.budget},
            {"resident_layers", plan.residentLayers ? Json(*plan.residentLayers) : Json("all")},
            {"device",
             {{"weights", memory.device.weights},
              {"used", memory.device.used},
              {"gathered", memory.device.gathered},
              {"activations", memory.device.activations}}}};
}

}  // namespace

Json planJson(const RunPlan& plan) {
    return {{"model", plan.project.model},
            {"model_on_disk", !plan.modelFolder.empty()},
            {"adapters", adaptersJson(plan.adapters)},
            {"preset", presetJson(plan)},
            {"latent_shape", plan.latentShape.extents()},
            {"tokens", plan.tokens},
            {"steps", plan.steps()},
            {"guided", plan.guided},
            {"experts", expertsJson(plan)},
            {"step_cache", stepCacheJson(plan.stepCache)},
            {"both_experts_resident", plan.bothExpertsResident},
            {"mesh", meshJson(plan)},
            {"attention", attentionJson(plan)},
            {"precision", precisionJson(plan.precision)},
            {"sharding", shardingJson(plan)},
            {"bytes_received_per_device_and_step", trafficJson(plan)},
            {"memory_bytes", memoryJson(plan)},
            {"flops", {{"step", plan.flops.step}, {"denoising", plan.flops.denoising}}},
            {"disk_bytes", plan.disk.runFolder},
            {"warnings", textsOf(plan.warnings)}};
}

}  // namespace meshreel
