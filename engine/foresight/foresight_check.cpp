// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/foresight_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/numbers.h"
#include "engine/foresight/accelerator_case.h"

namespace meshreel {
namespace {

using nlohmann::ordered_json;

/// A time that the model can be fitted to, or compared with.
struct ComparableTime {
    std::optional<TimedCase> time;
    Sentence whyNot;
};

ComparableTime comparable(const PublishedTime& row, const std::vector<Hardware>& profiles) {
    const std::optional<TimeMetric> metric = metricNamed(row.metric);
    if (!metric)
        return {{}, sentence("{} is not foreseen", row.metric)};
    StatedCase stated = statedCase(row, profiles);
    if (!stated.found)
        return {{}, stated.whyNot};
    const bool ofAllSteps = *metric == TimeMetric::Total || *metric == TimeMetric::Denoise;
    if (ofAllSteps && row.steps == 0)
        return {{}, sentence("The number of steps is not stated")};
    return {
        TimedCase{.id = row.id, .of = *std::move(stated.found), .metric = *metric, .seconds = row.seconds},
        {}};
}

bool fitted(const PublishedTime& row) {
    return row.use == "fit" || row.use == "stage";
}

/// Errors of some times.
struct ErrorSummary {
    std::size_t rows = 0;
    std::size_t foreseen = 0;
    double median = 0;     ///< |error|
    double ninetieth = 0;  ///< 90 % are within
    double covered = 0;    ///< share
};

ErrorSummary summarise(std::span<const CheckedTime> times,
                       const std::function<bool(const CheckedTime&)>& counts) {
    ErrorSummary summary;
    std::vector<double> errors;
    std::size_t covered = 0;
    for (const CheckedTime& time : times) {
        if (!counts(time))
            continue;
        ++summary.rows;
        if (!time.foreseen)
            continue;
        errors.push_back(std::abs(time.error()));
        covered += time.covered() ? 1 : 0;
    }
    summary.foreseen = errors.size();
    if (errors.empty())
        return summary;
    std::ranges::sort(errors);
    summary.median = computeMedian(errors);
    const auto last = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(errors.size())));
    summary.ninetieth = errors[std::max<std::size_t>(last, 1) - 1];
    summary.covered = static_cast<double>(covered) / static_cast<double>(errors.size());
    return summary;
}

bool leavesSourcesOut(std::span<const CheckedTime> times) {
    return std::ranges::any_of(times, &CheckedTime::sourceLeftOut);
}

/// The rows by which the model is judged: those that it did not see the source of, those held out, or all of
/// a table that holds none out.
std::function<bool(const CheckedTime&)> judged(std::span<const CheckedTime> times) {
    if (leavesSourcesOut(times))
        return &CheckedTime::sourceLeftOut;
    const bool holdsOut =
        std::ranges::any_of(times, [](const CheckedTime& time) { return time.row.use == "check"; });
    return [holdsOut](const CheckedTime& time) {
        return holdsOut ? time.row.use == "check" : time.row.use != "no";
    };
}

/// A way to divide the rows.
struct Grouping {
    std::string_view name;
    std::string (*key)(const CheckedTime&);
};

constexpr std::array groupings{
    Grouping{"hardware", [](const CheckedTime& time) { return time.hardware; }},
    Grouping{"program", [](const CheckedTime& time) { return time.program; }},
    Grouping{"metric", [](const CheckedTime& time) { return time.row.metric; }},
    Grouping{"source", [](const CheckedTime& time) { return time.row.source; }},
};

/// Those that tell something: the source where it was left out of the fit.
std::span<const Grouping> groupingsOf(std::span<const CheckedTime> times) {
    return std::span(groupings).first(groupings.size() - (leavesSourcesOut(times) ? 0 : 1));
}

std::map<std::string, ErrorSummary> summariesBy(const Grouping& grouping,
                                                std::span<const CheckedTime> times) {
    const auto counts = judged(times);
    std::map<std::string, ErrorSummary> summaries;
    for (const CheckedTime& time : times)
        if (counts(time) && !grouping.key(time).empty())
            summaries.try_emplace(grouping.key(time));
    for (auto& [key, summary] : summaries)
        summary = summarise(times, [&, &wanted = key](const CheckedTime& time) {
            return counts(time) && grouping.key(time) == wanted;
        });
    return summaries;
}

ordered_json summaryJson(const ErrorSummary& summary) {
    return {{"rows", summary.rows},
            {"predicted", summary.foreseen},
            {"median_error", summary.median},
            {"error_90", summary.ninetieth},
            {"covered", summary.covered}};
}

std::string percentText(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

std::string summaryLine(std::string_view name, const ErrorSummary& summary) {
    return fmt::format("{:<22}{:>4} of {:<4} median {:>5}   90 % within {:>5}   in the range {:>5}\n", name,
                       summary.foreseen, summary.rows, percentText(summary.median),
                       percentText(summary.ninetieth), percentText(summary.covered));
}

}  // namespace

Foresight readForesight(const Hardware& own) {
    Foresight foresight{.profiles = hardwareProfiles(), .efficiencies = {}, .doubted = {}};
    std::vector<TimedCase> times;
    std::vector<PublishedTime> rows;
    const auto add = [&](const PublishedTime& row, const std::vector<Hardware>& profiles, double weight) {
        ComparableTime found = comparable(row, profiles);
        if (!found.time)
            return;
        found.time->weight = weight;
        times.push_back(*std::move(found.time));
        rows.push_back(row);
    };
    for (const PublishedTime& row : readPublishedTimes(publishedTimesFile()))
        if (fitted(row))
            add(row, foresight.profiles, 1);
    if (own && !own->measured.empty()) {
        constexpr double ownWeight = 4;  // the very machine: half of the spread of published times
        for (PublishedTime row : readPublishedTimes(own->measured)) {
            row.hardware = own->publishedAs.front();
            add(row, {own}, ownWeight);
        }
    }
    foresight.efficiencies = Efficiencies::fit(times);
    constexpr double doubtful = 0.25;
    for (std::size_t index = 0; index < times.size(); ++index)
        if (foresight.efficiencies.credence()[index] < doubtful)
            foresight.doubted.push_back(
                {.row = rows[index],
                 .fitted =
                     countedSeconds(foresight.efficiencies.foresee(times[index].of), times[index].metric)});
    return foresight;
}

namespace {

/// A time that the model is fitted to, and who published it.
struct SourcedTime {
    std::string source;
    TimedCase time;
};

std::vector<SourcedTime> fittedTimes(const std::vector<Hardware>& profiles) {
    std::vector<SourcedTime> times;
    for (const PublishedTime& row : readPublishedTimes(publishedTimesFile()))
        if (fitted(row))
            if (ComparableTime found = comparable(row, profiles); found.time)
                times.push_back({.source = row.source, .time = *std::move(found.time)});
    return times;
}

}  // namespace

std::vector<CheckedTime> checkTimesWithoutSource(const std::vector<PublishedTime>& rows) {
    const std::vector<Hardware> profiles = hardwareProfiles();
    const std::vector<SourcedTime> known = fittedTimes(profiles);
    std::map<std::string, Foresight> bySource;
    std::vector<CheckedTime> times;
    for (const PublishedTime& row : rows) {
        const auto [fit, isNew] = bySource.try_emplace(row.source);
        if (isNew) {
            std::vector<TimedCase> others;
            for (const SourcedTime& time : known)
                if (time.source != row.source)
                    others.push_back(time.time);
            fit->second = {.profiles = profiles, .efficiencies = Efficiencies::fit(others), .doubted = {}};
        }
        times.push_back(checkTimes({row}, fit->second).front());
        times.back().sourceLeftOut = row.use != "no";
    }
    return times;
}

std::vector<CheckedTime> checkTimes(const std::vector<PublishedTime>& rows, const Foresight& foresight) {
    std::vector<CheckedTime> times;
    for (const PublishedTime& row : rows) {
        CheckedTime checked{.row = row, .foreseen = {}, .whyNot = {}};
        if (const ComparableTime found = comparable(row, foresight.profiles); found.time) {
            checked.foreseen = foresight.efficiencies.foresee(found.time->of, found.time->metric);
            checked.hardware = found.time->of.hardware->id;
            checked.program = found.time->of.program->name;
        } else {
            checked.whyNot = found.whyNot;
        }
        times.push_back(std::move(checked));
    }
    return times;
}

ordered_json checkJson(std::span<const CheckedTime> times, const Foresight& foresight) {
    ordered_json rows = ordered_json::array();
    for (const CheckedTime& time : times) {
        const auto number = [&](double ForeseenTime::*field) {
            return time.foreseen ? ordered_json((*time.foreseen).*field) : ordered_json(nullptr);
        };
        rows.push_back({{"id", time.row.id},
                        {"predicted", number(&ForeseenTime::seconds)},
                        {"measured", time.row.seconds},
                        {"low", number(&ForeseenTime::low)},
                        {"high", number(&ForeseenTime::high)},
                        {"covered", time.covered()},
                        {"why_not", time.foreseen ? ordered_json(nullptr) : ordered_json(time.whyNot.text())},
                        {"error", time.foreseen ? ordered_json(time.error()) : ordered_json(nullptr)},
                        {"hardware", time.hardware},
                        {"program", time.program},
                        {"metric", time.row.metric},
                        {"use", time.row.use}});
    }
    ordered_json summary = summaryJson(summarise(times, judged(times)));
    for (const Grouping& grouping : groupingsOf(times)) {
        ordered_json group = ordered_json::object();
        for (const auto& [key, errors] : summariesBy(grouping, times))
            group[key] = summaryJson(errors);
        summary[std::string("by_") + std::string(grouping.name)] = group;
    }
    ordered_json doubted = ordered_json::array();
    for (const DoubtedTime& time : foresight.doubted)
        doubted.push_back({{"id", time.row.id}, {"published", time.row.seconds}, {"fitted", time.fitted}});
    summary["doubted"] = doubted;
    return {{"rows", rows}, {"summary", summary}};
}

std::string describeCheck(std::span<const CheckedTime> times, const Foresight& foresight) {
    std::string text = fmt::format("{:<6}{:<14}{:<17}{:<14}{:>11}{:>11}{:>8}  range\n", "id", "hardware",
                                   "program", "metric", "measured", "foreseen", "error");
    for (const CheckedTime& time : times)
        text +=
            time.foreseen
                ? fmt::format("{:<6}{:<14}{:<17}{:<14.13}{:>11.4g}{:>11.4g}{:>+7.0f}%  {:.4g} to {:.4g}{}\n",
                              time.row.id, time.hardware, time.program, time.row.metric, time.row.seconds,
                              time.foreseen->seconds, 100 * time.error(), time.foreseen->low,
                              time.foreseen->high, time.covered() ? "" : ": outside")
                : fmt::format("{:<6}{}\n", time.row.id, time.whyNot);
    text += "\n" + summaryLine("all", summarise(times, judged(times)));
    for (const Grouping& grouping : groupingsOf(times)) {
        text += fmt::format("\nby {}\n", grouping.name);
        for (const auto& [key, summary] : summariesBy(grouping, times))
            text += summaryLine("  " + key, summary);
    }
    if (!foresight.doubted.empty())
        text += "\nTimes that counted little in the fit, because others contradict them:\n";
    for (const DoubtedTime& time : foresight.doubted)
        text += fmt::format("  row {}: {:.4g} s; others make {:.4g} s likely. {}\n", time.row.id,
                            time.row.seconds, time.fitted, time.row.notes);
    return text;
}

std::string checkMarkdown(std::span<const CheckedTime> times, const Foresight& foresight) {
    std::string text =
        "| rows | foreseen | median error | 90 % within | in the range |\n|---|---|---|---|---|\n";
    const auto line = [](const std::string& name, const ErrorSummary& summary) {
        return fmt::format("| {} | {} of {} | {} | {} | {} |\n", name, summary.foreseen, summary.rows,
                           percentText(summary.median), percentText(summary.ninetieth),
                           percentText(summary.covered));
    };
    text += line(leavesSourcesOut(times) ? "all, without their source" : "all held out",
                 summarise(times, judged(times)));
    for (const Grouping& grouping : groupingsOf(times))
        for (const auto& [key, summary] : summariesBy(grouping, times))
            text += line(fmt::format("{} `{}`", grouping.name, key), summary);
    text += "\n| contradicting row | published | others make likely | its notes |\n|---|---|---|---|\n";
    for (const DoubtedTime& time : foresight.doubted)
        text += fmt::format("| {} ({}, {}) | {:.4g} s | {:.4g} s | {} |\n", time.row.id, time.row.framework,
                            time.row.metric, time.row.seconds, time.fitted, time.row.notes);
    return text;
}

}  // namespace meshreel
