// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/step_cache_check.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/strings.h"
#include "engine/catalogue/published_caches.h"
#include "engine/checks/guidance_choice.h"
#include "engine/checks/task_choice.h"
#include "engine/models/families/model_family.h"
#include "engine/project/numbers.h"
#include "engine/project/project_validation.h"
#include "engine/sampling/guidance.h"

namespace meshreel {
namespace {

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

std::vector<Problem> fitProblems(const Project& project, const ModelFacts& model) {
    const bool published = publishedTeaCache(model, project.height) != nullptr;
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

/// Whether in some step the pass behind the prompt's sees fewer pictures and videos than it, or others
/// follow.
bool guidesByLess(const Project& project, const ModelFamily& family) {
    const WanTask task = chooseTask(project, family).task;
    if (partsGuidance(task))
        return false;  // both halves see them
    for (int expert = 1; expert <= family.traits.experts; ++expert) {
        const GuidedPasses passes = chooseGuidance(project, task, family.traits.experts, expert);
        if (passes.size() > 2 || (passes.size() > 1 && !sharePass(passes, task)))
            return true;
    }
    return false;
}

/// What makes guidance by pictures go: it begins with the video where there is one.
Sentence withoutSourceGuidance(const Project& project, const ModelFamily& family) {
    const TokenGroupCounts groups = countGroups(project, chooseTask(project, family).task);
    return groups.videos > 0 ? sentence("Write false, or guidance_scale_video: 1 and guidance_scale_image: 1")
                             : sentence("Write false, or guidance_scale_image: 1");
}

}  // namespace

StepCacheKind chooseStepCache(const Project& project) {
    const std::vector<const StepCacheRow*> chosen = chosenStepCaches(project);
    return chosen.size() == 1 ? chosen.front()->kind : StepCacheKind::None;
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
    if (kind == StepCacheKind::FirstBlock && guidesByLess(project, *model.family))
        problems.push_back(
            {.id = "step-cache-not-for-model",
             .key = std::string(row.key),
             .involved = {"guidance_scale_image", "guidance_scale_video"},
             .message = sentence("the {} decides by the prompt's pass, and guidance by pictures makes passes "
                                 "behind it that see less",
                                 tableText(row.name)),
             .fixes = setKey(withoutSourceGuidance(project, *model.family), row.key, {"false"})});
    if (kind == StepCacheKind::Cfg && guidesImages(project, *model.family))
        problems.push_back(
            {.id = "step-cache-not-for-model",
             .key = std::string(row.key),
             .involved = {"guidance_scale_image", "guidance_scale_video"},
             .message = sentence("the {} makes up the negative prompt's prediction, and guidance by pictures "
                                 "needs others beside it",
                                 tableText(row.name)),
             .fixes = setKey(otherCaches, row.key, {"false"})});
    if (kind == StepCacheKind::FirstBlock && partsGuidance(chooseTask(project, *model.family).task) &&
        project.guidanceScale > 1.0)
        problems.push_back(
            {.id = "step-cache-not-for-model",
             .key = std::string(row.key),
             .involved = {"guidance_scale", "tracks"},
             .message = sentence("the {} decides by the prompt's pass, and with tracks "
                                 "guidance makes another one behind it",
                                 tableText(row.name)),
             .fixes = setKey(sentence("Write false, or guidance_scale: 1"), row.key, {"false"})});
    for (Problem& problem : guidanceProblems(project, row, model.experts() == 2))
        problems.push_back(std::move(problem));
    if (kind == StepCacheKind::Mag)
        std::ranges::move(curveProblems(project, model), std::back_inserter(problems));
    if (kind == StepCacheKind::Tea)
        std::ranges::move(fitProblems(project, model), std::back_inserter(problems));
    return problems;
}

}  // namespace meshreel
