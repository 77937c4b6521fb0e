// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/base/error.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/project/attention_check.h"
#include "engine/sampling/scheduler.h"

namespace meshreel {

std::optional<ContextWindows> contextWindows(const Project& project, std::int64_t latentFrames,
                                             std::int64_t temporalFactor) {
    if (project.contextFrames == 0)
        return std::nullopt;
    const WindowScheduleRow* schedule = findWindowSchedule(project.contextSchedule);
    const WindowFuseRow* fuse = findWindowFuse(project.contextFuse);
    const std::int64_t length = (project.contextFrames - 1) / temporalFactor + 1;
    const std::int64_t overlap = (project.contextOverlap + temporalFactor - 1) / temporalFactor;
    if (schedule == nullptr || fuse == nullptr || latentFrames <= length || overlap >= length)
        return std::nullopt;
    return ContextWindows{.schedule = schedule->schedule,
                          .fuse = fuse->fuse,
                          .frames = latentFrames,
                          .length = length,
                          .overlap = overlap,
                          .levels = schedule->schedule == WindowSchedule::Static
                                        ? 1
                                        : fittingLevels(latentFrames, length, project.contextStride),
                          .freeNoise = project.contextFreenoise,
                          .retainsFirst = project.contextRetainFirst};
}

bool isWindowed(const Project& project) {
    return project.contextFrames > 0 && project.numFrames > project.contextFrames;
}

MeshRequest meshRequest(const Project& project, int ranks) {
    // Every extent is within its key's range, which fits an int.
    const auto extent = [](std::int64_t value) { return static_cast<int>(value); };
    MeshRequest request{.ici = {.data = extent(project.iciDataParallelism),
                                .fsdp = extent(project.iciFsdpParallelism),
                                .context = extent(project.iciContextParallelism),
                                .tensor = extent(project.iciTensorParallelism)},
                        .dcn = {.data = extent(project.dcnDataParallelism),
                                .fsdp = extent(project.dcnFsdpParallelism),
                                .context = extent(project.dcnContextParallelism),
                                .tensor = extent(project.dcnTensorParallelism)},
                        .devices = extent(project.devices),
                        .ranks = ranks};
    // Several GPUs are a mesh, where nothing else says how many devices there are.
    const std::vector<int>& gpus = project.gpus.numbers;
    if (gpus.size() > 1 && dependsOnRanks(request))
        request.devices = std::max(static_cast<int>(gpus.size()), ranks);
    return request;
}

namespace {

constexpr double mostLayers = 1000;

/// The number of a transformer block.
bool isLayer(double number) {
    return number >= 0 && number < mostLayers && number == std::floor(number);
}

/// Nothing where attention is dense, and for a name that is not in the table, which validate() tells.
std::optional<SparseSettings> sparseSettings(const Project& project) {
    const auto* const method =
        std::ranges::find(sparseMethods, std::string_view(project.sparseAttention), &SparseMethodRow::name);
    if (method == sparseMethods.end())
        return std::nullopt;
    SparseSettings settings{.rule = {.method = method->method,
                                     .blockTokens = method->blockTokens,
                                     .tau = project.sparseTau,
                                     .decay = project.sparseDecay,
                                     .density = project.svgSpatialDensity,
                                     .profileQueries = project.svgProfileQueryCount,
                                     .sampledRows = project.svgSampleMaxRow,
                                     .profileSeed = static_cast<std::uint64_t>(project.svgProfileSeed),
                                     .firstFrame = project.svgIncludeFirstFrame},
                            .highNoiseDensity = project.svgHighNoiseDensity,
                            .lowNoiseDensity = project.svgLowNoiseDensity,
                            .start = project.sparseStartPercent,
                            .end = project.sparseEndPercent,
                            .minimumTokens = project.sparseMinTokens};
    const auto layers = parseNumbers(project.sparseDenseLayers);
    if (const auto* const numbers = std::get_if<std::vector<double>>(&layers))
        for (const double layer : *numbers)
            if (isLayer(layer))
                settings.denseLayers.push_back(static_cast<std::int64_t>(layer));
    return settings;
}

}  // namespace

AttentionSettings attentionSettings(const Project& project) {
    const AttentionMode* mode = findAttentionMode(project.attention);
    return {.mode = mode != nullptr ? mode : &requireAttentionMode(project.attention),
            .blocks = project,
            .flashMinSeqLength = project.flashMinSeqLength,
            .base2 = project.useBase2Exp,
            .ulyssesShards = static_cast<int>(project.ulyssesShards),
            .chunks = static_cast<int>(project.ulyssesAttentionChunks),
            .uniformSharding = project.attentionShardingUniform,
            .sparse = sparseSettings(project)};
}

namespace {

constexpr char separator = ',';
constexpr double timestepsInAll = 1000;
constexpr double mostControl = 100;

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

Problem listProblem(ProblemId id, std::string_view key, Sentence message, Sentence hint) {
    return {
        .id = id, .key = std::string(key), .message = std::move(message), .fixes = byHand(std::move(hint))};
}

/// Numbers of a key, each accepted by `isLegal`; reports at the key.
std::vector<double> checkedNumbers(std::string_view key, const std::string& text,
                                   const std::function<bool(double)>& isLegal, const Sentence& hint,
                                   std::vector<Problem>& problems) {
    auto read = parseNumbers(text);
    if (auto* problem = std::get_if<Problem>(&read)) {
        problems.push_back(valueProblem(key, std::move(*problem)));
        return {};
    }
    std::vector<double> numbers = std::get<std::vector<double>>(std::move(read));
    for (const double number : numbers)
        if (!isLegal(number))
            problems.push_back(
                listProblem("number-list-out-of-range", key, sentence("{} holds {}", key, number), hint));
    return numbers;
}

/// Noise levels: descending, above 0 and up to `most`.
void checkLevels(std::string_view key, const std::string& text, double most, std::vector<Problem>& problems) {
    const std::vector<double> levels = checkedNumbers(
        key, text, [most](double level) { return level > 0 && level <= most; },
        sentence("Write numbers above 0, up to {}", most), problems);
    if (std::ranges::adjacent_find(levels, std::less_equal<>()) != levels.end())
        problems.push_back(listProblem("levels-not-descending", key, sentence("{} do not descend", key),
                                       sentence("Write each once, largest first")));
}

}  // namespace

std::variant<std::vector<double>, Problem> parseNumbers(std::string_view text) {
    std::vector<double> numbers;
    if (trimmed(text).empty())
        return numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        auto number = parseReal(trimmed(text.substr(begin, end - begin)));
        if (auto* problem = std::get_if<Problem>(&number))
            return Problem{.id = "number-list-malformed",
                           .message = problem->message,
                           .fixes = byHand(sentence("Write numbers separated by commas"))};
        numbers.push_back(std::get<double>(number));
        begin = end + 1;
    }
    return numbers;
}

AttentionGuidance attentionGuidance(const Project& project) {
    if (project.negativePrompt.empty())
        return {};
    return {.scale = static_cast<float>(project.nagScale),
            .tau = static_cast<float>(project.nagTau),
            .alpha = static_cast<float>(project.nagAlpha)};
}

std::vector<double> givenSigmas(const Project& project) {
    const bool asTimesteps = project.sigmas.empty();
    auto read = parseNumbers(asTimesteps ? project.timesteps : project.sigmas);
    if (std::holds_alternative<Problem>(read))
        return {};
    std::vector<double> sigmas = std::get<std::vector<double>>(std::move(read));
    if (asTimesteps)
        for (double& sigma : sigmas)
            sigma /= timestepsInAll;
    return sigmas;
}

std::vector<Problem> numberListProblems(const Project& project) {
    std::vector<Problem> problems;
    checkLevels("sigmas", project.sigmas, 1, problems);
    checkLevels("timesteps", project.timesteps, timestepsInAll, problems);
    if (!project.sigmas.empty() && !project.timesteps.empty())
        problems.push_back(listProblem("keys-given-both", "timesteps",
                                       sentence("{} and {} are both given", "sigmas", "timesteps"),
                                       sentence("Remove one of them")));
    const bool ownLevels = !project.sigmas.empty() || !project.timesteps.empty();
    if (ownLevels && project.sigmaSpacing != automaticSpacing) {
        const std::string_view given = project.sigmas.empty() ? "timesteps" : "sigmas";
        problems.push_back({.id = "keys-given-both",
                            .key = "sigma_spacing",
                            .involved = {std::string(given)},
                            .message = sentence("{} and {} are both given", "sigma_spacing", given),
                            .fixes = setKey(sentence("Set {} to {}", "sigma_spacing", automaticSpacing),
                                            "sigma_spacing", {std::string(automaticSpacing)})});
    }
    const std::vector<double> scales = checkedNumbers(
        "conditioning_scale", project.conditioningScale,
        [](double scale) { return scale >= 0 && scale <= mostControl; },
        sentence("Write numbers from 0 to 100"), problems);
    if (scales.empty() && problems.empty())
        problems.push_back({.id = "number-list-empty",
                            .key = "conditioning_scale",
                            .message = sentence("conditioning_scale is empty"),
                            .fixes = setKey(sentence("Write {}", 1), "conditioning_scale", {"1"})});
    static_cast<void>(checkedNumbers(
        "sparse_dense_layers", project.sparseDenseLayers, isLayer,
        sentence("Write the numbers of transformer blocks, from 0 on, separated by commas"), problems));
    return problems;
}

namespace {

constexpr std::size_t mostVideos = 1000;
constexpr std::string_view promptBlanks = " \t\r";

std::vector<std::string> promptLines(const std::string& text) {
    std::vector<std::string> prompts;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find_first_not_of(promptBlanks);
        if (first != std::string::npos)
            prompts.push_back(line.substr(first, line.find_last_not_of(promptBlanks) + 1 - first));
    }
    return prompts;
}

std::vector<Seed> listSeeds(const Project& project) {
    const auto read = parseSeeds(project.batchSeeds);
    const auto* seeds = std::get_if<std::vector<Seed>>(&read);
    return seeds == nullptr || seeds->empty() ? std::vector{project.seed} : *seeds;
}

}  // namespace

std::vector<BatchItem> batchItems(const Project& project) {
    std::vector<std::string> prompts = promptLines(project.batchPrompts);
    if (prompts.empty())
        prompts.push_back(project.prompt);
    std::vector<BatchItem> items;
    for (const std::string& prompt : prompts)
        for (const Seed& seed : listSeeds(project))
            items.push_back({.prompt = prompt, .seed = seed});
    return items;
}

Project extractProject(const Project& batch, const BatchItem& item) {
    Project project = batch;
    project.prompt = item.prompt;
    project.seed = item.seed;
    project.batchPrompts.clear();
    project.batchSeeds.clear();
    return project;
}

Project withDrawnSeeds(Project project) {
    const auto draw = [](Seed& seed) {
        if (!seed)
            seed = drawSeed();
    };
    draw(project.seed);
    auto read = parseSeeds(project.batchSeeds);
    auto* seeds = std::get_if<std::vector<Seed>>(&read);
    if (seeds != nullptr && std::ranges::find(*seeds, Seed()) != seeds->end()) {
        std::ranges::for_each(*seeds, draw);
        project.batchSeeds = seedsText(*seeds);
    }
    return project;
}

VideoOptions videoOptions(const Project& project) {
    const VideoFormatInfo* format = findVideoFormat(project.videoFormat);
    if (format == nullptr)
        throw Error(ErrorKind::Project,
                    sentence("there is no video format named \"{}\"", project.videoFormat), "video_format",
                    sentence("meshreel keys lists them"));
    return {.format = format->format,
            .fps = project.fps,
            .quality = static_cast<int>(project.videoQuality),
            .metadata = {},
            .encoderAllowed = {}};
}

bool writesMetadata(const Project& project) {
    return project.metadata != noMetadata;
}

double inputRate(const Project& project) {
    return project.inputFps == keptInputRate ? 0.0 : project.fps;
}

std::vector<Problem> videoProblems(const Project& project) {
    try {
        requireWritable(videoOptions(project));
        return {};
    } catch (const Error& refused) {
        return {refused.problem()};
    }
}

std::vector<Problem> batchProblems(const Project& project) {
    const auto read = parseSeeds(project.batchSeeds);
    if (const auto* problem = std::get_if<Problem>(&read))
        return {valueProblem("batch_seeds", *problem)};
    std::vector<Problem> problems;
    const std::size_t videos = batchItems(project).size();
    if (videos > mostVideos)
        problems.push_back({.id = "batch-too-large",
                            .key = "batch_prompts",
                            .message = sentence("the batch is of {} videos", videos),
                            .fixes = byHand(sentence("Make {} at most in one run", mostVideos))});
    if (videos > 1 && project.useFirstBlockCache)
        problems.push_back(
            {.id = "batch-with-first-block-cache",
             .key = "use_first_block_cache",
             .message = sentence("the first-block cache decides for one video, and the batch has several"),
             .fixes = setKey(sentence("Write false, or make one video in a run"), "use_first_block_cache",
                             {"false"})});
    if (videos > 1 && project.useEasycache)
        problems.push_back({.id = "keys-given-both",
                            .key = "use_easycache",
                            .involved = {"batch_prompts"},
                            .message = sentence("EasyCache decides for one video, and the batch has several"),
                            .fixes = setKey(sentence("Write false, or make one video in a run"),
                                            "use_easycache", {"false"})});
    return problems;
}

}  // namespace meshreel
