// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_settings_reader.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/pipelines/denoise.h"
#include "engine/project/batch.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

// Keys whose values are taken as they are.
constexpr std::array<std::string_view, 7> taskKeyNames{"pretrained_model_name_or_path",
                                                       "parts.transformer",
                                                       "parts.transformer_2",
                                                       "task",
                                                       "max_sequence_length",
                                                       "segment_frame_length",
                                                       "prev_segment_conditioning_frames"};
constexpr std::array<std::string_view, 3> meansKeyNames{"weights_dtype", "activations_dtype",
                                                        "memory_budget"};
constexpr std::array<std::string_view, 9> attentionKeyNames{"ulysses_attention_chunks",
                                                            "attention_sharding_uniform",
                                                            "flash_min_seq_length",
                                                            "flash_block_sizes.block_kv_compute",
                                                            "flash_block_sizes.block_kv_compute_in",
                                                            "flash_block_sizes.heads_per_tile",
                                                            "flash_block_sizes.vmem_limit_bytes",
                                                            "use_base2_exp",
                                                            "mask_padding_tokens"};

// Files that are conditions of a step: which they are changes nothing of its work.
constexpr std::array conditions{
    std::pair{"image", &Project::image},
    std::pair{"last_image", &Project::lastImage},
    std::pair{"video", &Project::video},
    std::pair{"mask", &Project::mask},
    std::pair{"pose_video", &Project::poseVideo},
    std::pair{"face_video", &Project::faceVideo},
    std::pair{"background_video", &Project::backgroundVideo},
};

constexpr std::array stepCaches{
    std::pair{"use_cfg_cache", &Project::useCfgCache},
    std::pair{"use_sen_cache", &Project::useSenCache},
    std::pair{"use_magcache", &Project::useMagcache},
    std::pair{"use_teacache", &Project::useTeacache},
    std::pair{"use_first_block_cache", &Project::useFirstBlockCache},
};
constexpr std::array<std::string_view, 8> stepCacheKeyNames{
    "magcache_thresh", "magcache_K",      "retention_ratio",       "mag_ratios_base",
    "mag_ratios_file", "teacache_thresh", "teacache_coefficients", "first_block_threshold"};

void takeKeys(std::span<const std::string_view> names, const Project& project, SettingValues& values) {
    for (const std::string_view name : names) {
        const ProjectKey* key = findProjectKey(name);
        if (key == nullptr)
            throw Error(ErrorKind::Internal, "no key of the project is called so", std::string(name));
        values[std::string(name)] = valueText(project, *key);
    }
}

/// A scale of 1 or less computes no negative prompt; another scale changes no work.
std::string guidanceText(double scale) {
    return usesGuidance(scale) ? "on" : "off";
}

void takeGuidance(const Project& project, SettingValues& task) {
    const std::string usual = guidanceText(project.guidanceScale);
    task["guidance_scale"] = usual;
    for (const auto& [name, scale] : {std::pair{"guidance_scale_high", project.guidanceScaleHigh},
                                      std::pair{"guidance_scale_low", project.guidanceScaleLow}}) {
        const bool own = scale > 0 && guidanceText(scale) != usual;
        task[name] = own ? guidanceText(scale) : "as guidance_scale";
    }
}

SettingValues taskOf(const Project& project) {
    SettingValues task;
    takeKeys(taskKeyNames, project, task);
    for (const auto& [name, file] : conditions)
        task[name] = (project.*file).empty() ? "none" : "given";
    const auto references =
        project.referenceImages.empty() ? 0 : 1 + std::ranges::count(project.referenceImages, ',');
    task["reference_images"] = std::to_string(references);
    task["videos"] = std::to_string(batchItems(project).size());
    takeGuidance(project, task);
    return task;
}

/// Without a cache its settings are as good as the usual ones; with one the share of the steps that it
/// shortens depends on their number.
void takeStepCaches(const Project& project, SettingValues& means) {
    bool cached = false;
    for (const auto& [name, isUsed] : stepCaches) {
        means[name] = project.*isUsed ? "true" : "false";
        cached = cached || project.*isUsed;
    }
    takeKeys(stepCacheKeyNames, cached ? project : Project(), means);
    if (cached)
        means["num_inference_steps"] = std::to_string(project.numInferenceSteps);
}

SettingValues meansOf(const Project& project, const nlohmann::json& environment) {
    SettingValues means;
    takeKeys(meansKeyNames, project, means);
    takeStepCaches(project, means);
    if (environment.contains("isa"))
        means["isa"] = environment.at("isa").get<std::string>();
    return means;
}

SettingValues meshOf(const nlohmann::json& environment) {
    SettingValues mesh;
    const nlohmann::json axes = environment.value("mesh", nlohmann::json::object());
    for (const auto& [axis, size] : axes.items())
        mesh[axis] = size.dump();
    if (environment.contains("ranks"))
        mesh["ranks"] = environment.at("ranks").dump();
    return mesh;
}

}  // namespace

RunSettings runSettingsOf(const Project& project, const nlohmann::json& environment) {
    RunSettings settings{.task = taskOf(project),
                         .means = meansOf(project, environment),
                         .mesh = meshOf(environment),
                         .attention = {}};
    takeKeys(attentionKeyNames, project, settings.attention);
    return settings;
}

}  // namespace meshreel
