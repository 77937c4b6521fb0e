// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <variant>

#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/paths.h"
#include "engine/base/record.h"
#include "engine/base/worker_pool.h"
#include "engine/checks/fixes.h"
#include "engine/checks/project_check.h"
#include "engine/checks/prompt_lengths.h"
#include "engine/estimates/placement.h"
#include "engine/kernels/linear/linear_candidates.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/media/video_writer.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/models/families/model_family.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/plan_warnings.h"
#include "engine/planning/product_names.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_trust.h"
#include "engine/project/wildcards.h"
#include "engine/runs/rank_traces.h"
#include "engine/runs/rank_work.h"
#include "engine/runs/run_finishing.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_sources.h"
#include "engine/runs/run_writer.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"
#include "engine/timing/trace.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr const char* resumesKey = "resumes";

struct TimedPlan {
    PlanPtr plan;
    double seconds = 0;
    std::vector<SourceFile> files = {};  ///< of the model, if they were requested
};

TimedPlan planTimed(const Project& project, const RunOptions& options, const fs::path& destination) {
    const auto start = std::chrono::steady_clock::now();
    PlanOptions planning = toPlanOptions(options);
    planning.runsFolder = destination;
    PlanPtr plan = makePlan(project, planning);
    return {std::move(plan), secondsSince(start)};
}

/// The seconds include looking at the model's files.
void addModelFiles(TimedPlan& planned, const StopToken& stop) {
    const auto start = std::chrono::steady_clock::now();
    planned.files = modelSources(*planned.plan, stop);
    planned.seconds += secondsSince(start);
}

TimedPlan planOrDiscard(const RunRequest& request, RunFolder& folder, const StopToken& stop) {
    try {
        TimedPlan planned = request.examined ? TimedPlan{.plan = request.examined->plan}
                                             : planTimed(request.project, request.options, folder.path());
        if (auto problems = InputInspector().clipProblems(request.project, planned.plan->takenFrames(),
                                                          planned.plan->clipCount());
            !problems.empty())
            throw ProjectError(std::move(problems));
        addModelFiles(planned, stop);
        return planned;
    } catch (const Error&) {
        folder.discard();
        throw;
    }
}

/// The plan of the project as it is stored in the folder.
PlanPtr storeOrDiscard(RunFolder& folder, const RunPlan& plan, const TrustedInputs& trusted,
                       std::span<const SourceFile> modelFiles) {
    try {
        Project stored = storeInputs(folder, withDrawnSeeds(storedProject(plan)), trusted, modelFiles);
        return withStoredProject(plan, std::move(stored));
    } catch (const Error&) {
        folder.discard();
        throw;
    }
}

/// For readers of the trace.
std::string processName(const RunOptions& options) {
    return options.ranks == nullptr ? "meshreel" : rankTitle(*options.ranks);
}

RunOutline makeOutline(const RunPlan& plan) {
    return {.model = plan.project.model,
            .width = plan.project.width,
            .height = plan.project.height,
            .frames = plan.project.numFrames,
            .attention = std::string(plan.attention.mode->name),
            .mesh = plan.layout.shape(),
            .task = std::string(rowOf(plan.task).name)};
}

/// The last environment that the run was computed in: what a resume must match.
nlohmann::json& lastEnvironment(nlohmann::json& environment) {
    if (!environment.contains(resumesKey) || environment.at(resumesKey).empty())
        return environment;
    return environment.at(resumesKey).back().at("environment");
}

/// A phase that has not ended, and when it began.
struct RunningPhase {
    Phase phase;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

double& secondsOf(Phase phase, PartTimings& part) {
    switch (phase) {
        case Phase::Load:
            return part.load;
        case Phase::Compile:
            return part.compile;
        case Phase::Conditioning:
            return part.conditioning;
        case Phase::Denoise:
            return part.denoise;
        case Phase::Decode:
            return part.decode;
        case Phase::Format:
            break;
    }
    return part.videoWriting;
}

/// Sends the warnings of a run in display order, before all else, and returns them.
std::vector<ListedProblem> tellWarnings(const RunPlan& plan, std::vector<Problem> found,
                                        const EventSink& sink) {
    std::vector<ListedProblem> listed = withoutFixes(listProblems(plan.project, std::move(found)));
    if (!listed.empty())
        sink(ProblemsFound{listed});
    return listed;
}

/// What an examination would find beside the plan's own warnings, and `others`: of runs that nobody examined
/// (those of the Studio, of ranks, and resumed ones).
std::vector<Problem> warningsOf(const RunPlan& plan, std::vector<Problem> others = {}) {
    std::vector<Problem> found = plan.warnings;
    addUnknown(found, std::move(others));
    addUnknown(found, adapterFindings(plan).warnings);
    addUnknown(found, PromptLengths().warnings(plan.project, plan.modelFolder));
    return found;
}

/// One stretch of work on a locked run folder, from "running" to whatever it ends with.
class Session {
  public:
    /// `warnings` were shown to the user; the session logs them.
    Session(RunFolder folder, PlanPtr plan, RunState state, const RunOptions& options,
            std::vector<ListedProblem> warnings)
        : m_folder(std::move(folder)),
          m_kept(std::move(plan)),
          m_plan(*m_kept),
          m_state(std::move(state)),
          m_options(options),
          m_warnings(std::move(warnings)),
          m_traced(processName(options)) {}

    /// Marks the run as running, does `work`, marks how it ended. What `work` throws is thrown on.
    template <typename Work>
    RunOutcome run(const EventSink& sink, const StopToken& stop, const Work& work);

    /// Counts a phase to the running part of the run. status.json keeps what it has taken, because a kill
    /// ends a part without notice.
    void count(const RunEvent& happened);

    /// After the last work that ranks do together: takes the spans of the other ranks into the run's trace.
    void gatherSpans(DeviceMesh& mesh) {
        if (m_options.ranks != nullptr)
            m_otherTraces = gatherTraces(mesh, m_traced);
    }

    [[nodiscard]] const RunFolder& folder() const { return m_folder; }
    [[nodiscard]] const RunPlan& plan() const { return m_plan; }
    [[nodiscard]] const RunOptions& options() const { return m_options; }
    [[nodiscard]] const std::vector<PartTimings>& parts() const { return m_state.parts; }

  private:
    void conclude(RunStatus status, const Sentence& why);
    void concludeAfterFailure(RunStatus status, const Sentence& why) noexcept;
    void logMesh(const DeviceMesh& mesh) const;
    /// The first run on a GPU has measured which form of a kernel is the fastest: names it in
    /// environment.json, as the plans of later ones do, to which a resumed run is compared.
    void recordMeasuredForms() const;
    void writeTrace() const {
        m_folder.write(run_file::trace, joinTraces(m_traced.trace.chromeJson(), m_otherTraces));
    }

    [[nodiscard]] RunContext toRunContext(DeviceMesh& mesh, const StopToken& stop) {
        return {mesh, stop, &m_traced.trace, m_options.caches ? &*m_options.caches : nullptr};
    }

    RunFolder m_folder;
    PlanPtr m_kept;
    const RunPlan& m_plan;
    RunState m_state;
    RunOptions m_options;
    std::vector<ListedProblem> m_warnings;
    std::optional<RunningPhase> m_phase;
    LogPtr m_log = silentLog();
    RankTrace m_traced;
    std::vector<ForeignTrace> m_otherTraces;  // of the ranks that reached the end
};

template <typename Work>
RunOutcome Session::run(const EventSink& sink, const StopToken& stop, const Work& work) {
    m_state.status = RunStatus::Running;
    m_state.why = {};
    m_state.finished.clear();
    m_state.pid = ::getpid();
    m_state.steps = m_plan.steps();
    m_state.outline = makeOutline(m_plan);
    m_state.settings = changedSettings(m_plan.project);
    m_folder.writeState(m_state);
    try {
        m_folder.reserveSpace();
        m_log = fileLog(m_folder.file(run_file::log));
        if (m_options.lowPriority)
            lowerThreadPriority();
        RunWriter writer(m_folder, *m_log, sink);
        writer(FolderReady{m_folder.path()});
        for (const ListedProblem& warning : m_warnings)
            m_log->warn("{}", warning.text);
        if (m_options.ranks != nullptr)
            for (const Sentence& warning : m_options.ranks->isaWarnings())
                writer(RunMessage{MessageLevel::Warning, warning});
        const RankFailureMark mark(m_options.ranks, m_folder.path());
        DeviceMesh mesh(rankMeshOptions(m_plan, m_options));
        logMesh(mesh);
        RunOutcome outcome = work(toRunContext(mesh, stop), writer);
        outcome.folder = m_folder.path();
        outcome.steps = writer.steps();
        outcome.resumedFrom = m_state.resumedFrom;
        writeTrace();
        conclude(RunStatus::Done, {});
        return outcome;
    } catch (const Error& failure) {
        const bool cancelled = failure.kind() == ErrorKind::Cancelled;
        concludeAfterFailure(cancelled ? RunStatus::Cancelled : RunStatus::Failed, failure.asSentence());
        if (cancelled)
            throw Error(ErrorKind::Cancelled, failure.message(), failure.where(),
                        sentence("To resume it: meshreel run --resume {}", m_folder.path().string()));
        throw;
    } catch (const std::exception& failure) {
        concludeAfterFailure(RunStatus::Failed, failure.what());
        throw;
    }
}

void Session::count(const RunEvent& happened) {
    if (const auto* started = std::get_if<PhaseStarted>(&happened))
        m_phase.emplace(RunningPhase{started->phase});
    if (const auto* stage = std::get_if<StageMeasured>(&happened))
        m_state.parts.back().*(stage->stage) += stage->seconds;
    const auto* finished = std::get_if<PhaseFinished>(&happened);
    if (finished == nullptr)
        return;
    m_phase.reset();
    secondsOf(finished->phase, m_state.parts.back()) += finished->seconds;
    m_folder.writeState(m_state);
    if (finished->phase == Phase::Compile)
        recordMeasuredForms();
}

void Session::recordMeasuredForms() const {
    Placement measured = m_plan.placement;
    nameProducts(measured);
    const PartPlan& transformer = *measured.find(PlacedPart::Transformer);
    if (std::ranges::equal(measured.parts, m_plan.placement.parts, {}, &PartPlan::productsBy,
                           &PartPlan::productsBy))
        return;
    nlohmann::json environment = m_folder.object(run_file::environment);
    nlohmann::json& last = lastEnvironment(environment);
    last["placement"] = placementJson(measured);
    last["precision"]["products_by"] = transformer.productsBy;
    m_folder.write(run_file::environment, environment.dump(2) + "\n");
    m_log->info("Products: {} by {}", nameOf(transformer.products), transformer.productsBy);
}

void Session::conclude(RunStatus status, const Sentence& why) {
    if (m_phase)  // it was stopped, or it failed
        secondsOf(m_phase->phase, m_state.parts.back()) += secondsSince(m_phase->start);
    m_phase.reset();
    m_state.status = status;
    m_state.why = why;
    m_state.finished = timestampNow();
    m_folder.releaseSpace();
    m_folder.writeState(m_state);
    m_log->info("{}{}{}", nameOf(status), why.empty() ? "" : ": ", why);
}

void Session::concludeAfterFailure(RunStatus status, const Sentence& why) noexcept {
    try {
        conclude(status, why);  // before the trace: it is small, and the disk may be full
        writeTrace();
    } catch (const std::exception&) {
        // The first failure is the one to report; without its status the run counts as crashed.
        return;
    }
}

void Session::logMesh(const DeviceMesh& mesh) const {
    m_log->info("Mesh: {} ({} devices, {} ranks, {} workers each)", m_plan.layout.shape().text(),
                m_plan.layout.devices(), m_plan.ranks, m_plan.workersPerDevice);
    m_log->info("{}", mesh.placement());
    m_log->info("Attention: {} for self-attention, {} for cross-attention", m_plan.attentions.self.mode->name,
                m_plan.attentions.text.mode->name);
    const PartPlan& transformer = *m_plan.placement.find(PlacedPart::Transformer);
    m_log->info("Products: {} by {}, {}", nameOf(transformer.products), transformer.productsBy,
                transformer.isOnGpu() ? std::string("a GPU") : matmulLibrary());
    if (const std::string parts = partsOnCpu(m_plan.placement); !parts.empty())
        m_log->info("On the CPU: {}, {}", parts, matmulLibrary());
    for (const Sentence& note : libraryRemarks({}).notes)
        m_log->info("{}", note);
}

/// The files of the videos that this session decodes.
VideoFiles videoFiles(const Session& session, const RunContext& machine) {
    const Project& project = session.plan().project;
    return VideoFiles(session.folder(), project, withVideoChanges(project, session.options().videoChanges),
                      TrustedInputs::storedIn(session.folder().path(), project), machine.trace);
}

/// Writes what is left of the videos, as a phase of its own.
WrittenVideo format(const Session& session, const RunContext& machine, VideoFiles& files,
                    const EventSink& sink) {
    const int steps = session.plan().steps();
    sink(PhaseStarted{Phase::Format});
    sink(Progress{.phase = Phase::Format, .stepsDone = steps, .steps = steps, .fraction = 1, .decoded = 1});
    const auto start = std::chrono::steady_clock::now();
    const WrittenVideo video = [&] {
        const auto span = traceSpan(machine.trace, std::string(enumName(Phase::Format)), "phase");
        return files.finish();
    }();
    sink(PhaseFinished{Phase::Format, secondsSince(start)});
    sink(VideoWritten{.file = video.file, .format = video.format, .note = video.note});
    return video;
}

/// Seconds of the steps that an earlier version made, which kept no parts.
double secondsBeforeParts(const std::vector<PartTimings>& parts, const std::vector<StepRecord>& steps) {
    double seconds = 0;
    for (const StepRecord& step : steps)
        if (step.step < parts.front().fromStep)
            seconds += step.seconds;
    return seconds;
}

/// Generates from `start` and writes every result.
RunOutcome generateInto(Session& session, GenerationStart start, const RunContext& machine,
                        RunWriter& writer) {
    const EventSink counted = [&](const RunEvent& happened) {
        session.count(happened);
        writer(happened);
    };
    const int firstStep = start.resumeFrom ? start.resumeFrom->stepsDone : 0;
    const auto broadcast =
        callOtherRanks(session.plan(), session.options(), firstStep, session.folder().path());
    VideoFiles files = videoFiles(session, machine);
    start.decoded = std::bind_front(&VideoFiles::add, &files);
    start.inputs = TrustedInputs::storedIn(session.folder().path(), session.plan().project);
    GenerationResult result = generate(machine, session.plan(), start, counted);
    session.gatherSpans(machine.mesh);
    const auto writing = std::chrono::steady_clock::now();
    const WrittenVideo video = format(session, machine, files, counted);
    result.timings.videoWriting = secondsSince(writing);
    result.timings.finishing = finishVideos(
        session.folder(), withVideoChanges(session.plan().project, session.options().videoChanges), machine,
        counted);
    if (session.parts().size() > 1 || firstStep > 0)
        addEarlierParts(result.timings, session.parts(), secondsBeforeParts(session.parts(), writer.steps()));
    const std::optional<RunComparison> comparison =
        compareRun(machine, session.plan(), result.frames, result.timings.denoiseTotal);
    if (comparison)
        writer(RunMessage{MessageLevel::Info, formatComparison(*comparison)});
    writeTimings(session.folder(), session.plan(), result, writer.steps(), firstStep, comparison);
    return {.note = video.note, .timings = result.timings, .video = video.file};
}

/// Returns the plan of a run that is resumed. Throws when its settings or files are not those that it began
/// with, as far as it recorded them.
TimedPlan planUnchanged(const RunFolder& folder, const RunOptions& options, const StopToken& stop) {
    if (!folder.has(run_file::sources))
        return planTimed(folder.project(), options, folder.path());
    const RunSources was = readSources(folder);
    RunSources now{.settings = storedSettings(folder), .files = {}};
    const auto plan = [&] {
        try {
            TimedPlan planned = planTimed(folder.project(), options, folder.path());
            addModelFiles(planned, stop);
            return planned;
        } catch (const Error& failure) {
            // With other settings the model may not even be found: they are the reason then.
            const std::vector<Sentence> changed = sourceDifferences(was, now).settings;
            if (changed.empty() || failure.kind() == ErrorKind::Cancelled)
                throw;
            refuseChangedSources(folder, {.settings = changed, .files = {}});
        }
    };
    TimedPlan planned = plan();
    now.files = planned.files;
    std::ranges::move(inputSources(planned.plan->project, stop), std::back_inserter(now.files));
    if (const SourceDifferences differences = sourceDifferences(was, now); !differences.empty())
        refuseChangedSources(folder, differences);
    return planned;
}

/// An earlier version put adapters into both experts of a model though their names say one: its steps and the
/// present ones would be of two different models.
void requireSameExperts(const RunFolder& folder, const nlohmann::json& was, const nlohmann::json& now) {
    const std::string before = placesOfAdapters(was);
    const std::string places = placesOfAdapters(now);
    if (before.empty() || places.empty() || before == places)
        return;
    throw Error(
        ErrorKind::Input,
        sentence("which experts the adapters in lora are for is read in another way than when the run "
                 "began: they went into {}, and would go into {}",
                 before, places),
        folder.path().string(),
        sentence("Start a new run in a terminal: meshreel run {}. An adapter with expert: all goes into both "
                 "experts, whatever its name says",
                 folder.file(run_file::project).string()));
}

/// Refuses or records (in environment.json) a machine that differs. True when it differs.
bool admitMachine(const RunFolder& folder, const RunPlan& plan, bool allowDifferent, int stepsDone) {
    nlohmann::json environment = folder.object(run_file::environment);
    const nlohmann::json now = describeEnvironment(plan);
    nlohmann::json was = lastEnvironment(environment);
    requireSameExperts(folder, was, now);
    if (folder.has(run_file::sources))
        was["adapters"] = now.at("adapters");  // compared by their content
    const std::vector<std::string> differences = environmentDifferences(was, now);
    if (differences.empty())
        return false;
    if (!allowDifferent)
        throw Error(
            ErrorKind::Input,
            sentence("the run was made on another machine or build ({})",
                     fmt::to_string(fmt::join(differences, "; "))),
            folder.path().string(),
            sentence("Resume it there, or allow a different machine (--allow-different-machine): the result "
                     "may then differ in its last bits"));
    environment[resumesKey].push_back(
        {{"from_step", stepsDone}, {"differences", differences}, {"environment", now}});
    folder.write(run_file::environment, environment.dump(2) + "\n");
    return true;
}

int recordedWorkers(const RunFolder& folder) {
    if (!folder.has(run_file::environment))
        return 0;
    nlohmann::json environment = folder.object(run_file::environment);
    return lastEnvironment(environment).value("workers_per_device", 0);
}

/// Rows of a table that a run can do without. Of a file that cannot be read nothing; it is set aside and
/// said.
template <typename Row>
std::vector<Row> readOrSetAside(const RunFolder& folder, std::string_view name,
                                std::vector<Row> (RunFolder::*read)() const, std::vector<Sentence>& said) {
    try {
        return (folder.*read)();
    } catch (const Error& damaged) {
        const fs::path file = folder.file(name);
        const fs::path aside =
            freePath(file.parent_path() / (file.stem().string() + "-damaged"), file.extension().string());
        fs::rename(file, aside);
        said.push_back(sentence("{} could not be read and was set aside as {}: {}", name,
                                aside.filename().string(), damaged.message()));
        return {};
    }
}

/// devices.csv without rows of steps that are computed again.
void forgetDeviceTimes(const RunFolder& folder, int stepsDone, std::vector<Sentence>& said) {
    std::vector<StepDeviceTimes> steps =
        readOrSetAside(folder, run_file::devices, &RunFolder::deviceTimes, said);
    if (std::erase_if(steps, [&](const StepDeviceTimes& step) { return step.step >= stepsDone; }) > 0)
        folder.writeDeviceTimes(steps);
}

/// steps.csv as it belongs to the checkpoint: a kill between the two leaves the row of the last step missing,
/// a power cut any number of them.
void repairSteps(const RunFolder& folder, const std::optional<RunCheckpoint>& checkpoint,
                 std::vector<Sentence>& said) {
    const std::vector<StepRecord> kept = readOrSetAside(folder, run_file::steps, &RunFolder::steps, said);
    std::vector<StepRecord> steps = kept;
    const int done = checkpoint ? checkpoint->snapshot.stepsDone : 0;
    std::erase_if(steps, [&](const StepRecord& step) { return step.step >= done; });
    std::erase_if(steps, [&](const StepRecord& step) { return checkpoint && step.step == done - 1; });
    if (checkpoint)
        steps.push_back(checkpoint->lastStep);
    if (static_cast<int>(steps.size()) < done)
        said.push_back(sentence("{} has lost {} of the {} steps before; sums and charts lack them",
                                run_file::steps, done - static_cast<int>(steps.size()), done));
    if (steps != kept)
        folder.writeSteps(steps);
}

/// Gives the last part, where a kill left its denoising open, the seconds of its steps.
void completeLastPart(std::vector<PartTimings>& parts, const std::vector<StepRecord>& steps) {
    if (parts.empty() || parts.back().denoise > 0)
        return;
    for (const StepRecord& step : steps)
        if (step.step >= parts.back().fromStep)
            parts.back().denoise += step.seconds;
}

/// Every prompt of a batch once; none of a single video.
std::vector<std::string> listPrompts(const Project& project) {
    std::vector<std::string> prompts;
    if (project.batchPrompts.empty())
        return prompts;
    for (const BatchItem& item : batchItems(project))
        if (std::ranges::find(prompts, item.prompt) == prompts.end())
            prompts.push_back(item.prompt);
    return prompts;
}

/// Says in the log which words the wildcards of a prompt became; the run's files have the words alone.
void tellDrawnWords(const Project& written, const Project& spoken, RunWriter& writer) {
    const auto tell = [&](const std::string& was, const std::string& is) {
        if (was != is)
            writer(RunMessage{MessageLevel::Info, sentence("Wildcards: \"{}\" became \"{}\"", was, is)});
    };
    tell(written.prompt, spoken.prompt);
    tell(written.negativePrompt, spoken.negativePrompt);
    tell(written.batchPrompts, spoken.batchPrompts);
}

RunOutcome leadProject(const RunRequest& asked, const EventSink& sink, const StopToken& stop) {
    const RunRequest request = withDrawnWords(asked);
    const fs::path destination =
        request.outFolder.empty() ? newRunFolder(request.project) : request.outFolder;
    InputFindings inputs = inspectInputs(request.project);
    if (!inputs.problems.empty())
        throw ProjectError(std::move(inputs.problems));
    requireComparable(request.project);
    // First of all: an unusable folder is reported before anything is computed.
    RunFolder folder = RunFolder::create(destination);
    auto [planned, planningSeconds, files] = planOrDiscard(request, folder, stop);
    PlanPtr plan = storeOrDiscard(folder, *planned, request.inputs, files);
    std::vector<ListedProblem> warnings =
        request.examined ? request.examined->warnings
                         : tellWarnings(*plan, warningsOf(*plan, std::move(inputs.warnings)), sink);
    sink(plannedEvent(plan));

    folder.write(run_file::project, resolvedYaml(asStoredIn(folder, plan->project)));
    noteWritten(plan->project, folder.path());
    std::ranges::move(inputSources(plan->project, {}), std::back_inserter(files));
    writeSources(folder, {.settings = storedSettings(folder), .files = files});
    folder.write(run_file::environment, describeEnvironment(*plan).dump(2) + "\n");
    RunState state;
    state.started = timestampNow();
    state.name = plan->project.name;
    state.prompt = plan->project.prompt;
    state.batchPrompts = listPrompts(plan->project);
    state.parts.push_back({.compile = planningSeconds});
    Session session(std::move(folder), std::move(plan), std::move(state), request.options,
                    std::move(warnings));
    const GenerationStart start{
        .planningSeconds = planningSeconds, .previews = request.options.previews, .isExamined = true};
    return session.run(sink, stop, [&](const RunContext& machine, RunWriter& writer) {
        for (const InputNote& note : inputs.notes)
            writer(RunMessage{MessageLevel::Info, sentence("{}. {}", note.message, note.detail)});
        tellDrawnWords(asked.project, request.project, writer);
        return generateInto(session, start, machine, writer);
    });
}

RunOutcome leadResumed(const fs::path& path, const RunOptions& options, const EventSink& sink,
                       const StopToken& stop) {
    RunFolder folder = RunFolder::openToWork(path);
    if (folder.state().status != RunStatus::Done)
        folder.lock();
    RunState state = folder.state();
    withVideoChanges(folder.project(), options.videoChanges);  // refused before anything is computed
    if (state.status == RunStatus::Done) {
        if (!options.videoChanges.empty())
            throw Error(ErrorKind::Project, sentence("the run is finished already"), path.string(),
                        sentence("Write its video otherwise with meshreel decode and the same --set"));
        RunOutcome outcome{
            .folder = folder.path(), .nothingToDo = true, .note = sentence("The run is finished already")};
        outcome.timings = folder.timings();
        outcome.steps = folder.steps();
        outcome.resumedFrom = state.resumedFrom;
        outcome.video = folder.video().value_or(fs::path());
        return outcome;
    }
    RunOptions planned = options;
    if (planned.workers == 0)
        planned.workers = recordedWorkers(folder);
    const bool sourcesKnown = folder.has(run_file::sources);
    auto [plan, planningSeconds, files] = planUnchanged(folder, planned, stop);
    std::vector<ListedProblem> warnings = tellWarnings(*plan, warningsOf(*plan), sink);
    sink(plannedEvent(plan));
    const std::optional<RunCheckpoint> checkpoint = folder.checkpoint();
    const int stepsDone = checkpoint ? checkpoint->snapshot.stepsDone : 0;
    if (admitMachine(folder, *plan, options.allowDifferentMachine, stepsDone))
        state.differentMachine = true;
    std::vector<Sentence> repaired;
    repairSteps(folder, checkpoint, repaired);
    forgetDeviceTimes(folder, stepsDone, repaired);
    ++state.resumes;
    state.resumedFrom.push_back(stepsDone);
    completeLastPart(state.parts, folder.steps());
    state.parts.push_back({.fromStep = stepsDone, .compile = planningSeconds});

    GenerationStart start;
    start.planningSeconds = planningSeconds;
    start.previews = options.previews;
    start.isExamined = true;
    if (checkpoint)
        start.resumeFrom = checkpoint->snapshot;
    Session session(std::move(folder), std::move(plan), std::move(state), options, std::move(warnings));
    return session.run(sink, stop, [&](const RunContext& machine, RunWriter& writer) {
        if (!sourcesKnown)
            writer(RunMessage{MessageLevel::Warning,
                              sentence("This run has no {}, because an earlier version began it: whether its "
                                       "model, prompt and settings have changed since is not checked",
                                       run_file::sources)});
        for (const Sentence& warning : repaired)
            writer(RunMessage{MessageLevel::Warning, warning});
        writer(RunMessage{MessageLevel::Info, fmt::format("Resuming after step {}", stepsDone)});
        return generateInto(session, start, machine, writer);
    });
}

}  // namespace

RunRequest withDrawnWords(const RunRequest& request) {
    RunRequest drawn = request;
    if (!namesWildcards(request.project)) {
        drawn.project.wildcards.clear();  // a folder that the run does not use
        return drawn;
    }
    drawn.project = withDrawnWords(withDrawnSeeds(request.project));
    // Of an open seed the examination drew another, and its words with it.
    const auto says = [](const Project& project) {
        return std::tie(project.seed, project.batchSeeds, project.prompt, project.negativePrompt,
                        project.batchPrompts);
    };
    if (drawn.examined && says(drawn.examined->plan->project) != says(drawn.project))
        drawn.examined.reset();
    return drawn;
}

Planned plannedEvent(const PlanPtr& made) {
    const RunPlan& plan = *made;
    const auto latents = plan.latentShape.extents();
    return {.latentShape = {latents.begin(), latents.end()},
            .tokens = plan.tokens,
            .steps = plan.steps(),
            .workers = plan.workersPerDevice,
            .memoryBytes = plan.memory.peak(),
            .flops = plan.flops.denoising,
            .plan = made};
}

RunOutcome runProject(const RunRequest& request, const EventSink& sink, const StopToken& stop) {
    return leadRanks(request.options, [&] { return leadProject(request, sink, stop); });
}

RunOutcome resumeRun(const fs::path& path, const RunOptions& options, const EventSink& sink,
                     const StopToken& stop) {
    return leadRanks(options, [&] { return leadResumed(path, options, sink, stop); });
}

RunOutcome decodeAgain(const fs::path& path, const RunOptions& options, const EventSink& sink,
                       const StopToken& stop) {
    RunFolder folder = RunFolder::openToWork(path);
    if (!folder.has(run_file::latents))
        throw Error(ErrorKind::Input, sentence("the run has no latents.safetensors yet"), path.string(),
                    sentence("Resume the run first (meshreel run --resume)"));
    folder.lock();
    const Tensor latents = folder.latents();
    RunState state = folder.state();
    withVideoChanges(folder.project(), options.videoChanges);
    PlanPtr plan = planTimed(folder.project(), options, folder.path()).plan;
    if (latents.shape() != plan->videoLatentShape())
        throw Error(ErrorKind::Input,
                    sentence("the latents {} do not belong to the run's project ({})", latents.shape().text(),
                             plan->videoLatentShape().text()),
                    folder.file(run_file::latents).string(), sentence("Restore the run folder from a copy"));
    std::vector<ListedProblem> warnings = tellWarnings(*plan, plan->warnings, sink);
    sink(plannedEvent(plan));
    const RunState before = state;
    Session session(std::move(folder), std::move(plan), std::move(state), options, std::move(warnings));
    try {
        return session.run(sink, stop, [&](const RunContext& machine, RunWriter& writer) {
            VideoFiles files = videoFiles(session, machine);
            const DecodedLatents decoded =
                decodeOnly(machine, session.plan(), latents, options.previews, std::ref(writer),
                           std::bind_front(&VideoFiles::add, &files));
            const WrittenVideo video = format(session, machine, files, std::ref(writer));
            finishVideos(session.folder(), withVideoChanges(session.plan().project, options.videoChanges),
                         machine, std::ref(writer));
            return RunOutcome{.note = video.note, .timings = decoded.timings, .video = video.file};
        });
    } catch (const Error&) {
        // A run that was done stays done: its first video is still there.
        session.folder().writeState(before);
        throw;
    }
}

}  // namespace meshreel
