// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/validation/step_cache_validation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "engine/project/number_list.h"

namespace meshreel {
namespace {

constexpr double mostRatio = 100;

struct Switch {
    StepCacheKind kind;
    bool Project::*on;
};

constexpr std::array switches{
    Switch{StepCacheKind::Cfg, &Project::useCfgCache},
    Switch{StepCacheKind::Sen, &Project::useSenCache},
    Switch{StepCacheKind::Mag, &Project::useMagcache},
    Switch{StepCacheKind::Tea, &Project::useTeacache},
    Switch{StepCacheKind::FirstBlock, &Project::useFirstBlockCache},
};

double scaleOr(double own, double common) {
    return own > 0 ? own : common;
}

/// Guidance is off on any model, which is told without asking one.
bool neverGuided(const Project& project) {
    return std::max({project.guidanceScale, project.guidanceScaleHigh, project.guidanceScaleLow}) <= 1;
}

std::vector<ProjectProblem> scaleProblems(const Project& project, const StepCacheRow& row, bool twoExperts) {
    const auto problem = [&row](std::string_view key, double scale) {
        return ProjectProblem{
            .key = std::string(row.key),
            .message = sentence("{} needs {} above 1, and it is {}: {}", row.key, key, scale, row.why),
            .hint = sentence("Raise {}, or write {}: false", key, row.key)};
    };
    if (!twoExperts)
        return project.guidanceScale > 1 ? std::vector<ProjectProblem>()
                                         : std::vector{problem("guidance_scale", project.guidanceScale)};
    std::vector<ProjectProblem> problems;
    const double high = scaleOr(project.guidanceScaleHigh, project.guidanceScale);
    const double low = scaleOr(project.guidanceScaleLow, project.guidanceScale);
    if (high <= 1)
        problems.push_back(problem("guidance_scale_high", high));
    if (low <= 1)
        problems.push_back(problem("guidance_scale_low", low));
    return problems;
}

std::vector<ProjectProblem> curveProblems(const Project& project) {
    std::vector<ProjectProblem> problems;
    const auto read = parseNumbers(project.magRatiosBase);
    if (const auto* problem = std::get_if<NumberProblem>(&read))
        problems.push_back({.key = "mag_ratios_base",
                            .message = sentence("{}: {}", "mag_ratios_base", problem->message),
                            .hint = problem->hint});
    else if (!project.magRatiosBase.empty())
        if (const Sentence fault = faultOfMagRatios(std::get<std::vector<double>>(read)); !fault.empty())
            problems.push_back(
                {.key = "mag_ratios_base",
                 .message = sentence("mag_ratios_base is no curve: {}", fault),
                 .hint = sentence("Write two numbers for each step, the prompt's and the negative "
                                  "prompt's")});
    if (!project.magRatiosBase.empty() && !project.magRatiosFile.empty())
        problems.push_back(
            {.key = "mag_ratios_file",
             .message = sentence("{} and {} are both given", "mag_ratios_base", "mag_ratios_file"),
             .hint = sentence("Remove one of them")});
    return problems;
}

std::vector<ProjectProblem> fitProblems(const Project& project) {
    constexpr std::string_view key = "teacache_coefficients";
    const auto read = parseNumbers(project.teacacheCoefficients);
    if (const auto* problem = std::get_if<NumberProblem>(&read))
        return {{.key = std::string(key),
                 .message = sentence("{}: {}", key, problem->message),
                 .hint = problem->hint}};
    const auto& numbers = std::get<std::vector<double>>(read);
    if (std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); }))
        return {};
    return {{.key = std::string(key),
             .message = sentence("{} are not all finite numbers", key),
             .hint = sentence("Write numbers separated by commas, that of the highest power first")}};
}

}  // namespace

std::vector<const StepCacheRow*> chosenStepCaches(const Project& project) {
    std::vector<const StepCacheRow*> chosen;
    for (const Switch& one : switches)
        if (project.*one.on)
            chosen.push_back(&rowOf(one.kind));
    return chosen;
}

std::vector<ProjectProblem> guidanceProblems(const Project& project, const StepCacheRow& row,
                                             bool twoExperts) {
    if (!row.needsGuidance || neverGuided(project))
        return {};
    return scaleProblems(project, row, twoExperts);
}

Sentence faultOfMagRatios(std::span<const double> ratios) {
    if (ratios.empty() || ratios.size() % 2 != 0)
        return sentence("it has {} numbers, and every step has two", ratios.size());
    const bool sane = std::ranges::all_of(
        ratios, [](double ratio) { return std::isfinite(ratio) && ratio >= 0 && ratio <= mostRatio; });
    return sane ? Sentence() : sentence("its numbers are not all from 0 to {}", mostRatio);
}

std::vector<ProjectProblem> stepCacheProblems(const Project& project) {
    std::vector<ProjectProblem> problems = curveProblems(project);
    std::ranges::move(fitProblems(project), std::back_inserter(problems));
    const std::vector<const StepCacheRow*> chosen = chosenStepCaches(project);
    if (chosen.size() > 1)
        problems.push_back(
            {.key = std::string(chosen.back()->key),
             .message = sentence("{} and {} are mutually exclusive: each decides by itself what a step "
                                 "takes over from earlier ones, and none is made for predictions that "
                                 "another one has made up",
                                 chosen.front()->key, chosen.back()->key),
             .hint = sentence("Enable only one")});
    else if (chosen.size() == 1 && chosen.front()->needsGuidance && neverGuided(project))
        for (ProjectProblem& problem : scaleProblems(project, *chosen.front(), false))
            problems.push_back(std::move(problem));
    return problems;
}

}  // namespace meshreel
