// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/step_cache_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/catalogue/published_caches.h"
#include "engine/checks/step_cache_check.h"
#include "engine/models/families/model_family.h"
#include "engine/project/numbers.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"
#include "engine/sampling/step_caches.h"

namespace meshreel {
namespace {

constexpr std::string_view ratiosKey = "mag_ratios_base";

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

/// Plans TeaCache. Which steps it will leave out depends on the transformer's weights, which a plan does not
/// read.
void planTeaCache(StepCachePlan& plan, const Project& project, const ModelFacts& model) {
    const TeaCacheRow* published = publishedTeaCache(model, project.height);
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
    return kind == StepCacheKind::Sen || kind == StepCacheKind::Tea || kind == StepCacheKind::FirstBlock ||
           kind == StepCacheKind::Easy;
}

bool StepCachePlan::keepsBlocks() const {
    return measuresMagRatios || (kind != StepCacheKind::None && rowOf(kind).keepsBlocks);
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
        case StepCacheKind::Easy:
            plan.easy = {.threshold = project.easycacheThresh,
                         .start = project.easycacheStart,
                         .end = project.easycacheEnd};
            plan.schedule = easyCacheSchedule(loop, plan.easy);
            plan.threshold = plan.easy.threshold;
            break;
    }
    return plan;
}

}  // namespace meshreel
