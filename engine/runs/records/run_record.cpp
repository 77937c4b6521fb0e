// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/base/csv.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/units.h"
#include "engine/runs/records/run_verdict.h"
#include "engine/timing/verdict.h"

namespace meshreel {

std::vector<bool> coldSteps(std::span<const StepRecord> steps, std::span<const int> resumedFrom) {
    std::vector<bool> cold;
    cold.reserve(steps.size());
    for (std::size_t index = 0; index < steps.size(); ++index) {
        const auto begins = [&](int from) {
            return steps[index - 1].step < from && from <= steps[index].step;
        };
        cold.push_back(index == 0 || steps[index].expert != steps[index - 1].expert ||
                       std::ranges::any_of(resumedFrom, begins));
    }
    return cold;
}

std::vector<double> stepTimes(std::span<const StepRecord> steps, std::span<const int> resumedFrom) {
    const std::vector<bool> cold = coldSteps(steps, resumedFrom);
    const bool onlyCold = std::ranges::find(cold, false) == cold.end();
    std::vector<double> seconds;
    bool full = true;
    for (std::size_t index = 0; index < steps.size(); ++index)
        if (onlyCold || !cold[index]) {
            seconds.push_back(steps[index].seconds);
            full = full && steps[index].work == StepWork::Everything;
        }
    if (full || seconds.empty())
        return seconds;
    return {std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size())};
}

std::optional<double> warmStepSeconds(std::span<const StepRecord> steps, std::span<const int> resumedFrom) {
    std::vector<double> seconds = stepTimes(steps, resumedFrom);
    return seconds.empty() ? std::nullopt : std::optional(computeMedian(std::move(seconds)));
}

namespace {

struct FullSteps {
    double seconds = 0;
    int count = 0;
    int warm = 0;  ///< number of them

    [[nodiscard]] double mean() const { return count > 0 ? seconds / count : 0; }
};

/// The full steps of each expert. Steps that met cold caches count only where there is no other.
std::map<int, FullSteps> fullSteps(std::span<const StepRecord> records, std::span<const int> resumedFrom) {
    std::map<int, FullSteps> full;
    const std::vector<bool> cold = coldSteps(records, resumedFrom);
    for (const bool taken : {false, true})
        for (std::size_t index = 0; index < records.size(); ++index) {
            const StepRecord& record = records[index];
            FullSteps& steps = full[record.expert];
            if (record.work != StepWork::Everything || cold[index] != taken || (taken && steps.warm > 0))
                continue;
            steps.seconds += record.seconds;
            ++steps.count;
            steps.warm += taken ? 0 : 1;
        }
    return full;
}

}  // namespace

StepSavings computeSavings(std::span<const StepRecord> records, std::span<const int> resumedFrom) {
    StepSavings savings;
    const std::map<int, FullSteps> full = fullSteps(records, resumedFrom);
    for (const StepRecord& record : records) {
        if (record.work == StepWork::Everything)
            continue;
        savings.shortened.push_back(record.step);
        if (const auto reference = full.find(record.expert); reference != full.end())
            savings.seconds += std::max(0.0, reference->second.mean() - record.seconds);
    }
    return savings;
}

std::string formatSavings(const StepSavings& savings, std::size_t steps) {
    if (savings.shortened.empty())
        return {};
    return fmt::format("  Steps shortened: {} of {}, about {:.1f} s saved\n", savings.shortened.size(), steps,
                       savings.seconds);
}

std::string formatRunNotes(const TimingSummary& timings, std::span<const int> resumedFrom) {
    std::string text;
    if (timings.videoWriting > 0)
        text += fmt::format("  Video written in {:.3f} s\n", timings.videoWriting);
    if (timings.finishing > 0)
        text += fmt::format("  Finished video made in {:.3f} s\n", timings.finishing);
    if (const auto& fixedM = timings.fixedM)
        text +=
            fmt::format("  Fixed m: {} of {} heads on the bound, {} beyond its limit, {} with lost weights\n",
                        fixedM->boundedHeads, fixedM->boundedHeads + fixedM->fallbackHeads(),
                        fixedM->boundTooLargeHeads, fixedM->weightsLostHeads);
    if (const auto& sparse = timings.sparse) {
        text += fmt::format("  Sparse attention: {:.1f} % of blocks kept", 100 * sparse->keptShare());
        if (sparse->hops + sparse->skippedHops > 0)
            text += fmt::format(", {} of {} hops left out", sparse->skippedHops,
                                sparse->hops + sparse->skippedHops);
        if (const std::optional<double> error = sparse->error())
            text += fmt::format(", error {:.4f}", *error);
        text += "\n";
    }
    if (resumedFrom.empty())
        return text;
    if (timings.parts.size() == resumedFrom.size() + 1)
        text += fmt::format("  Resumed after step {}: stages are sums over {} parts\n", resumedFrom.back(),
                            timings.parts.size());
    else if (resumedFrom.back() > 0)
        text += fmt::format(
            "  Resumed after step {}: denoising is that of all steps, other stages are those of the last "
            "{} of {} parts\n",
            resumedFrom.back(), std::max<std::size_t>(timings.parts.size(), 1), resumedFrom.size() + 1);
    return text;
}

namespace {

constexpr std::array<std::string_view, 5> tileColumns{"bq", "bkv", "bkv_compute", "status", "mean_ms"};
enum TileColumn : std::size_t { BlockQ, BlockKv, BlockKvCompute, Status, MeanMilliseconds };

auto circumstances(const RunRecord& run) {
    return std::tie(run.attention, run.width, run.height, run.frames, run.devices, run.workersPerDevice,
                    run.ulysses, run.ring, run.settings.mesh);
}

void requireSameWork(const RunRecord& first, const RunRecord& run) {
    const std::array both{&first, &run};
    const std::string settings = differingWork(both).back();
    if (!settings.empty())
        throw Error(
            ErrorKind::Project,
            sentence("Block sizes can only be told apart where steps do the same work ({})", settings),
            run.name, sentence("Name runs that differ in block_q and block_kv only"));
}

void requireOneQuestion(const std::vector<RunRecord>& runs) {
    for (const RunRecord& run : runs) {
        if (!run.tiles.empty())
            throw Error(ErrorKind::Project, sentence("A chart of tiles shows one search, or runs"), run.name,
                        sentence("Name the search alone"));
        requireSameWork(runs.front(), run);
        if (circumstances(run) != circumstances(runs.front()))
            throw Error(
                ErrorKind::Project,
                sentence("Block sizes can only be told apart beside the same video, attention and mesh"),
                run.name, sentence("Name runs that differ in block_q and block_kv only"));
    }
}

}  // namespace

std::vector<TileTime> parseTileTable(std::string_view csv, const std::string& name) {
    CsvReader table(csv, name,
                    sentence("Give tile_size_grid_search.csv as meshreel tune PROJECT --out-dir writes it"));
    if (!table.beginsWith(tileColumns))
        table.fail(sentence("This is not a table of a tile search"));
    std::vector<TileTime> tiles;
    while (table.next())
        if (table.fields()[Status] == "ok")
            tiles.push_back({.blockQ = table.number<std::int64_t>(BlockQ),
                             .blockKv = table.number<std::int64_t>(BlockKv),
                             .seconds = table.number<double>(MeanMilliseconds) / millisecondsPerSecond});
    if (tiles.empty())
        throw Error(ErrorKind::Input, sentence("Nothing that this tile search tried ran"), name,
                    sentence("Its column detail says why"));
    return tiles;
}

std::vector<TileTime> tileTimes(const std::vector<RunRecord>& runs) {
    if (runs.size() == 1 && !runs.front().tiles.empty())
        return runs.front().tiles;
    std::vector<RunRecord> stepped;
    std::ranges::copy_if(runs, std::back_inserter(stepped), [](const RunRecord& run) {
        return !run.tiles.empty() || run.warmStepSeconds().has_value();
    });
    if (stepped.empty())
        throw Error(
            ErrorKind::Project, sentence("None of these runs finished a step"), {},
            sentence("Name runs that got as far as denoising, or the table of meshreel tune --out-dir"));
    requireOneQuestion(stepped);
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> seconds;
    for (const RunRecord* run : timedRuns(stepped))
        seconds[{run->blockQ, run->blockKv}].push_back(*run->warmStepSeconds());
    std::vector<TileTime> tiles;
    for (const auto& [blocks, times] : seconds) {
        double sum = 0;
        for (const double time : times)
            sum += time;
        tiles.push_back({blocks.first, blocks.second, sum / static_cast<double>(times.size())});
    }
    return tiles;
}

bool differInTilesOnly(const RunRecord& a, const RunRecord& b) {
    return a.tiles.empty() && b.tiles.empty() && haveSameWork(a, b) && circumstances(a) == circumstances(b);
}

namespace {

std::optional<double> ratio(std::optional<double> was, std::optional<double> is) {
    return was && is && *is > 0 ? std::optional(*was / *is) : std::nullopt;
}

std::optional<double> speedOfWhole(const RunRecord& reference, const RunRecord& run, SpeedOf of) {
    if (!reference.timings || !run.timings)
        return std::nullopt;
    const bool bothTraced = reference.timings->hasTrace && run.timings->hasTrace;
    const auto seconds =
        bothTraced && of == SpeedOf::Steps ? &TimingSummary::denoiseTotal : &TimingSummary::inference;
    return ratio((*reference.timings).*seconds, (*run.timings).*seconds);
}

std::vector<DataCell> settingCells(const RunRecord& run) {
    if (run.pasted)
        return std::vector<DataCell>(5);
    return {run.attention, std::int64_t{run.devices}, std::int64_t{run.workersPerDevice},
            fmt::format("{}x{}x{}", run.width, run.height, run.frames),
            static_cast<std::int64_t>(run.steps.size())};
}

std::vector<TitledTimings> summariesIn(std::string_view text, const std::string& name) {
    try {
        return parseTimingSummaries(text);
    } catch (const Error& failure) {
        throw Error(failure.kind(), failure.message(), fmt::format("{}: {}", name, failure.where()),
                    failure.hint());
    }
}

}  // namespace

std::vector<RunRecord> pastedRuns(std::string_view text, const std::string& name) {
    std::vector<RunRecord> runs;
    int untitled = 0;
    for (TitledTimings& found : summariesIn(text, name)) {
        RunRecord run;
        if (!found.title.empty())
            run.name = std::move(found.title);
        else
            run.name = ++untitled == 1 ? name : fmt::format("{} ({})", name, untitled);
        run.timings = found.timings;
        run.pasted = true;
        runs.push_back(std::move(run));
    }
    if (runs.empty())
        throw Error(
            ErrorKind::Input, sentence("There is no timing summary in it"), name,
            sentence("Give a run folder, or a text that holds a block with the title TIMING SUMMARY"));
    return runs;
}

std::optional<double> speedAgainst(const RunRecord& reference, const RunRecord& run, SpeedOf of) {
    if (reference.pasted != run.pasted)
        return std::nullopt;
    if (run.pasted)
        return speedOfWhole(reference, run, of);
    if (!haveSameTask(reference, run))
        return std::nullopt;
    return of == SpeedOf::Inference ? speedOfWhole(reference, run, of)
                                    : ratio(reference.warmStepSeconds(), run.warmStepSeconds());
}

DataTable comparisonTable(std::span<const RunRecord> runs, SpeedOf of) {
    DataTable table{
        .columns = {"run", "attention", "devices", "workers", "size", "steps", "load_s", "compile_s",
                    "inference_s", "denoise_s", "decode_s", "step_s", "spread", "verdict", "speed"},
        .rows = {}};
    for (const RunRecord& run : runs) {
        const auto stage = [&run](double TimingSummary::*seconds, bool traced) {
            return run.timings && (run.timings->hasTrace || !traced) ? DataCell((*run.timings).*seconds)
                                                                     : DataCell();
        };
        const TimesSummary steps = summarizeTimes(run.stepTimes());
        const std::optional<Verdict> verdict = verdictAgainst(runs, runs.front(), run, of);
        const std::optional<double> speed = speedAgainst(runs.front(), run, of);
        std::vector<DataCell> row{run.name};
        std::ranges::move(settingCells(run), std::back_inserter(row));
        row.insert(
            row.end(),
            {stage(&TimingSummary::load, false), stage(&TimingSummary::compile, false),
             stage(&TimingSummary::inference, false), stage(&TimingSummary::denoiseTotal, true),
             stage(&TimingSummary::vaeDecode, true), steps.count > 0 ? DataCell(steps.median) : DataCell(),
             steps.count > 1 ? DataCell(steps.spread()) : DataCell(),
             verdict ? DataCell(verdictSentence(*verdict).text()) : DataCell(),
             speed ? DataCell(*speed) : DataCell()});
        table.rows.push_back(std::move(row));
    }
    return table;
}

namespace {

bool hasWarmSteps(const RunRecord& run) {
    const std::vector<bool> cold = run.coldSteps();
    return std::ranges::find(cold, false) != cold.end();
}

void addDiffering(const SettingValues& first, const SettingValues& values, std::string& text) {
    for (const auto& [key, value] : values) {
        const auto usual = first.find(key);
        if (usual == first.end() || usual->second != value)
            text.append(text.empty() ? "" : ", ").append(key).append(" ").append(value);
    }
}

}  // namespace

bool haveSameTask(const RunRecord& a, const RunRecord& b) {
    const auto task = [](const RunRecord& run) {
        return std::tie(run.width, run.height, run.frames, run.settings.task);
    };
    return task(a) == task(b);
}

bool haveSameWork(const RunRecord& a, const RunRecord& b) {
    return haveSameTask(a, b) && a.settings.means == b.settings.means;
}

std::vector<const RunRecord*> timedRuns(std::span<const RunRecord> runs) {
    std::vector<const RunRecord*> timed;
    for (const RunRecord& run : runs) {
        const auto replaces = [&](const RunRecord& other) {
            return haveSameWork(other, run) && hasWarmSteps(other);
        };
        if (run.warmStepSeconds().value_or(0) > 0 &&
            (hasWarmSteps(run) || std::ranges::none_of(runs, replaces)))
            timed.push_back(&run);
    }
    return timed;
}

std::vector<std::string> differingWork(std::span<const RunRecord* const> runs) {
    std::vector<std::string> texts(runs.size());
    for (std::size_t index = 1; index < runs.size(); ++index)
        for (const auto part : {&RunSettings::task, &RunSettings::means})
            addDiffering(runs.front()->settings.*part, runs[index]->settings.*part, texts[index]);
    return texts;
}

std::string runSummaries(std::span<const RunRecord> runs) {
    std::string text;
    for (const RunRecord& run : runs)
        if (run.timings)
            text += formatTimingSummary(*run.timings, run.name);
    return text;
}

namespace {

constexpr std::string_view stampForm = "dddddddd-dddddd-";  ///< day and time, before the name of the run

/// What a run may be called, the shortest first.
using Spellings = std::array<std::string, 3>;

bool beginsWithStamp(std::string_view name) {
    return name.size() > stampForm.size() &&
           std::ranges::equal(name.substr(0, stampForm.size()), stampForm, [](char is, char form) {
               return form == 'd' ? is >= '0' && is <= '9' : is == form;
           });
}

Spellings listSpellings(const std::string& name) {
    if (!beginsWithStamp(name))
        return {name, name, name};
    const std::string_view stamp(name);
    const std::string called = name.substr(stampForm.size());
    const std::string timed =
        fmt::format("{}:{}:{}", stamp.substr(9, 2), stamp.substr(11, 2), stamp.substr(13, 2));
    return {called, fmt::format("{} {}", called, timed),
            fmt::format("{} {}-{}-{} {}", called, stamp.substr(0, 4), stamp.substr(4, 2), stamp.substr(6, 2),
                        timed)};
}

}  // namespace

std::vector<std::string> shortRunNames(std::span<const std::string> names) {
    std::vector<Spellings> spellings;
    std::ranges::transform(names, std::back_inserter(spellings), listSpellings);
    const auto isTaken = [&](const Spellings& own, std::size_t length) {
        return std::ranges::any_of(spellings, [&](const Spellings& other) {
            return other.back() != own.back() && other[length] == own[length];
        });
    };
    std::map<std::string, int> uses;
    std::vector<std::string> shortNames;
    for (const Spellings& spelling : spellings) {
        std::size_t length = 0;
        while (length + 1 < spelling.size() && isTaken(spelling, length))
            ++length;
        const int use = ++uses[spelling[length]];
        shortNames.push_back(use == 1 ? spelling[length] : fmt::format("{} ({})", spelling[length], use));
    }
    return shortNames;
}

namespace {

/// Lists what may distinguish runs of one name, the most distinctive first.
std::vector<std::string> listTraits(const RunRecord& run) {
    if (run.pasted || !run.tiles.empty())
        return {};
    return {run.attention,
            fmt::format("U{} R{}", run.ulysses, run.ring),
            fmt::format("{} devices", run.devices),
            fmt::format("blocks {}x{}", run.blockQ, run.blockKv),
            fmt::format("{}x{}x{}", run.width, run.height, run.frames),
            fmt::format("{} steps", run.steps.size())};
}

/// "ring-2d U2 R2": the name with the traits that differ within `group`. Empty when these do not distinguish
/// every run.
std::vector<std::string> telltaleNames(const std::string& called,
                                       const std::vector<const RunRecord*>& group) {
    std::vector<std::vector<std::string>> traits;
    for (const RunRecord* run : group)
        traits.push_back(listTraits(*run));
    std::vector<std::string> names(group.size(), called);
    for (std::size_t trait = 0; trait < traits.front().size(); ++trait) {
        const bool differs = std::ranges::any_of(
            traits, [&](const auto& of) { return of.size() <= trait || of[trait] != traits.front()[trait]; });
        for (std::size_t run = 0; differs && run < group.size(); ++run)
            if (traits[run].size() > trait)
                names[run].append(" ").append(traits[run][trait]);
    }
    for (const std::string& name : names)
        if (std::ranges::count(names, name) > 1)
            return {};
    return names;
}

}  // namespace

std::vector<RunRecord> withShortNames(std::vector<RunRecord> runs) {
    std::vector<std::string> names;
    std::ranges::transform(runs, std::back_inserter(names), &RunRecord::name);
    std::map<std::string, std::vector<std::size_t>> places;  // by the name without its time
    for (std::size_t index = 0; index < runs.size(); ++index)
        if (beginsWithStamp(names[index]))
            places[listSpellings(names[index]).front()].push_back(index);
    names = shortRunNames(names);
    for (const auto& [called, group] : places) {
        std::vector<const RunRecord*> alike;
        for (const std::size_t index : group)
            alike.push_back(&runs[index]);
        if (alike.size() < 2)
            continue;
        const std::vector<std::string> telltale = telltaleNames(called, alike);
        for (std::size_t run = 0; run < telltale.size(); ++run)
            names[group[run]] = telltale[run];
    }
    for (std::size_t index = 0; index < runs.size(); ++index)
        runs[index].name = names[index];
    return runs;
}

}  // namespace meshreel
