// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/plan_json.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/sparse_share.h"
#include "engine/base/problem.h"
#include "engine/base/record.h"
#include "engine/catalogue/adapters.h"
#include "engine/checks/keyframe_plan.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/video_shape.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/planning/memory_fit.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/run_task.h"
#include "engine/planning/sharding_table.h"
#include "engine/planning/step_cache_plan.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/input_files.h"
#include "engine/project/presets.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/sampling/context_windows.h"
#include "engine/sampling/scheduler.h"
#include "engine/sampling/step_caches.h"
#include "engine/timing/step_record.h"

namespace meshreel {
namespace {

using Json = nlohmann::ordered_json;

Json axesJson(const MeshShape& shape) {
    Json axes = Json::object();
    for (const MeshAxis axis : meshAxes)
        axes[std::string(nameOf(axis))] = shape.extent(axis);
    return axes;
}

Json gpuJson(const ChosenGpu& gpu) {
    return {{"number", gpu.number}, {"name", gpu.facts.name}, {"driver", gpu.facts.driver}};
}

Json gpusJson(const std::vector<ChosenGpu>& gpus) {
    Json list = Json::array();
    for (const ChosenGpu& gpu : gpus)
        list.push_back(gpuJson(gpu));
    return list;
}

/// Where there is a GPU: why it does not compute the part.
Sentence whyPartOnCpu(const RunPlan& plan, PlacedPart part) {
    return plan.placement.hasGpus() ? plan.placement.whyOnCpu(part) : Sentence();
}

Json meshJson(const RunPlan& plan) {
    return {{"devices", plan.layout.devices()},
            {"ranks", plan.ranks},
            {"devices_per_rank", plan.devicesPerRank()},
            {"workers_per_device", plan.workersPerDevice},
            {"axes", axesJson(plan.layout.shape())},
            {"ici", axesJson(plan.layout.ici())},
            {"dcn", axesJson(plan.layout.dcn())},
            {"vae_strips", plan.placement.vaeStrips()},
            {"gpu", plan.placement.gpus.empty() ? Json(nullptr) : gpuJson(plan.placement.gpus.front())},
            {"gpus", gpusJson(plan.placement.gpus)},
            {"gpu_exchange", enumName(plan.placement.exchange)},
            {"gpus_passed_over", passedOverJson(plan.placement.gpusLeft)},
            {"why_no_gpu", plan.placement.whyNoGpu().text()},
            {"vae_on_gpu", plan.placement.isOnGpu(PlacedPart::VaeDecoder)},
            {"vae_strips_in_turn", plan.placement.vaeStripsInTurn()},
            {"why_vae_on_cpu", whyPartOnCpu(plan, PlacedPart::VaeDecoder).text()},
            {"encoders_on_gpu", plan.placement.isOnGpu(PlacedPart::TextEncoder)},
            {"why_encoders_on_cpu", whyPartOnCpu(plan, PlacedPart::TextEncoder).text()},
            {"stall_timeout_seconds", plan.stallTimeout.count()}};
}

/// null where attention is dense in every step.
Json sparsePlanJson(const RunPlan& plan) {
    if (!plan.attentions.sparse)
        return nullptr;
    const SparsePlan& sparse = *plan.attentions.sparse;
    Json phases = Json::array();
    for (const SparsePhase& phase : sparse.phases)
        phases.push_back(
            {{"first_step", phase.firstStep},
             {"end_step", phase.endStep},
             {"expected_kept_share", expectedKeptShare(*phase.attention.sparse, videoGrid(plan))}});
    const SparseRule& rule = *sparse.phases.front().attention.sparse;
    return {{"method", rule.row().name},
            {"block_tokens", rule.blockTokens},
            {"steps", sparse.steps()},
            {"dense_layers", sparse.denseLayers},
            {"checked_layer", sparse.checkedLayer},
            {"phases", phases}};
}

Json attentionJson(const RunPlan& plan) {
    const AttentionPlan& self = plan.attentions.self;
    Json blocks;
    const bool onGpu = plan.placement.isOnGpu(PlacedPart::Transformer);
    for (const BlockSizeRow& row : blockSizeRows())
        blocks[std::string(row.name())] = onGpu ? 0 : self.blocks.*row.member;
    return {{"requested", plan.attention.mode->name},
            {"self", self.mode->name},
            {"cross", plan.attentions.text.mode->name},
            {"ring", self.split.ring},
            {"ulysses", self.split.ulysses},
            {"most_heads", self.mostHeads()},
            {"head_efficiency", 1 / self.headExcess()},
            {"rotations", self.rotations()},
            {"chunks", plan.attention.chunks},
            {"base2", plan.attention.base2},
            {"base2_by", blocksBy(plan)},
            {"blocks_by", blocksBy(plan)},
            {"blocks", blocks},
            {"sparse", sparsePlanJson(plan)}};
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
                           {"dtype", toKeyValue(tensor.type)},
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
                           {"guidance_scale", plan.guidanceFor(stretch.expert)}});
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
        works.push_back(enumName(work));
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
    const std::optional<std::int64_t> resident = plan.placement.residentLayers();
    return {{"peak", memory.peak()},
            {"loading", stageJson(memory.loading)},
            {"conditioning", stageJson(memory.conditioning)},
            {"denoising", stageJson(memory.denoising)},
            {"decoding", stageJson(memory.decoding)},
            {"available", memory.available},
            {"budget", memory.budget},
            {"resident_layers", resident ? Json(*resident) : Json("all")},
            {"disk_per_step", diskBytesPerStep(plan)},
            {"device",
             {{"weights", memory.device.weights},
              {"used", memory.device.used},
              {"gathered", memory.device.gathered},
              {"activations", memory.device.activations}}},
            {"gpu_vae",
             {{"weights", memory.deviceVae.weights},
              {"encoding", memory.deviceVae.encoding},
              {"preview", memory.deviceVae.preview},
              {"decoding", memory.deviceVae.decoding}}},
            {"gpu_encoders", {{"text", memory.deviceEncoders.text}, {"image", memory.deviceEncoders.image}}},
            {"gpu_peak", plan.placement.gpus.empty() ? 0 : memory.devicePeak()},
            {"gpu_available", memory.deviceAvailable}};
}

/// null without windows.
Json windowsJson(const RunPlan& plan) {
    if (!plan.windows)
        return nullptr;
    const ContextWindows& windows = *plan.windows;
    std::vector<int> ofSteps;
    for (int step = 0; step < plan.loopSteps(); ++step)
        ofSteps.push_back(plan.windowsIn(step));
    return {{"schedule", rowOf(windows.schedule).name},
            {"fuse", rowOf(windows.fuse).name},
            {"latent_frames", windows.length},
            {"overlap", windows.overlap},
            {"levels", windows.levels},
            {"freenoise", windows.freeNoise},
            {"retain_first", windows.retainsFirst},
            {"of_steps", ofSteps}};
}

Json keyframesJson(const RunPlan& plan) {
    Json pictures = Json::array();
    for (const PlannedKeyframe& picture : plan.keyframes.pictures)
        pictures.push_back({{"key", picture.key},
                            {"picture", inputFiles(plan.project, *findInputKey(picture.key))[picture.index]},
                            {"asked", picture.asked},
                            {"frame", picture.frame},
                            {"frames", picture.frames},
                            {"latent_frame", picture.latentFrame}});
    return pictures;
}

Json groupsJson(const RunPlan& plan) {
    Json groups = Json::array();
    for (const GroupShape& group : plan.groups)
        groups.push_back({{"name", group.name},
                          {"latent_shape", group.latents.extents()},
                          {"first_frame", group.firstFrame},
                          {"source", group.source},
                          {"tokens", tokenCount(group, plan.model.transformer)}});
    return groups;
}

/// Null without a driving video.
Json drivingKeysJson(const RunPlan& plan) {
    if (!plan.drivingKeys)
        return nullptr;
    Json bytes = Json::object();
    for (const DrivingKeysRow& row : drivingKeysRows())
        bytes[std::string(row.name)] = drivingKeyBytes(plan, row.use);
    return {{"use", rowOf(*plan.drivingKeys).name},
            {"bytes_per_device", std::move(bytes)},
            {"first_frame_bias", plan.drivingOptions().firstFrameBias}};
}

}  // namespace

Json planJson(const RunPlan& plan, std::span<const Sentence> notes) {
    Json warnings = Json::array();
    for (const Problem& warning : plan.warnings)
        warnings.push_back(warning.message.text());
    for (const Sentence& note : notes)
        warnings.push_back(note.text());
    return {{"model", plan.project.model},
            {"model_on_disk", !plan.modelFolder.empty()},
            {"adapters", adaptersJson(plan.adapters)},
            {"preset", presetJson(plan)},
            {"latent_shape", plan.latentShape.extents()},
            {"tokens", plan.tokens},
            {"token_groups", groupsJson(plan)},
            {"driving_keys", drivingKeysJson(plan)},
            {"keyframes", keyframesJson(plan)},
            {"windows", windowsJson(plan)},
            {"timed_prompt", plan.isTimed()},
            {"texts_of_prompt", plan.textsOfPrompt()},
            {"continued_frames", plan.continuedFrames},
            {"steps", plan.steps()},
            {"guided", plan.guided},
            {"guides_images", plan.passes.size() > 2},
            {"experts", expertsJson(plan)},
            {"step_cache", stepCacheJson(plan.stepCache)},
            {"both_experts_resident", plan.placement.keepsBothExperts()},
            {"mesh", meshJson(plan)},
            {"attention", attentionJson(plan)},
            {"precision", precisionJson(plan)},
            {"placement", placementJson(plan.placement)},
            {"sharding", shardingJson(plan)},
            {"bytes_received_per_device_and_step", trafficJson(plan)},
            {"memory_bytes", memoryJson(plan)},
            {"flops", {{"step", plan.flops.step}, {"denoising", plan.flops.denoising}}},
            {"disk_bytes", plan.disk.runFolder},
            {"warnings", std::move(warnings)}};
}

Json promptPartsJson(std::span<const PromptPart> parts) {
    Json json = Json::array();
    for (const PromptPart& part : parts) {
        Json one{{"begin", nullptr}, {"end", nullptr}};
        if (part.span)
            one = {{"begin", part.span->begin}, {"end", part.span->end}};
        one["tokens"] = part.tokens.size();
        one["text"] = part.text;
        json.push_back(std::move(one));
    }
    return json;
}

Json meshesJson(const std::vector<LegalMesh>& meshes) {
    Json list = Json::array();
    for (const LegalMesh& mesh : meshes) {
        Json set = Json::object();
        for (const KeyChange& change : mesh.changes)
            set[change.key] = change.value;
        Json step;
        if (mesh.step)
            step = {{"seconds", mesh.step->seconds}, {"low", mesh.step->low}, {"high", mesh.step->high}};
        list.push_back({{"axes", axesJson(mesh.layout.shape())},
                        {"between_hosts", axesJson(mesh.layout.dcn())},
                        {"attention", mesh.mode->name},
                        {"ulysses", mesh.split.ulysses},
                        {"ring", mesh.split.ring},
                        {"most_heads", mesh.mostHeads},
                        {"head_efficiency", mesh.headEfficiency},
                        {"bytes_per_step", mesh.bytesPerStep},
                        {"bytes_between_hosts", mesh.bytesBetweenHosts},
                        {"memory_bytes", mesh.memory},
                        {"fits", mesh.fits},
                        {"step", std::move(step)},
                        {"current", mesh.isCurrent},
                        {"set", std::move(set)}});
    }
    return list;
}

}  // namespace meshreel
