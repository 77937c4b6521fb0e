// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/film/film_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/catalogue/model_facts.h"
#include "engine/checks/task_choice.h"
#include "engine/media/video_joining.h"
#include "engine/models/families/model_family.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/project/wildcards.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_sources.h"
#include "engine/runs/run_writer.h"
#include "engine/weights/cache/fingerprint.h"
#include "engine/weights/lora.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::int64_t latentFrames = 4;  // pixel frames of a latent one behind the first
constexpr std::string_view clipKey = "continue_from";

/// Whether another value of the key makes another video of the shot. What only says how a video is written is
/// among them: the film is made of the files.
bool decidesVideo(std::string_view key) {
    return std::ranges::find(videoKeys, key) != videoKeys.end() || !isFreeSetting(key);
}

/// The files of models and adapters, read once for all shots that use the same.
class KnownModels {
  public:
    /// None of a model that is not installed, of which nothing is made.
    const std::vector<SourceFile>& filesOf(const RunPlan& plan) {
        std::string name =
            fmt::format("{}\n{}", plan.modelFolder.string(), plan.model.imageEncoder.has_value());
        for (const PlannedAdapter& planned : plan.adapters)
            name += "\n" + planned.adapter->path().string();
        const auto [place, isNew] = m_files.try_emplace(name);
        if (isNew && !plan.modelFolder.empty())
            place->second = modelSources(plan, {});
        return place->second;
    }

  private:
    std::map<std::string, std::vector<SourceFile>> m_files;
};

std::string textOf(std::span<const SourceFile> files) {
    std::string text;
    for (const SourceFile& file : files)
        text += fmt::format("\n{}: {} {}", file.part, file.fingerprint.bytes, file.fingerprint.hash);
    return text;
}

/// Names what decides the video of a shot: settings, inputs, weights. `before`: the identity of the shot that
/// it continues, which stands for its video.
std::string identityOf(const Shot& shot, const PlannedShot& planned, const std::string& before,
                       KnownModels& models) {
    Project project = planned.project;
    if (shot.continues)
        project.continueFrom.clear();
    std::string text = before;
    for (const ProjectKey& key : projectKeys()) {
        const InputKey* input = findInputKey(key.name);
        if (decidesVideo(key.name))
            text +=
                fmt::format("\n{}={}", key.name,
                            input == nullptr ? valueText(project, key) : textBesideFiles(project, *input));
    }
    return nameHash(text + textOf(inputSources(project, {})) + textOf(models.filesOf(*planned.plan)));
}

/// Shots that say the same are one run, unless each draws a seed of its own.
std::string ownIdentity(const Project& project, std::string identity,
                        const std::vector<PlannedShot>& before) {
    while (!project.seed && std::ranges::find(before, identity, &PlannedShot::identity) != before.end())
        identity = nameHash(identity);
    return identity;
}

constexpr std::size_t identityDigits = 12;

/// Of a run folder's name.
std::string ending(const std::string& identity) {
    return "-" + identity.substr(0, identityDigits);
}

/// The run of a shot, whatever it was called when it was made.
fs::path placeOfShot(const fs::path& film, const std::string& name, const std::string& identity) {
    const std::string end = ending(identity);
    std::error_code ignored;
    for (fs::directory_iterator entry(film, ignored), last; !ignored && entry != last;
         entry.increment(ignored))
        if (entry->path().filename().string().ends_with(end))
            return entry->path();
    return film / (name + end);
}

/// The latest run of a shot's name that was made, but for those that are shots of the film as it is now.
fs::path formerRun(const FilmPlan& film, const std::string& name) {
    const std::size_t length = name.size() + ending({}).size() + identityDigits;
    fs::path latest;
    fs::file_time_type when;
    std::error_code ignored;
    for (fs::directory_iterator entry(film.folder, ignored), last; !ignored && entry != last;
         entry.increment(ignored)) {
        const std::string file = entry->path().filename().string();
        const bool isOfShot =
            file.size() == length && file.starts_with(name + "-") &&
            file.find_first_not_of("0123456789abcdef", name.size() + 1) == std::string::npos;
        std::error_code unread;
        const fs::file_time_type written = isOfShot ? fs::last_write_time(entry->path(), unread) : when;
        if (!isOfShot || unread || (!latest.empty() && written <= when) || !isMade(entry->path()) ||
            std::ranges::find(film.shots, entry->path(), &PlannedShot::folder) != film.shots.end())
            continue;
        latest = entry->path();
        when = written;
    }
    return latest;
}

ShotState stateOf(const fs::path& folder) {
    if (!RunFolder::isRun(folder))
        return ShotState::Missing;
    const RunFolder run = RunFolder::open(folder);
    return run.state().status == RunStatus::Done && run.video() ? ShotState::Made : ShotState::Begun;
}

/// The family of a shot's model; null where it cannot be asked, which the shot's examination will tell.
const ModelFamily* familyOfShot(const Project& project) {
    try {
        return readModelFacts(prepareModelFolder(project)).family;
    } catch (const Error&) {
        return nullptr;
    }
}

/// The shot as long as the storyboard says. What it shares with the one before may depend on its length.
void takeSeconds(const Shot& shot, Project& project) {
    if (!shot.seconds)
        return;
    const ModelFamily* family = familyOfShot(project);
    std::int64_t shared = 0;
    for (int round = 0; round < 4; ++round) {
        project.numFrames = framesOfShot(*shot.seconds, project.fps, shared);
        const std::int64_t next =
            family == nullptr ? 0 : continuedFrames(project, *family, chooseTask(project, *family).task);
        if (next == shared)
            return;
        shared = std::max(shared, next);
    }
}

Problem atShot(const Shot& shot, const fs::path& file, Problem problem) {
    problem.place = {.file = file.string(), .line = shot.line};
    return problem;
}

/// What is wrong with going on from a clip that is still to be made.
std::vector<Problem> continuationProblemsOf(const Shot& shot, const PlannedShot& planned,
                                            const std::vector<PlannedShot>& before) {
    if (!planned.plan || clipFrameProblem(planned.project))
        return {};
    const std::int64_t total = before[*shot.continues].project.numFrames;
    const auto taken =
        takenOfClip(planned.project, planned.plan->takenFrames(), total, planned.plan->clipCount());
    if (const auto* problem = std::get_if<Problem>(&taken))
        return {*problem};
    if (shot.blend.value_or(0) > 0 && clipFrame(planned.project).value_or(total - 1) != total - 1)
        return {{.id = "storyboard-malformed",
                 .message = sentence("the film passes over only into a shot that goes on from the end of the "
                                     "one before, and continue_at is {}",
                                     planned.project.continueAt),
                 .fixes = byHand(sentence("Leave out blend, or continue_at"))}};
    return {};
}

/// What is wrong with a shot, but for the clip before, which is still to be made.
std::vector<Problem> problemsOf(const Shot& shot, const fs::path& file, const PlannedShot& planned,
                                const std::vector<PlannedShot>& before, std::vector<Problem> found) {
    if (shot.continues) {
        std::erase_if(found, [](const Problem& problem) { return problem.key == clipKey; });
        std::ranges::move(continuationProblemsOf(shot, planned, before), std::back_inserter(found));
    }
    std::vector<Problem> problems;
    for (Problem& problem : found)
        if (problem.severity == Severity::Error)
            problems.push_back(atShot(shot, file, std::move(problem)));
    return problems;
}

/// Frames in which the film passes over into the shot: where it goes on from the end of the one right before
/// it.
std::int64_t blendedFrames(const Shot& shot, const PlannedShot& planned,
                           const std::vector<PlannedShot>& before) {
    if (!shot.continues || *shot.continues + 1 != before.size() || clipFrameProblem(planned.project))
        return 0;
    const std::int64_t last = before.back().project.numFrames - 1;
    const bool isEnd = clipFrame(planned.project).value_or(last) == last;
    return isEnd ? std::min(planned.sharedFrames, shot.blend.value_or(usualBlend)) : 0;
}

/// Plans a shot behind the film's shots so far, and finds its run.
void planShot(FilmPlan& film, const Shot& shot, PlannedShot& planned, const ForecastOptions& options,
              OpenedFiles& files, KnownModels& models) {
    std::string before;
    if (shot.continues) {
        const PlannedShot& clip = film.shots[*shot.continues];
        before = clip.identity;
        planned.project.continueFrom = (clip.folder.empty() ? film.folder / clip.name : clip.folder).string();
    }
    takeSeconds(shot, planned.project);
    if (planned.project.seed)  // what its wildcards become is part of what the shot is
        if (DrawnWords drawn = drawWords(planned.project); drawn.problems.empty())
            planned.project = std::move(drawn.project);
    ProjectForecast forecast = makeForecast(planned.project, options, files);
    planned.plan = forecast.plan;
    if (planned.plan)
        planned.sharedFrames = planned.plan->continuedFrames;
    planned.blendedFrames = blendedFrames(shot, planned, film.shots);
    if (forecast.prediction)
        planned.time = forecast.prediction->total;
    std::vector<Problem> problems =
        problemsOf(shot, film.storyboard, planned, film.shots, std::move(forecast.problems));
    if (!planned.plan && problems.empty())
        problems.push_back(atShot(shot, film.storyboard,
                                  {.id = "storyboard-shot-refused",
                                   .message = sentence("there is no plan for it"),
                                   .fixes = byHand(sentence("Make its model available first"))}));
    const bool isPlaced = !shot.continues || !before.empty();
    if (problems.empty() && isPlaced) {
        planned.identity =
            ownIdentity(planned.project, identityOf(shot, planned, before, models), film.shots);
        planned.folder = placeOfShot(film.folder, shot.name, planned.identity);
        planned.state = film.folder.empty() ? ShotState::Missing : stateOf(planned.folder);
    }
    std::ranges::move(problems, std::back_inserter(film.problems));
}

std::string durationText(const std::optional<PredictedSeconds>& seconds) {
    return seconds ? toText(*seconds) : "not known";
}

std::string_view workText(ShotState state) {
    switch (state) {
        case ShotState::Missing:
            return "make";
        case ShotState::Changed:
            return "make again";
        case ShotState::Begun:
            return "go on";
        case ShotState::Made:
            break;
    }
    return "is there";
}

}  // namespace

std::int64_t framesOfShot(double seconds, double fps, std::int64_t shared) {
    const auto frames = std::max<std::int64_t>(1, std::llround(seconds * fps)) + shared;
    return (frames - 1 + latentFrames - 1) / latentFrames * latentFrames + 1;
}

bool isMade(const fs::path& shotFolder) {
    return stateOf(shotFolder) == ShotState::Made;
}

std::size_t FilmPlan::left() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(shots, [](const PlannedShot& shot) { return shot.state != ShotState::Made; }));
}

std::optional<PredictedSeconds> FilmPlan::timeLeft() const {
    PredictedSeconds sum;
    for (const PlannedShot& shot : shots) {
        if (shot.state == ShotState::Made)
            continue;
        if (!shot.time)
            return std::nullopt;
        sum += *shot.time;
    }
    return sum;
}

std::uint64_t FilmPlan::memoryBytes() const {
    std::uint64_t most = 0;
    for (const PlannedShot& shot : shots)
        if (shot.state != ShotState::Made && shot.plan)
            most = std::max<std::uint64_t>(most, shot.plan->memory.peak());
    return most;
}

std::int64_t FilmPlan::shownFrames() const {
    std::int64_t frames = 0;
    for (const PlannedShot& shot : shots)
        frames += shot.shownFrames();
    return frames;
}

double FilmPlan::share(std::size_t shot, double part) const {
    const bool isTimed = timeLeft().has_value();
    double done = 0;
    double all = 0;
    for (std::size_t index = 0; index < shots.size(); ++index) {
        const PlannedShot& each = shots[index];
        if (each.state == ShotState::Made)
            continue;
        const double weight =
            isTimed ? each.time->seconds
                    : static_cast<double>(each.project.numFrames * each.project.numInferenceSteps);
        all += weight;
        done += index < shot ? weight : index == shot ? weight * part : 0;
    }
    return all > 0 ? done / all : 1;
}

FilmPlan examineFilm(const Storyboard& storyboard, const fs::path& folder, const ForecastOptions& options) {
    FilmPlan film{.storyboard = storyboard.file, .folder = folder, .shots = {}};
    const std::shared_ptr<OpenedFiles> files = noOpenedFiles();
    KnownModels models;
    const bool areSharedKeysGood = std::ranges::none_of(storyboard.problems, [&](const Problem& problem) {
        return problem.severity == Severity::Error && !storyboard.shotAt(problem.place.line);
    });
    for (std::size_t index = 0; index < storyboard.shots.size(); ++index) {
        const Shot& shot = storyboard.shots[index];
        PlannedShot planned{
            .name = shot.name, .project = shot.project, .identity = {}, .folder = {}, .plan = {}};
        planned.project.name = shot.name;
        const bool isRead =
            areSharedKeysGood && std::ranges::none_of(storyboard.problems, [&](const Problem& problem) {
                return problem.severity == Severity::Error && storyboard.shotAt(problem.place.line) == index;
            });
        if (isRead)
            planShot(film, shot, planned, options, *files, models);
        film.shots.push_back(std::move(planned));
    }
    for (PlannedShot& shot : film.shots)
        if (shot.state == ShotState::Missing && !folder.empty())
            if (shot.former = formerRun(film, shot.name); !shot.former.empty())
                shot.state = ShotState::Changed;
    return film;
}

FilmPlan planFilm(const Storyboard& storyboard, const fs::path& folder, const ForecastOptions& options) {
    FilmPlan film = examineFilm(storyboard, folder, options);
    std::ranges::copy_if(storyboard.problems, std::back_inserter(film.problems),
                         [](const Problem& problem) { return problem.severity == Severity::Error; });
    if (film.problems.empty())
        return film;
    for (Problem& problem : film.problems)
        if (const std::optional<std::size_t> shot = storyboard.shotAt(problem.place.line))
            problem.message = sentence("shot {}: {}", storyboard.shots[*shot].name, problem.message);
    throw ProjectError(std::move(film.problems));
}

std::string filmPlanText(const FilmPlan& plan) {
    DataTable table{.columns = {"shot", "frames", "shown", "continues", "time", "memory", "work"},
                    .rows = {}};
    for (const PlannedShot& shot : plan.shots) {
        const bool continues = shot.sharedFrames > 0;
        table.rows.push_back(
            {shot.name, shot.project.numFrames, shot.shownFrames(),
             continues ? DataCell(fs::path(shot.project.continueFrom).filename().string()) : DataCell(),
             durationText(shot.time), formatBytes(shot.plan->memory.peak()),
             std::string(workText(shot.state))});
    }
    const std::int64_t shown = plan.shownFrames();
    const std::size_t left = plan.left();
    const double fps = plan.shots.front().project.fps;
    return fmt::format(
        "{}\nFilm: {} shots, {} frames, {:.2f} s; {} to make, about {}, {} of memory at most\nFolder: "
        "{}\n",
        alignedText(table), plan.shots.size(), shown, static_cast<double>(shown) / fps, left,
        left == 0 ? std::string("0 s") : durationText(plan.timeLeft()), formatBytes(plan.memoryBytes()),
        withTilde(plan.folder));
}

}  // namespace meshreel
