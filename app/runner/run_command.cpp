// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/listed_problem.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/base/sentence.h"
#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/launch/host_check.h"
#include "engine/launch/launched_run.h"
#include "engine/launch/mpirun_line.h"
#include "engine/launch/rank_launcher.h"
#include "engine/launch/rank_process.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/host_file.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_trust.h"
#include "engine/project/prompt_table.h"
#include "engine/runs/next_clip.h"
#include "engine/runs/rank_work.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_session.h"
#include "engine/weights/cache/cache_folder.h"

namespace meshreel {
namespace {

struct RunArguments {
    ProjectArguments project;
    std::string out;
    std::string resume;
    std::string next;   ///< the run that the clip goes on from
    std::string table;  ///< CSV, of runs
    RunOptions options;
    bool jsonEvents = false;
    std::string hosts;
    bool checkHosts = false;
    bool broadcastProgram = false;
    bool noCache = false;
};

void requireWork(const RunArguments& arguments) {
    if (arguments.resume.empty() && arguments.next.empty() && arguments.project.file.empty())
        throw Error(ErrorKind::Project, "no project was given", "meshreel run",
                    "Give a project file, a run to go on with (--resume), or one to make the next clip of "
                    "(--continue)");
    if (!arguments.resume.empty() && !arguments.project.overrides.preset.empty())
        throw Error(ErrorKind::Project, "a run that has begun keeps its preset", "--preset",
                    "Leave it out, or start a new run");
}

/// The project to make; with --continue the run's own, which the command line changes to the next clip.
ProjectArguments projectOf(const RunArguments& arguments) {
    ProjectArguments project = arguments.project;
    if (arguments.next.empty())
        return project;
    const RunFolder run = RunFolder::open(expandTilde(arguments.next));
    project.file = run.file(run_file::project).string();
    std::vector<std::string> set;
    for (const KeyChange& change : nextClipChanges(run))
        set.push_back(change.key + "=" + change.value);
    std::vector<std::string>& typed = project.overrides.set;
    typed.insert(typed.begin(), set.begin(), set.end());
    return project;
}

/// The hosts to launch ranks on; empty: this process does all by itself.
std::filesystem::path hostFileFor(const RunArguments& arguments, const std::string& ofProject) {
    return expandTilde(arguments.hosts.empty() ? ofProject : arguments.hosts);
}

/// The ranks that --hosts launches; nothing without it.
std::optional<int> ranksOfHosts(const RunArguments& arguments) {
    if (arguments.hosts.empty())
        return std::nullopt;
    return countSlots(readHosts(expandTilde(arguments.hosts),
                                HostLimits{.oversubscribe = arguments.options.oversubscribe}));
}

/// Examined for a run by these ranks, or by those of the hosts, here. Only the process that leads the run
/// reads its project.
RunRequest makeRequest(const RunArguments& arguments, const EventSink& sink, const RunOptions& options) {
    const std::filesystem::path out = expandTilde(arguments.out);
    const ProjectArguments project = projectOf(arguments);
    if (options.ranks != nullptr && startedByLauncher()) {
        LaunchedProject launched = loadLaunched(project);
        return {std::move(launched.project), out, options, std::move(launched.inputs)};
    }
    ForecastOptions examination{.basis = readBasisHere(),
                                .workers = options.workers,
                                .oversubscribe = options.oversubscribe,
                                .runsFolder = out.empty() ? runsFolder() : out};
    examination.ranks =
        options.ranks != nullptr ? std::optional(options.ranks->ranks()) : ranksOfHosts(arguments);
    ExaminedProject examined = loadExamined(
        project, examination, ModelNeed::Weights,
        [&](const std::vector<ListedProblem>& problems, bool) { sink(ProblemsFound{problems}); });
    return {std::move(examined.loaded.project), out, options, std::move(examined.inputs),
            ExaminedRun{std::move(examined.forecast.plan), std::move(examined.listed)}};
}

/// Someone else may have written what the run's project names; opening it for work asks (RunFolder).
void agreeForRun(const std::filesystem::path& folder, bool trust) {
    if (trust)
        trustFolder(RunFolder::open(folder).path());
}

/// The whole run, seen from the process that leads it.
RunOutcome lead(const RunArguments& arguments, MpiSession* ranks, const EventSink& sink,
                const StopToken& stop) {
    RunOptions options = arguments.options;
    options.ranks = ranks;
    if (!arguments.resume.empty()) {
        agreeForRun(expandTilde(arguments.resume), arguments.project.overrides.trust);
        return resumeRun(expandTilde(arguments.resume), options, sink, stop);
    }
    return runProject(makeRequest(arguments, sink, options), sink, stop);
}

/// One of several processes that mpirun started.
int takePart(const RunArguments& arguments, ProgressStyle style, MpiSession& ranks) {
    if (ranks.rank() == 0)
        return displayRankRun(style, ranks, [&](const EventSink& sink, const StopToken& stop) {
            return lead(arguments, &ranks, sink, stop);
        });
    return followQuietly(ranks, [&](const StopToken& stop) {
        RunOptions options = arguments.options;
        options.ranks = &ranks;
        followRun(options, stop);
    });
}

/// Asks the hosts before ranks are launched there, if that is wanted, and prints what they say.
void checkHosts(const RunArguments& arguments, const Project& project, const std::filesystem::path& file) {
    if (!arguments.checkHosts && !arguments.broadcastProgram)
        return;
    if (file.empty())
        throw Error(ErrorKind::Project, "there are no hosts to check", "--check-hosts",
                    "Name their file with --hosts");
    const std::vector<Host> hosts =
        readHosts(file, HostLimits{.oversubscribe = arguments.options.oversubscribe});
    const std::vector<HostAnswer> answers =
        askHosts(hosts, project, executableFolder() / "meshreel",
                 arguments.broadcastProgram ? ProgramCopies::WhereMissing : ProgramCopies::Never);
    say(arguments.jsonEvents ? stderr : stdout, "{}\n", alignedText(hostTable(answers)));
    std::fflush(stdout);
    requireAlike(answers, project);
}

RunOutcome resumeHereOrOnHosts(const RunArguments& arguments, const EventSink& sink, const StopToken& stop) {
    const std::filesystem::path folder = expandTilde(arguments.resume);
    agreeForRun(folder, arguments.project.overrides.trust);
    const Project project = RunFolder::openToWork(folder).project();
    const std::filesystem::path hosts = hostFileFor(arguments, project.hosts);
    checkHosts(arguments, project, hosts);
    return hosts.empty() ? resumeRun(folder, arguments.options, sink, stop)
                         : launchResumed(folder, arguments.options, hosts, sink, stop);
}

RunOutcome runHereOrOnHosts(const RunArguments& arguments, const EventSink& sink, const StopToken& stop) {
    const RunRequest request = makeRequest(arguments, sink, arguments.options);
    const std::filesystem::path hosts = hostFileFor(arguments, request.project.hosts);
    checkHosts(arguments, request.project, hosts);
    return hosts.empty() ? runProject(request, sink, stop) : launchProject(request, hosts, sink, stop);
}

/// The runs of a table: the command line's, with the row's values behind what was typed.
std::vector<RunArguments> runsOf(const PromptTable& table, const RunArguments& arguments) {
    std::vector<RunArguments> runs;
    for (std::size_t number = 1; number <= table.runs.size(); ++number) {
        RunArguments run = arguments;
        std::vector<std::string> set;
        for (const KeyChange& change : table.runs[number - 1].changes)
            set.push_back(change.key + "=" + change.value);
        std::vector<std::string>& typed = run.project.overrides.set;
        typed.insert(typed.begin(), set.begin(), set.end());
        if (!arguments.out.empty())
            run.out = (std::filesystem::path(arguments.out) / fmt::format("{:03}", number)).string();
        runs.push_back(std::move(run));
    }
    return runs;
}

/// Refuses a folder of a run that another run, or anything else, lies in.
void requireFreeFolder(const std::string& out) {
    std::error_code missing;
    const std::filesystem::path folder = expandTilde(out);
    if (!out.empty() && std::filesystem::exists(folder, missing) &&
        !std::filesystem::is_empty(folder, missing))
        throw Error(ErrorKind::Input, sentence("the folder for the run is not empty"), withTilde(folder),
                    sentence("Give --out another folder"));
}

/// Examines every run of a table before the first begins; prints what keeps any from running, and throws the
/// first refusal.
void examineTable(const PromptTable& table, const std::vector<RunArguments>& runs) {
    std::optional<ProjectRefused> first;
    for (const RunArguments& run : runs)
        requireFreeFolder(run.out);
    for (std::size_t index = 0; index < runs.size(); ++index) {
        const auto hear = [&](const std::vector<ListedProblem>& problems, bool isRefused) {
            if (!isRefused)
                return;  // its run tells the warnings
            say(stderr, "{}:{}:\n", table.file, table.runs[index].line);
            printProblems(problems);
        };
        const RunArguments& run = runs[index];
        try {
            static_cast<void>(
                loadExamined(run.project,
                             {.ranks = ranksOfHosts(run),
                              .workers = run.options.workers,
                              .oversubscribe = run.options.oversubscribe,
                              .runsFolder = run.out.empty() ? runsFolder() : expandTilde(run.out)},
                             ModelNeed::Weights, hear));
        } catch (const ProjectRefused& refused) {
            if (!first)
                first = refused;
        }
    }
    if (first)
        throw *first;
}

/// One after the other, also when one fails.
int runTable(const RunArguments& arguments, ProgressStyle style) {
    if (underMpirun())
        throw Error(ErrorKind::Project, "a table is run by one process", "--table",
                    "Leave out mpirun; with hosts in the project every run starts its ranks");
    const ProjectOverrides& overrides = arguments.project.overrides;
    const std::filesystem::path file = expandTilde(arguments.project.file);
    const LoadedProject base = readProject(readProjectText(file), withTilde(file), overrides.all());
    const PromptTable table = loadPromptTable(expandTilde(arguments.table), base.project);
    requireAgreement(askTrust(table), overrides.trust);
    const std::vector<RunArguments> runs = runsOf(table, arguments);
    examineTable(table, runs);
    std::size_t failed = 0;
    std::optional<ErrorKind> kind;
    for (std::size_t index = 0; index < runs.size(); ++index) {
        say(arguments.jsonEvents ? stderr : stdout, "Run {} of {} ({}:{})\n", index + 1, runs.size(),
            table.file, table.runs[index].line);
        std::fflush(stdout);
        try {
            displayRun(style, [&](const EventSink& sink, const StopToken& stop) {
                return runHereOrOnHosts(runs[index], sink, stop);
            });
        } catch (const Error& failure) {
            if (failure.kind() == ErrorKind::Cancelled)
                throw;
            say(stderr, "error: {}\n", failure.what());
            ++failed;
            kind = kind.value_or(failure.kind());
        } catch (const std::exception& failure) {
            say(stderr, "error: {}\n", failure.what());
            ++failed;
            kind = kind.value_or(ErrorKind::Internal);
        }
    }
    if (kind)
        throw Error(*kind, sentence("{} of {} runs failed", failed, runs.size()), table.file,
                    sentence("Each said why; run those again by a table of their rows"));
    return 0;
}

/// Says that several processes make the same video each, where they were meant as its ranks.
void tellLonely(const EventSink& sink) {
    if (const int tasks = lonelyTasks(); tasks > 0)
        sink(RunMessage{
            MessageLevel::Warning,
            sentence("This is one of {} processes that a launcher started, and each makes a video by "
                     "itself. For one video on all of them, start them with Open MPI's mpirun, or one "
                     "with --hosts",
                     tasks)});
}

int run(RunArguments& arguments) {
    requireWork(arguments);
    if (!arguments.resume.empty())
        arguments.options.videoChanges = arguments.project.overrides.set;
    if (!arguments.noCache)
        arguments.options.caches = userCaches();
    arguments.options.oversubscribe = arguments.project.overrides.oversubscribe;
    const auto style = arguments.jsonEvents ? ProgressStyle::JsonEvents : ProgressStyle::Automatic;
    if (!arguments.table.empty())
        return runTable(arguments, style);
    if (underMpirun()) {
        if (!arguments.hosts.empty())
            throw Error(ErrorKind::Project, "this is an MPI rank already", "--hosts",
                        "Leave out either mpirun or --hosts");
        const bool oversubscribe = arguments.options.oversubscribe;
        return runAsRank(oversubscribe ? RankLoad::Unlimited : RankLoad::Limited,
                         [&](MpiSession& ranks) { return takePart(arguments, style, ranks); });
    }
    return displayRun(style, [&](const EventSink& sink, const StopToken& stop) {
        tellLonely(sink);
        return arguments.resume.empty() ? runHereOrOnHosts(arguments, sink, stop)
                                        : resumeHereOrOnHosts(arguments, sink, stop);
    });
}

}  // namespace

Action declareRun(CLI::App& app) {
    const auto arguments = std::make_shared<RunArguments>();
    auto* project = addProjectArguments(app, arguments->project, ProjectRequired::No);
    auto* out =
        app.add_option("--out", arguments->out, "The run folder (new or empty); else one in the runs folder")
            ->type_name("DIR");
    takeRunNames(
        app.add_option("--resume", arguments->resume,
                       "Go on with this run (a name, last, or a folder) from its last finished step"))
        ->type_name("RUN")
        ->excludes(project)
        ->excludes(out)
        ->excludes(app.get_option("--devices"))
        ->excludes(app.get_option("--gpus"))
        ->excludes(app.get_option("--broadcast-weights"));
    takeRunNames(
        app.add_option("--continue", arguments->next,
                       "Make the next clip: the project of this run (a name, last, or a folder) with the "
                       "next seed, begun with its last frames; --set changes it"))
        ->type_name("RUN")
        ->excludes(project)
        ->excludes("--resume");
    app.add_option(
           "--table", arguments->table,
           "Run the project once for each row of this table (CSV), whose columns are keys; with --out "
           "into folders 001, 002 … of it")
        ->type_name("FILE")
        ->excludes("--resume")
        ->excludes("--continue");
    app.add_flag("--allow-different-machine", arguments->options.allowDifferentMachine,
                 "Resume a run of another machine or build, not bit-identically")
        ->needs("--resume");
    app.add_option("--workers", arguments->options.workers, "Threads of a device, in place of the project's")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_flag("--json-events", arguments->jsonEvents, "Print every event as one line of JSON");
    app.add_flag_callback(
           "--previews", [options = &arguments->options] { options->previews = Previews::Yes; },
           "With --json-events: small pictures after every step as well, and frames as they are decoded "
           "(RGB bytes in base64)")
        ->needs("--json-events");
    app.add_flag("--low-priority", arguments->options.lowPriority, "Compute below interactive programs");
    app.add_flag("--no-cache", arguments->noCache,
                 "Encode prompts and pack weights anew, and keep neither for other runs");
    app.add_option("--hosts", arguments->hosts,
                   "Launch MPI ranks on the hosts of this file (one a line: name [slots=N])")
        ->type_name("FILE");
    app.add_flag(
        "--check-hosts", arguments->checkHosts,
        "Before anything runs, print a table of the hosts (program, CPU, free memory, clock, model) and "
        "refuse those that differ from the first");
    app.add_flag("--broadcast-program", arguments->broadcastProgram,
                 "--check-hosts, and copy this program to the same path on hosts that have none there");
    return [arguments] { return run(*arguments); };
}

Action declareDecode(CLI::App& app) {
    struct Arguments {
        std::string run;
        RunOptions options;
        bool jsonEvents = false;
        bool trust = false;
    };
    const auto arguments = std::make_shared<Arguments>();
    takeRunNames(app.add_option("RUN", arguments->run, "A run (a name, last, or a folder) with latents"))
        ->required()
        ->type_name("DIR");
    app.add_option("--workers", arguments->options.workers, "Threads of a device, in place of the project's")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_option(
           "--set", arguments->options.videoChanges,
           "Write the video otherwise: video_format, fps, video_quality, audio or metadata; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_flag(oversubscribeOption, arguments->options.oversubscribe, oversubscribeHelp);
    addTrustFlag(app, arguments->trust);
    app.add_flag("--json-events", arguments->jsonEvents, "Print every event as one line of JSON");
    return [arguments] {
        return displayRun(arguments->jsonEvents ? ProgressStyle::JsonEvents : ProgressStyle::Automatic,
                          [&](const EventSink& sink, const StopToken& stop) {
                              agreeForRun(expandTilde(arguments->run), arguments->trust);
                              return decodeAgain(expandTilde(arguments->run), arguments->options, sink, stop);
                          });
    };
}

}  // namespace meshreel
