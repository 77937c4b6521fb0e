// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/sentence.h"
#include "engine/base/strings.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/weights_inspection.h"
#include "engine/finish/finish_plan.h"
#include "engine/media/video_reader.h"
#include "engine/models/finish/network_tensors.h"
#include "engine/models/finish/rife_layout.h"
#include "engine/models/finish/upscaler_layout.h"
#include "engine/planning/model_fit.h"
#include "engine/project/foreign_file.h"
#include "engine/project/project_file.h"
#include "engine/runs/rated_runs.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/quality_rows.h"
#include "engine/runs/records/run_analysis.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "engine/runs/run_sources.h"
#include "engine/runs/run_writer.h"
#include "engine/runs/video_measures.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

struct InspectOptions {
    bool json = false;     ///< for weights and models: one JSON object
    bool tensors = false;  ///< for weights: every tensor with its type and shape
};

bool hasExtension(const fs::path& path, std::string_view extension) {
    return path.extension() == extension;
}

bool isProjectFile(const fs::path& path) {
    return hasExtension(path, ".yaml") || hasExtension(path, ".yml");
}

void inspectProject(const fs::path& path, const InspectOptions& /*options*/) {
    const LoadedProject loaded = loadProject(path);
    sayWarnings(loaded.problems);
    say("{}", resolvedYaml(loaded.project));
}

bool isRunFolder(const fs::path& path) {
    return RunFolder::isRun(path);
}

/// What the run recorded of the one that it was compared with.
void printComparison(const RunFolder& folder) {
    if (!folder.has(run_file::timings))
        return;
    const nlohmann::json timings = folder.object(run_file::timings);
    const auto found = timings.find("comparison");
    if (found != timings.end())
        say("  {}\n", formatComparison(readComparison(*found)));
}

void inspectRun(const fs::path& path, const InspectOptions& /*options*/) {
    const RunFolder folder = RunFolder::open(path);
    const RunState state = folder.state();
    say("run folder: {}\nstatus: {}{}{}\nstarted: {}\n", withTilde(folder.path()), nameOf(state.status),
        state.why.empty() ? "" : ", ", state.why, state.started);
    if (!state.finished.empty())
        say("finished: {}\n", state.finished);
    if (state.resumes > 0)
        say("resumed: {} times{}\n", state.resumes, state.differentMachine ? ", on a different machine" : "");
    const std::vector<StepRecord> steps = folder.steps();
    say("steps: {} of {}\n", steps.size(),
        state.steps > 0 ? state.steps : folder.project().numInferenceSteps);
    if (const auto video = folder.video())
        say("video: {}\n", withTilde(*video));
    if (const auto timings = folder.timings())
        say("{}", formatTimingSummary(*timings));
    say("{}{}", formatStepSeconds(steps),
        formatSavings(computeSavings(steps, state.resumedFrom), steps.size()));
    printComparison(folder);
    say("\n{}", resolvedYaml(folder.project()));
}

bool isModelFolder(const fs::path& path) {
    return fs::is_regular_file(path / modelIndexName);
}

void printModelJson(const ModelInfo& info, const std::vector<InspectedPart>& parts) {
    nlohmann::json described = {{"name", info.name},
                                {"folder", info.folder.string()},
                                {"pipeline", info.pipelineClass},
                                {"bytes", info.bytes},
                                {"parts", nlohmann::json::object()}};
    for (const InspectedPart& part : parts) {
        nlohmann::json& row = described["parts"][std::string(part.name)];
        row = {{"found", part.found}, {"needed", part.needed}};
        if (part.found)
            if (const auto weights = inspectPart(info.folder / part.name))
                row["weights"] = inspectionJson(*weights);
    }
    say("{}\n", described.dump(2));
}

void inspectModel(const fs::path& path, const InspectOptions& options) {
    const ModelInfo info = describeModel(path);
    const std::vector<InspectedPart> parts = inspectParts(path);
    if (options.json) {
        printModelJson(info, parts);
        return;
    }
    say("model: {}\nfolder: {}\npipeline: {}\nweights: {}\n", info.name, withTilde(info.folder),
        info.pipelineClass, formatBytes(info.bytes));
    for (const InspectedPart& part : parts)
        if (part.found || part.needed)
            say("part {}: {}\n", part.name, part.found ? "found" : "missing");
    for (const InspectedPart& part : parts)
        if (part.found)
            if (const auto weights = inspectPart(path / part.name))
                say("\n{}", formatInspection(*weights));
    if (!info.card.empty())
        say("\n{}\n", info.card);
}

bool isCheckpoint(const fs::path& path) {
    if (fs::is_regular_file(path))
        return hasTensorFileName(path) || path.filename().string().ends_with(".safetensors.index.json");
    return fs::is_directory(path) &&
           std::ranges::any_of(fs::directory_iterator(path), [](const fs::directory_entry& entry) {
               return hasTensorFileName(entry.path());
           });
}

void inspectCheckpoint(const fs::path& path, const InspectOptions& options) {
    const WeightsInspection inspection = inspectWeights(path);
    const std::optional<ModelFit> fit = fitOfWeights(inspection);
    const DiskRate rate = fit ? modelDiskRate(path) : DiskRate();
    if (options.json) {
        nlohmann::json json = inspectionJson(inspection);
        if (fit)
            json.update(fitJson(*fit, rate));
        say("{}\n", json.dump(2));
        return;
    }
    say("{}", formatInspection(inspection));
    if (fit)
        say("{:<14} {} (planned for {}, in bfloat16)\n", "this machine", fitSentence(*fit, rate),
            videoText(fit->project));
    if (!options.tensors)
        return;
    const Checkpoint checkpoint = Checkpoint::open(path);
    for (const std::string& name : checkpoint.names())
        say("{} {} {}\n", name, checkpoint.storedTypeName(name), checkpoint.shape(name).text());
}

bool isAnything(const fs::path&) {
    return true;
}

/// Networks for finished videos are no part of a model.
bool isFinishNetwork(const fs::path& path) {
    if (!fs::is_regular_file(path) || !(hasTensorFileName(path) || hasExtension(path, ".pkl")))
        return false;
    try {
        return looksLikeRife(openRife(path)) || looksLikeUpscaler(openUpscaler(path));
    } catch (const Error&) {
        return false;  // another inspector says what is wrong with it
    }
}

void inspectFinishNetwork(const fs::path& path, const InspectOptions& options) {
    const NetworkTensors rife = openRife(path);
    nlohmann::ordered_json json;
    json["path"] = path.string();
    if (looksLikeRife(rife)) {
        const RifeLayout layout = rifeLayout(rife);
        json["network"] = "RIFE";
        json["versions"] = std::string(layout.form->versions);
        json["widths"] = layout.widths;
        json["grid"] = layout.form->grid();
    } else {
        const UpscalerLayout layout = upscalerLayout(openUpscaler(path));
        json["network"] = layout.title();
        json["scale"] = layout.scale;
        json["width"] = layout.width;
        json["blocks"] = layout.blocks;
    }
    if (options.json)
        return say("{}\n", json.dump(2));
    say("weights: {}\n", withTilde(path));
    for (const auto& [key, value] : json.items())
        if (key != "path")
            say("{}: {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
    say("used by: meshreel finish {}\n", looksLikeRife(rife) ? "--interpolator" : "--upscaler");
}

void inspectMedia(const fs::path& path, const InspectOptions& /*options*/) {
    const VideoInfo info = probeVideo(path);
    const ShownFrames shown = countShownFrames(path);
    say("video: {}\ncodec: {}, {}\nsize: {} x {} pixels, {} frames", withTilde(path), info.codec,
        info.pixelFormat, info.width, info.height, shown.count);
    if (info.fps > 0)
        say(", {:g} frames a second{}", info.fps, info.variableRate ? " on average (variable)" : "");
    if (shown.damage)
        say("\ndamaged: {}. {}", shown.damage->message(), shown.damage->hint());
    say("\ncolour: matrix {}, primaries {}, transfer {}, range {}\n", info.colour.matrix,
        info.colour.primaries, info.colour.transfer, info.colour.range);
    if (const std::string_view matrix = assumedMatrix(info); !matrix.empty())
        say("no matrix is tagged: {} is taken, by the height\n", matrix);
    if (const std::string_view range = highDynamicRange(info); !range.empty())
        say("dynamic range: high ({}), tone-mapped to BT.709 when read\n", range);
    if (const auto made = info.metadata.find(std::string(finishMetadataKey)); made != info.metadata.end())
        say("finished by: {}\n", made->second);
    std::string project;
    try {
        project = readProjectFromMedia(path);
    } catch (const Error&) {
        const Sentence foreign = foreignSettingsIn(path);
        say("project: none inside or beside it{}\n",
            foreign.empty() ? "" : "; it holds " + foreign.text() + ", which Meshreel does not read");
        return;
    }
    say("project:\n{}", project);
}

/// The first row that knows the path prints it.
struct Inspector {
    bool (*knows)(const fs::path&);
    void (*print)(const fs::path&, const InspectOptions&);
    bool hasJson = false;
};

constexpr std::array inspectors{
    Inspector{isRunFolder, inspectRun},
    Inspector{isModelFolder, inspectModel, true},
    Inspector{isFinishNetwork, inspectFinishNetwork, true},
    Inspector{isCheckpoint, inspectCheckpoint, true},
    Inspector{isProjectFile, inspectProject},
    Inspector{isAnything, inspectMedia},
};

/// Prints to stdout what `path` holds, whatever it is. Throws Error{Input} when it is nothing that is known,
/// Error{Project} for --json of what has none.
void inspect(const fs::path& path, const InspectOptions& options) {
    if (!fs::exists(path))
        throw Error(ErrorKind::Input, "there is no such file or folder", path.string(), "Check the path");
    for (const Inspector& inspector : inspectors)
        if (inspector.knows(path)) {
            if (options.json && !inspector.hasJson)
                throw Error(ErrorKind::Project, "only weights and models are described as JSON", "--json",
                            "Leave the option out");
            inspector.print(path, options);
            return;
        }
}

}  // namespace

Action declareInspect(CLI::App& app) {
    const auto what = std::make_shared<std::string>();
    const auto options = std::make_shared<InspectOptions>();
    takeRunNames(app.add_option("PATH", *what,
                                "A video, run, project, model folder or file of weights (safetensors, GGUF, "
                                ".pth); last is a run"))
        ->required();
    app.add_flag("--json", options->json, "What weights and models are, as one JSON object");
    app.add_flag("--tensors", options->tensors, "Every tensor of the weights with its type and shape");
    return [what, options] {
        inspect(expandTilde(*what), *options);
        return 0;
    };
}

namespace {

struct CompareArguments {
    std::vector<std::string> runs;
    bool csv = false;
    bool json = false;
    bool markdown = false;
    bool best = false;
    bool summaries = false;
    bool measures = false;
};

using TableWriter = std::string (*)(const DataTable& table);

TableWriter findWriter(const CompareArguments& arguments) {
    return arguments.csv ? toCsv : arguments.json ? makeJson : arguments.markdown ? toMarkdown : alignedText;
}

std::optional<RunSources> recordedSources(const std::string& run) {
    const fs::path folder = expandTilde(run);
    if (!isRunFolder(folder))
        return std::nullopt;
    const RunFolder opened = RunFolder::open(folder);
    return opened.has(run_file::sources) ? std::optional(readSources(opened)) : std::nullopt;
}

/// What further runs are made of otherwise than the first, as far as both recorded it.
void printSourceDifferences(const std::vector<std::string>& runs) {
    const std::optional<RunSources> first = recordedSources(runs.front());
    for (std::size_t run = 1; first && run < runs.size(); ++run) {
        const std::optional<RunSources> other = recordedSources(runs[run]);
        if (!other)
            continue;
        const SourceDifferences differences = sourceDifferences(*first, *other);
        for (const std::vector<Sentence>& list : {differences.settings, differences.files})
            for (const Sentence& difference : list)
                say("{}: {}\n", runs[run], difference);
    }
}

/// What votes say; the runs stay as they are where these cannot be read.
void tryRating(std::vector<RunRecord>& runs, std::vector<Error>& unread) {
    try {
        addRatings(runs);
    } catch (const Error& refused) {
        unread.push_back(refused);
    }
}

/// Of the videos of the runs in folders, against that of the first one.
std::vector<std::optional<VideoMeasures>> measureRuns(const std::vector<RunRecord>& runs,
                                                      std::vector<Error>& unread) {
    const Interrupt interrupt;
    std::vector<std::size_t> places;
    std::vector<JudgedRun> judged;
    for (std::size_t run = 0; run < runs.size(); ++run)
        if (!runs[run].folder.empty()) {
            judged.push_back(readJudgedRun(runs[run].folder));
            places.push_back(run);
        }
    const RatedRuns rated(std::move(judged));
    std::vector<std::optional<VideoMeasures>> measured(runs.size());
    for (std::size_t run = 0; run < places.size(); ++run)
        try {
            const std::optional<std::size_t> reference = referenceOf(rated, run, 0);
            measured[places[run]] = measureVideo(
                rated.runs()[run].folder,
                reference ? std::optional(rated.runs()[*reference].folder) : std::nullopt, interrupt.token());
        } catch (const Error& refused) {
            if (refused.kind() == ErrorKind::Cancelled)
                throw;
            unread.push_back(refused);
        }
    return measured;
}

DataTable measureTableOf(const std::vector<RunRecord>& runs,
                         std::span<const std::optional<VideoMeasures>> measured) {
    DataTable table{.columns = {"run"}, .rows = {}};
    for (const RunRecord& run : runs)
        table.rows.push_back({run.name});
    addMeasureColumns(table, measured);
    return table;
}

/// Behind the timings: a table for people, as votes are of settings; programs get one row a run.
void printRanking(const std::vector<QualityRow>& rows) {
    say("\nVotes, by setting:\n{}", alignedText(qualityTable(rows)));
    if (const Sentence groups = groupsSentence(rows); !groups.empty())
        say("{}\n", groups);
}

int compare(const CompareArguments& arguments) {
    constexpr RunParts compared{.steps = true, .trace = false, .deviceTimes = false, .memory = false};
    std::vector<Error> unread;
    std::vector<RunRecord> runs = readEach(
        arguments.runs, [&](const std::string& run) { return readRunRecords(expandTilde(run), compared); },
        unread);
    const bool best = arguments.best || arguments.markdown;
    const bool forPrograms = arguments.csv || arguments.json;
    std::vector<QualityRow> rows;
    if (!best) {
        tryRating(runs, unread);
        rows = qualityRows(runs);
    }
    std::vector<std::optional<VideoMeasures>> measured;
    if (arguments.measures)
        measured = measureRuns(runs, unread);
    DataTable table = best ? bestConfigs(runs) : comparisonTable(runs);
    if (forPrograms && haveVotes(rows))
        addRatingColumns(table, runs);
    if (forPrograms && arguments.measures)
        addMeasureColumns(table, measured);
    say("{}", findWriter(arguments)(table));
    if (const std::string summaries = runSummaries(runs); arguments.summaries && !summaries.empty())
        say("\n{}", summaries);
    if (!best && !forPrograms) {
        printSourceDifferences(arguments.runs);
        if (haveVotes(rows))
            printRanking(rows);
        if (arguments.measures)
            say("\nMeasures of the videos:\n{}", alignedText(measureTableOf(runs, measured)));
    }
    return sayWhatIsLeftOut(unread);
}

/// What each measure says, for the help.
std::string measuresHelp() {
    std::string help = "Also measure the videos, against that of the first run:";
    for (const MeasureRow& row : measureRows())
        help += fmt::format("\n  {}: {}", row.column, row.help);
    return help;
}

}  // namespace

Action declareCompare(CLI::App& app) {
    const auto arguments = std::make_shared<CompareArguments>();
    takeRunNames(app.add_option("RUN", arguments->runs,
                                "Runs by name, last or last~1, or by folder; text files with pasted timing "
                                "summaries; speeds are relative to the first"))
        ->required()
        ->type_name("RUN");
    auto* csv = app.add_flag("--csv", arguments->csv, "Print comma-separated values");
    auto* json = app.add_flag("--json", arguments->json, "Print a JSON array")->excludes(csv);
    app.add_flag("--best", arguments->best,
                 "Only the fastest run of each attention mode and number of devices, with its mesh and block "
                 "sizes");
    app.add_flag("--markdown", arguments->markdown, "Print those as a Markdown table")
        ->excludes(csv)
        ->excludes(json);
    app.add_flag("--summaries", arguments->summaries, "Print the timing summary of every run too")
        ->excludes(csv)
        ->excludes(json);
    auto* measures = app.add_flag("--measures", arguments->measures, measuresHelp());
    for (const char* option : {"--best", "--markdown"})
        measures->excludes(option);
    return [arguments] { return compare(*arguments); };
}

}  // namespace meshreel
