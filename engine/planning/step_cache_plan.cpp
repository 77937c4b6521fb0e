// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/step_cache_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/planning/project_check.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"
#include "engine/sampling/step_caches.h"

namespace meshreel {
namespace {

constexpr std::string_view ratiosKey = "mag_ratios_base";

/// The cache that the project asks for; none when it asks for several.
StepCacheKind chooseStepCache(const Project& project) {
    const std::vector<const StepCacheRow*> chosen = chosenStepCaches(project);
    return chosen.size() == 1 ? chosen.front()->kind : StepCacheKind::None;
}

/// One of resources/magcache/curves.json.
struct PublishedCurve {
    std::vector<double> ratios;
    double threshold = 0;
    std::int64_t layers = 0;          ///< layers of the transformer it was measured on
    std::optional<double> flowShift;  ///< the only one it holds for
};

/// The curve of the model's family and the video's height.
std::optional<PublishedCurve> publishedCurve(const ModelFacts& model, std::int64_t height) {
    const nlohmann::json file = readJsonObject(resourceFolder() / "magcache" / "curves.json");
    for (const nlohmann::json& row : file.at("curves")) {
        if (row.at("family").get<std::string>() != plainFamily(*model.family).name ||
            height < row.at("from_height").get<std::int64_t>())
            continue;
        PublishedCurve curve{.ratios = row.at(std::string(ratiosKey)).get<std::vector<double>>(),
                             .threshold = row.at("threshold").get<double>(),
                             .layers = row.at("layers").get<std::int64_t>(),
                             .flowShift = {}};
        if (row.at("flow_shift").is_number())
            curve.flowShift = row.at("flow_shift").get<double>();
        return curve;
    }
    return std::nullopt;
}

bool bringsCurve(const Project& project) {
    return !project.magRatiosBase.empty() || !project.magRatiosFile.empty();
}

std::vector<Problem> curveProblems(const Project& project, const ModelFacts& model) {
    if (bringsCurve(project))
        return {};
    const Sentence measure =
        sentence("measure one: meshreel calibrate magcache PROJECT -o FILE, and write mag_ratios_file: FILE");
    const std::optional<PublishedCurve> curve = publishedCurve(model, project.height);
    if (!curve)
        return {{.id = "curve-missing",
                 .key = "use_magcache",
                 .message =
                     sentence("there is no published MagCache curve for {}", tableText(model.family->title)),
                 .fixes = setKey(sentence("Write false, or {}", measure), "use_magcache", {"false"})}};
    if (curve->flowShift && *curve->flowShift != project.flowShift)
        return {{.id = "curve-flow-shift-differs",
                 .key = "flow_shift",
                 .involved = {"use_magcache"},
                 .message = sentence("the published MagCache curve of {} was measured with flow_shift {}, "
                                     "and it is {}",
                                     tableText(model.family->title), *curve->flowShift, project.flowShift),
                 .fixes = setKey(sentence("Write flow_shift: {}, or {}", *curve->flowShift, measure),
                                 "flow_shift", {realText(*curve->flowShift)})}};
    return {};
}

/// Reads the curve that `meshreel calibrate magcache` wrote. Throws Error{Input}.
std::vector<double> readMagCurve(const std::filesystem::path& file) {
    const nlohmann::json json = readJsonObject(file);
    const auto found = json.find(ratiosKey);
    const auto refuse = [&](const Sentence& reason) {
        return Error(ErrorKind::Input, sentence("this is not a MagCache curve: {}", reason), withTilde(file),
                     sentence("Use a file that meshreel calibrate magcache has written"));
    };
    if (found == json.end() || !found->is_array())
        throw refuse(sentence("it has no list {}", ratiosKey));
    std::vector<double> ratios;
    for (const nlohmann::json& number : *found) {
        if (!number.is_number())
            throw refuse(sentence("its list holds something else than numbers"));
        ratios.push_back(number.get<double>());
    }
    if (const Sentence reason = faultOfMagRatios(ratios); !reason.empty())
        throw refuse(reason);
    return ratios;
}

/// What a run's MagCache goes by.
struct ChosenCurve {
    std::vector<double> ratios;
    double threshold = 0;
    std::string source;
    Sentence warning = {};
};

ChosenCurve chooseCurve(const Project& project, const ModelFacts& model) {
    constexpr double ownCurveThreshold = 0.12;  // for MaxDiffusion's curves of one transformer
    ChosenCurve chosen{.ratios = {}, .threshold = ownCurveThreshold, .source = std::string(ratiosKey)};
    const std::optional<PublishedCurve> published = publishedCurve(model, project.height);
    if (published)
        chosen.threshold = published->threshold;
    if (!project.magRatiosBase.empty()) {
        chosen.ratios = std::get<std::vector<double>>(parseNumbers(project.magRatiosBase));
    } else if (!project.magRatiosFile.empty()) {
        chosen.ratios = readMagCurve(project.magRatiosFile);
        chosen.source = withTilde(project.magRatiosFile);
    } else {
        chosen.ratios = published->ratios;
        chosen.source = fmt::format("published for {} with {} blocks", plainFamily(*model.family).title,
                                    published->layers);
        if (published->layers != model.transformer.layers)
            chosen.warning = sentence(
                "The MagCache curve was measured on a transformer of {} blocks, and this has {}; meshreel "
                "calibrate magcache measures one for it",
                published->layers, model.transformer.layers);
    }
    if (project.magcacheThresh > 0)
        chosen.threshold = project.magcacheThresh;
    return chosen;
}

const TeaCacheRow* publishedFit(const Project& project, const ModelFacts& model) {
    return publishedTeaCache(plainFamily(*model.family).name, model.transformer.layers, project.height);
}

std::vector<Problem> fitProblems(const Project& project, const ModelFacts& model) {
    const bool published = publishedFit(project, model) != nullptr;
    if (published || (!project.teacacheCoefficients.empty() && project.teacacheThresh > 0))
        return {};
    return {{.id = "teacache-fit-missing",
             .key = "use_teacache",
             .involved = {"use_first_block_cache", "teacache_thresh"},
             .message = sentence("there are no published TeaCache coefficients for {} with {} blocks",
                                 tableText(model.family->title), model.transformer.layers),
             .fixes = setKey(sentence("Write false and use use_first_block_cache, or give "
                                      "teacache_coefficients and teacache_thresh"),
                             "use_teacache", {"false"})}};
}

/// Plans TeaCache. Which steps it will leave out depends on the transformer's weights, which a plan does not
/// read.
void planTeaCache(StepCachePlan& plan, const Project& project, const ModelFacts& model) {
    const TeaCacheRow* published = publishedFit(project, model);
    plan.schedule = teaCacheCandidates(plan.loop);
    plan.threshold = project.teacacheThresh > 0 ? project.teacacheThresh : published->threshold;
    if (project.teacacheCoefficients.empty()) {
        plan.curve.assign(published->curve.begin(), published->curve.end());
        plan.curveSource = fmt::format("published for {} with {} blocks", plainFamily(*model.family).title,
                                       published->layers);
    } else {
        plan.curve = std::get<std::vector<double>>(parseNumbers(project.teacacheCoefficients));
        plan.curveSource = "teacache_coefficients";
    }
}

/// MagCache's schedule of a loop that lacks its first steps, from a curve that has them.
CacheSchedule magSchedule(const CachedLoop& loop, int droppedSteps, MagCacheSettings settings) {
    const std::vector<double> whole = resampledRatios(settings.ratios, loop.steps + droppedSteps);
    settings.ratios.assign(whole.end() - 2 * static_cast<std::ptrdiff_t>(loop.steps), whole.end());
    return magCacheSchedule(loop, settings);
}

}  // namespace

StepWork StepCachePlan::workOf(int step) const {
    return schedule.empty() ? StepWork::Everything : schedule[static_cast<std::size_t>(step)];
}

int StepCachePlan::shortenedAtMost() const {
    return static_cast<int>(
        std::ranges::count_if(schedule, [](StepWork work) { return work != StepWork::Everything; }));
}

bool StepCachePlan::decidesLater() const {
    return kind == StepCacheKind::Sen || kind == StepCacheKind::Tea || kind == StepCacheKind::FirstBlock;
}

bool StepCachePlan::keepsBlocks() const {
    return measuresGrowth || kind == StepCacheKind::Mag || kind == StepCacheKind::Tea ||
           kind == StepCacheKind::FirstBlock;
}

std::vector<Problem> stepCacheProblems(const Project& project, const ModelFacts& model) {
    const StepCacheKind kind = chooseStepCache(project);
    if (kind == StepCacheKind::None)
        return {};
    const StepCacheRow& row = rowOf(kind);
    const Sentence otherCaches = sentence("Write false, or use use_magcache or use_first_block_cache");
    std::vector<Problem> problems;
    if (row.needsTwoExperts && model.experts() != 2)
        problems.push_back(
            {.id = "step-cache-needs-two-experts",
             .key = std::string(row.key),
             .message = sentence("the {} is made for Wan 2.2's models of two transformers, and this is {}",
                                 tableText(row.name), tableText(model.family->title)),
             .fixes = setKey(otherCaches, row.key, {"false"})});
    if (kind == StepCacheKind::Cfg &&
        (model.family->traits.imageEmbeddings || model.family->traits.vaceBlocks))
        problems.push_back({.id = "step-cache-not-for-model",
                            .key = std::string(row.key),
                            .message = sentence("the {} was never tried on {}", tableText(row.name),
                                                tableText(model.family->title)),
                            .fixes = setKey(otherCaches, row.key, {"false"})});
    if (kind == StepCacheKind::FirstBlock && guidesImages(project, *model.family))
        problems.push_back(
            {.id = "step-cache-not-for-model",
             .key = std::string(row.key),
             .involved = {"guidance_scale_image"},
             .message =
                 sentence("the {} decides by the prompt's pass, and guidance by pictures makes two more "
                          "behind it",
                          tableText(row.name)),
             .fixes = setKey(sentence("Write false, or guidance_scale_image: 1"), row.key, {"false"})});
    for (Problem& problem : guidanceProblems(project, row, model.experts() == 2))
        problems.push_back(std::move(problem));
    if (kind == StepCacheKind::Mag)
        std::ranges::move(curveProblems(project, model), std::back_inserter(problems));
    if (kind == StepCacheKind::Tea)
        std::ranges::move(fitProblems(project, model), std::back_inserter(problems));
    return problems;
}

StepCachePlan planStepCache(const Project& project, const ModelFacts& model, const CachedLoop& loop,
                            int droppedSteps) {
    constexpr double senThreshold = 0.1;
    constexpr int senMostInARow = 3;  // MaxDiffusion's max_reuse
    StepCachePlan plan;
    plan.kind = chooseStepCache(project);
    plan.loop = loop;
    switch (plan.kind) {
        case StepCacheKind::None:
            break;
        case StepCacheKind::Cfg:
            plan.schedule = cfgCacheSchedule(loop);
            break;
        case StepCacheKind::Sen:
            plan.schedule = senCacheSchedule(loop);
            plan.threshold = senThreshold;
            plan.mostInARow = senMostInARow;
            break;
        case StepCacheKind::Mag: {
            ChosenCurve chosen = chooseCurve(project, model);
            plan.schedule = magSchedule(loop, droppedSteps,
                                        {.ratios = chosen.ratios,
                                         .threshold = chosen.threshold,
                                         .mostInARow = static_cast<int>(project.magcacheK),
                                         .retention = project.retentionRatio});
            plan.threshold = chosen.threshold;
            plan.curve = std::move(chosen.ratios);
            plan.curveSource = std::move(chosen.source);
            plan.warning = std::move(chosen.warning);
            break;
        }
        case StepCacheKind::Tea:
            planTeaCache(plan, project, model);
            break;
        case StepCacheKind::FirstBlock:
            plan.schedule = firstBlockSchedule(loop);
            plan.threshold = project.firstBlockThreshold;
            break;
    }
    return plan;
}

}  // namespace meshreel
