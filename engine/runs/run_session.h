// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/listed_problem.h"
#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/project/project_trust.h"
#include "engine/runs/run_folder.h"
#include "engine/timing/timing_summary.h"
#include "engine/weights/cache/cache_folder.h"

namespace meshreel {

class MpiSession;

/// How to work, whatever the work.
struct RunOptions {
    int devices = 0;  ///< of the mesh; 0: as the project says
    int workers = 0;  ///< per device; 0: as the project says
    /// The processes that the mesh is spread over; this one is rank 0. Null: all devices are of this process.
    MpiSession* ranks = nullptr;
    bool lowPriority =
        false;  ///< below interactive programs; the calling thread stays so: give the run its own
    std::optional<Caches> caches = {};           ///< absent: everything is made anew, and nothing is kept
    bool allowDifferentMachine = false;          ///< resume although bit-identity is not promised
    std::vector<std::string> videoChanges = {};  ///< for a resumed or decoded run: see withVideoChanges()
    bool oversubscribe = false;  ///< start more than a machine is asked to carry (cpu_placement.h)
    Previews previews = Previews::No;
};

/// A project that was examined just now (project_forecast.h), for a run with the same options on this
/// machine.
struct ExaminedRun {
    PlanPtr plan;
    std::vector<ListedProblem> warnings;  ///< that the user was shown; the run logs them
};

struct RunRequest {
    Project project;
    std::filesystem::path outFolder;  ///< empty: a new folder of runsFolder()
    RunOptions options;
    TrustedInputs inputs = {};  ///< asked of each input before it is copied
    /// Nothing: the run makes the plan, and sends what it finds (ProblemsFound).
    std::optional<ExaminedRun> examined = {};
};

/// Returns the request of a run that says what it makes: with a number for each open seed, and the words that
/// these draw for wildcards (wildcards.h); the examination is left out where it was of other words. As it is
/// where it names no wildcards. Throws ProjectError for wildcards that cannot be drawn.
RunRequest withDrawnWords(const RunRequest& request);

/// Returns the event of a plan.
Planned plannedEvent(const PlanPtr& plan);

/// Plans unless that was done, makes the run folder and generates into it; other ranks take part with
/// followRun(). If the run ends early, what was written remains, with cancelled or failed and the reason in
/// status.json; the error propagates: Project, Input, Resources (before any work), Cancelled, Internal. The
/// sink gets every event except the end (RunOutcome, RunFailed), which the caller makes from what is returned
/// or thrown; all on the calling thread.
RunOutcome runProject(const RunRequest& request, const EventSink& sink, const StopToken& stop);

/// Sends the warnings of its plan (ProblemsFound), and resumes a cancelled, failed, crashed or killed run
/// from its last finished step, bit-identically on the same build, ISA, mesh and workers. A finished run is
/// left as it is (nothingToDo). Throws Error{Input} when the run is being worked on, when the model's or
/// input files do not hold what they held at its start, or when the machine differs and
/// options.allowDifferentMachine is not set; Error{Project} when a setting that decides the result has
/// changed.
RunOutcome resumeRun(const std::filesystem::path& folder, const RunOptions& options, const EventSink& sink,
                     const StopToken& stop);

/// Decodes latents.safetensors again and rewrites the video and its preview.
RunOutcome decodeAgain(const std::filesystem::path& folder, const RunOptions& options, const EventSink& sink,
                       const StopToken& stop);

}  // namespace meshreel
