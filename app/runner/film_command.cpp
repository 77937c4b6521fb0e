// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/film/film.h"
#include "engine/film/film_plan.h"
#include "engine/film/storyboard.h"
#include "engine/launch/film_shots.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project_trust.h"
#include "engine/runs/run_session.h"
#include "engine/weights/cache/cache_folder.h"

namespace meshreel {
namespace {

struct FilmArguments {
    std::string storyboard;
    std::string out;
    ProjectOverrides overrides;
    RunOptions options;
    bool planOnly = false;
    bool jsonEvents = false;
    bool noCache = false;
};

/// What a storyboard from someone else would read outside its folder is asked for, as of a project.
AgreedInputs agreeToStoryboard(const Storyboard& storyboard, bool trust) {
    const std::filesystem::path folder = std::filesystem::absolute(storyboard.file).parent_path();
    for (const Shot& shot : storyboard.shots)
        requireAgreement(askTrust(shot.project, folder, ProjectSource::File), trust);
    return inputsAsTheyAre(storyboard);
}

int makeFilmOf(FilmArguments& arguments) {
    if (underMpirun())
        throw Error(ErrorKind::Project, "a film is made by one process", "meshreel film",
                    "Leave out mpirun; with hosts in the storyboard every shot starts its ranks");
    if (!arguments.noCache)
        arguments.options.caches = userCaches();
    arguments.options.oversubscribe = arguments.overrides.oversubscribe;
    const Storyboard storyboard =
        readStoryboard(expandTilde(arguments.storyboard), arguments.overrides.all());
    sayWarnings(storyboard.problems);
    const AgreedInputs agreed = agreeToStoryboard(storyboard, arguments.overrides.trust);
    const std::filesystem::path folder =
        arguments.out.empty() ? filmFolder(storyboard)
                              : std::filesystem::absolute(expandTilde(arguments.out)).lexically_normal();
    const FilmPlan plan = planFilm(storyboard, folder,
                                   {.basis = readBasisHere(),
                                    .workers = arguments.options.workers,
                                    .oversubscribe = arguments.options.oversubscribe,
                                    .runsFolder = folder});
    say(arguments.jsonEvents ? stderr : stdout, "{}", filmPlanText(plan));
    std::fflush(stdout);
    if (arguments.planOnly)
        return 0;
    const auto style = arguments.jsonEvents ? ProgressStyle::JsonEvents : ProgressStyle::Automatic;
    return displayRun(style, [&](const EventSink& sink, const StopToken& stop) {
        const FilmResult film = makeFilm(plan, makeShotsByRuns(arguments.options, agreed, sink, stop), sink);
        return RunOutcome{.folder = folder, .note = film.note, .video = film.video};
    });
}

}  // namespace

Action declareFilm(CLI::App& app) {
    const auto arguments = std::make_shared<FilmArguments>();
    app.add_option("STORYBOARD", arguments->storyboard, "A project's keys and a list of shots (YAML)")
        ->required()
        ->type_name("FILE");
    app.add_option("--out", arguments->out,
                   "The film's folder, in which every shot has a run folder; else film-NAME among the runs")
        ->type_name("DIR");
    app.add_flag("--plan", arguments->planOnly, "Only print the shots with what they take, and make nothing");
    addProjectOverrides(app, arguments->overrides);
    app.add_option("--workers", arguments->options.workers, "Threads of a device, in place of the project's")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_flag("--json-events", arguments->jsonEvents, "Print every event as one line of JSON");
    app.add_flag("--low-priority", arguments->options.lowPriority, "Compute below interactive programs");
    app.add_flag("--no-cache", arguments->noCache,
                 "Encode prompts and pack weights anew, and keep neither for other runs");
    return [arguments] { return makeFilmOf(*arguments); };
}

}  // namespace meshreel
