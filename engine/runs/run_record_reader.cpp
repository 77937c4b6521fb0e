// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/attention/attention_plan.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/held_file.h"
#include "engine/base/limits.h"
#include "engine/base/paths.h"
#include "engine/base/record.h"
#include "engine/base/standard_streams.h"
#include "engine/base/strings.h"
#include "engine/events/run_event.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/pipelines/denoise.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "engine/runs/run_folder.h"
#include "engine/timing/step_record.h"
#include "engine/timing/trace.h"

namespace fs = std::filesystem;

namespace meshreel {

std::vector<const ProjectKey*> differingKeys(std::span<const Project> projects) {
    std::vector<const ProjectKey*> keys;
    for (const ProjectKey& key : projectKeys()) {
        const auto differs = [&](const Project& other) {
            return valueText(other, key) != valueText(projects.front(), key);
        };
        if (std::ranges::any_of(projects, differs))
            keys.push_back(&key);
    }
    return keys;
}

namespace {

// Keys whose values are taken as they are.
constexpr std::array<std::string_view, 8> taskKeyNames{"pretrained_model_name_or_path",
                                                       "parts.transformer",
                                                       "parts.transformer_2",
                                                       "task",
                                                       "max_sequence_length",
                                                       "segment_frame_length",
                                                       "prev_segment_conditioning_frames",
                                                       "driving_keys"};
constexpr std::array<std::string_view, 4> windowKeyNames{"context_frames", "context_overlap",
                                                         "context_stride", "context_schedule"};
constexpr std::array<std::string_view, 3> meansKeyNames{"weights_dtype", "activations_dtype",
                                                        "memory_budget"};
constexpr std::array<std::string_view, 19> attentionKeyNames{"ulysses_attention_chunks",
                                                             "attention_sharding_uniform",
                                                             "flash_min_seq_length",
                                                             "use_base2_exp",
                                                             "mask_padding_tokens",
                                                             "sparse_attention",
                                                             "sparse_start_percent",
                                                             "sparse_end_percent",
                                                             "sparse_dense_layers",
                                                             "sparse_min_tokens",
                                                             "sparse_tau",
                                                             "sparse_decay_factor",
                                                             "svg_spatial_density",
                                                             "svg_high_noise_density",
                                                             "svg_low_noise_density",
                                                             "svg_profile_query_count",
                                                             "svg_sample_max_row",
                                                             "svg_profile_seed",
                                                             "svg_include_first_frame"};

/// Sizes that a record has no field for.
bool isSetting(const BlockSizeRow& row) {
    return row.member != &FlashBlockSizes::blockQ && row.member != &FlashBlockSizes::blockKv;
}

// Files that are conditions of a step: which they are changes nothing of its work.
constexpr std::array conditions{
    std::pair{"image", &Project::image},
    std::pair{"last_image", &Project::lastImage},
    std::pair{"video", &Project::video},
    std::pair{"mask", &Project::mask},
    std::pair{"tracks", &Project::tracks},
    std::pair{"track_visibility", &Project::trackVisibility},
    std::pair{"pose_video", &Project::poseVideo},
    std::pair{"face_video", &Project::faceVideo},
    std::pair{"background_video", &Project::backgroundVideo},
    std::pair{"speech", &Project::speech},
    std::pair{"continue_from", &Project::continueFrom},
};

constexpr std::array stepCaches{
    std::pair{"use_cfg_cache", &Project::useCfgCache},
    std::pair{"use_sen_cache", &Project::useSenCache},
    std::pair{"use_magcache", &Project::useMagcache},
    std::pair{"use_teacache", &Project::useTeacache},
    std::pair{"use_first_block_cache", &Project::useFirstBlockCache},
    std::pair{"use_easycache", &Project::useEasycache},
};
constexpr std::array<std::string_view, 11> stepCacheKeyNames{
    "magcache_thresh",  "magcache_K",      "retention_ratio",       "mag_ratios_base",
    "mag_ratios_file",  "teacache_thresh", "teacache_coefficients", "first_block_threshold",
    "easycache_thresh", "easycache_start", "easycache_end"};

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

/// Below 1 Phantom's pictures have no pass of their own, and Bernini-R's have one.
std::string picturesText(double scale) {
    return scale < 1.0 ? "below 1" : guidanceText(scale);
}

void takeGuidance(const Project& project, SettingValues& task) {
    const std::string usual = guidanceText(project.guidanceScale);
    task["guidance_scale"] = usual;
    for (const auto& [name, scale] : {std::pair{"guidance_scale_high", project.guidanceScaleHigh},
                                      std::pair{"guidance_scale_low", project.guidanceScaleLow}}) {
        const bool own = scale > 0 && guidanceText(scale) != usual;
        task[name] = own ? guidanceText(scale) : "as guidance_scale";
    }
    task["nag_scale"] = attentionGuidance(project).acts() ? "on" : "off";
    const bool shown = !project.referenceImages.empty();
    task["guidance_scale_image"] = shown ? picturesText(project.guidanceScaleImage) : "off";
    const bool edited = shown && !project.video.empty();
    task["guidance_scale_video"] = edited && project.guidanceScaleVideo != 1 ? "on" : "off";
    task["reference_max_size"] = shown ? std::to_string(project.referenceMaxSize) : "none";
}

SettingValues readTask(const Project& project) {
    SettingValues task;
    takeKeys(taskKeyNames, project, task);
    takeKeys(windowKeyNames, project.contextFrames > 0 ? project : Project(), task);
    for (const auto& [name, file] : conditions)
        task[name] = (project.*file).empty() ? "none" : "given";
    const auto references =
        project.referenceImages.empty() ? 0 : 1 + std::ranges::count(project.referenceImages, ',');
    task["reference_images"] = std::to_string(references);
    task["keyframes"] = std::to_string(project.keyframes.size());
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

SettingValues collectMeans(const Project& project, const nlohmann::json& environment) {
    SettingValues means;
    takeKeys(meansKeyNames, project, means);
    takeStepCaches(project, means);
    if (environment.contains("isa"))
        means["isa"] = environment.at("isa").get<std::string>();
    return means;
}

SettingValues collectMesh(const nlohmann::json& environment) {
    SettingValues mesh;
    const nlohmann::json axes = environment.value("mesh", nlohmann::json::object());
    for (const auto& [axis, size] : axes.items())
        mesh[axis] = size.dump();
    if (environment.contains("ranks"))
        mesh["ranks"] = environment.at("ranks").dump();
    return mesh;
}

}  // namespace

RunSettings collectRunSettings(const Project& project, const nlohmann::json& environment) {
    RunSettings settings{.task = readTask(project),
                         .means = collectMeans(project, environment),
                         .mesh = collectMesh(environment),
                         .attention = {}};
    takeKeys(attentionKeyNames, project, settings.attention);
    for (const BlockSizeRow& row : blockSizeRows())
        if (isSetting(row))
            takeKeys({&row.key, 1}, project, settings.attention);
    return settings;
}

namespace {

nlohmann::json environmentIn(const RunFolder& folder) {
    return folder.has(run_file::environment) ? folder.object(run_file::environment)
                                             : nlohmann::json::object();
}

/// What a plan of today makes of the attention of a run that is older than its record; nothing when the
/// settings are no longer legal.
std::optional<AttentionPlan> planAgain(const Project& project, int contextDevices) try {
    return planAttention(attentionSettings(project),
                         {.heads = contextDevices, .contextDevices = contextDevices});
} catch (const Error&) {
    return std::nullopt;
}

/// What the run's plan decided.
void readEnvironment(const nlohmann::json& environment, const Project& project, RunRecord& record) {
    record.devices = environment.value("devices", 1);
    record.workersPerDevice = environment.value("workers_per_device", 1);
    const nlohmann::json attention = environment.value("attention", nlohmann::json::object());
    const bool recorded = std::ranges::all_of(std::array{"ring", "ulysses", "block_q", "block_kv"},
                                              [&](const char* key) { return attention.contains(key); });
    if (recorded) {
        record.ring = attention.at("ring").get<int>();
        record.ulysses = attention.at("ulysses").get<int>();
        record.blockQ = attention.at("block_q").get<std::int64_t>();
        record.blockKv = attention.at("block_kv").get<std::int64_t>();
    } else if (const auto plan = planAgain(project, environment.value("/mesh/context"_json_pointer, 1))) {
        record.ring = plan->split.ring;
        record.ulysses = plan->split.ulysses;
        record.blockQ = plan->blocks.blockQ;
        record.blockKv = plan->blocks.blockKv;
    }
}

/// Phases that timings.json holds, in the order of a run.
std::vector<PhaseMemoryRecord> readMemory(const RunFolder& folder) {
    if (!folder.has(run_file::timings))
        return {};
    const nlohmann::json timings = folder.object(run_file::timings);
    const nlohmann::json memory = timings.value("memory", nlohmann::json::object());
    std::vector<PhaseMemoryRecord> phases;
    for (const Phase phase :
         {Phase::Load, Phase::Compile, Phase::Conditioning, Phase::Denoise, Phase::Decode}) {
        const std::string name(enumName(phase));
        if (!memory.contains(name))
            continue;
        const nlohmann::json& bytes = memory.at(name);
        phases.push_back({.phase = name,
                          .planned = bytes.value("planned_bytes", std::uint64_t{0}),
                          .held = bytes.value("peak_bytes", std::uint64_t{0}),
                          .mappedFiles = bytes.value("mapped_file_bytes", std::uint64_t{0})});
    }
    return phases;
}

ChromeTrace readTrace(const RunFolder& folder) {
    if (!folder.has(run_file::trace))
        return {};
    const fs::path path = folder.file(run_file::trace);
    try {
        return readChromeTrace(folder.text(run_file::trace, Limit::Trace));
    } catch (const Error& failure) {
        throw Error(failure.kind(), failure.message(), path.string(), failure.hint());
    }
}

}  // namespace

RunRecord readRunRecord(const fs::path& path, const RunParts& parts) {
    const RunFolder folder = RunFolder::open(path);
    const Project project = folder.project();
    RunRecord record{.name = fs::weakly_canonical(path).filename().string(),
                     .attention = project.attention,
                     .width = project.width,
                     .height = project.height,
                     .frames = project.numFrames,
                     .steps = parts.steps ? folder.steps() : std::vector<StepRecord>(),
                     .timings = folder.timings(),
                     .trace = parts.trace ? readTrace(folder).spans : std::vector<TracedSpan>(),
                     .deviceTimes = parts.deviceTimes ? folder.deviceTimes() : std::vector<StepDeviceTimes>(),
                     .memory = parts.memory ? readMemory(folder) : std::vector<PhaseMemoryRecord>(),
                     .resumedFrom = folder.state().resumedFrom,
                     .folder = folder.path()};
    const nlohmann::json environment = environmentIn(folder);
    readEnvironment(environment, project, record);
    record.settings = collectRunSettings(project, environment);
    return record;
}

ChromeTrace readRunTrace(const fs::path& folder) {
    return readTrace(RunFolder::open(folder));
}

std::optional<RunRecord> readTileSearch(const fs::path& tableOrFolder) {
    std::error_code failure;
    const bool isFolder = fs::is_directory(tableOrFolder, failure);
    const fs::path table = isFolder ? tableOrFolder / tileTableName : tableOrFolder;
    if (table.extension() != ".csv" || !fs::is_regular_file(table, failure))
        return std::nullopt;
    const fs::path& titled = isFolder ? tableOrFolder : table;
    RunRecord search;
    search.name = readableStem(fs::weakly_canonical(titled));
    const std::string text =
        HeldFile(table, isFolder ? Links::Refuse : Links::Follow).readWith([](const fs::path& same) {
            return readFile(same, Limit::Table);
        });
    search.tiles = parseTileTable(text, table.string());
    search.pasted = true;
    return search;
}

std::vector<RunRecord> readRunRecords(const fs::path& folderOrText, const RunParts& parts) {
    std::error_code failure;
    if (!fs::is_regular_file(folderOrText, failure))
        return {readRunRecord(folderOrText, parts)};
    return pastedRuns(readFile(folderOrText), readableStem(folderOrText));
}

std::optional<Problem> leftOutProblem(std::span<const Error> unread) {
    if (unread.empty())
        return std::nullopt;
    if (unread.size() == 1)
        return unread.front().problem();
    std::vector<Sentence> reasons;
    for (const Error& refused : unread)
        reasons.push_back(refused.asSentence());
    return Error(ErrorKind::Input, sentence("{} runs are left out, as they cannot be read: {}", unread.size(),
                                            commaList(reasons)))
        .problem();
}

int sayWhatIsLeftOut(std::span<const Error> unread) {
    for (const Error& refused : unread)
        writeRemark(fmt::format("meshreel: left out: {}\n", visibleText(refused.what())));
    return unread.empty() ? 0 : exitCode(ErrorKind::Input);
}

}  // namespace meshreel
