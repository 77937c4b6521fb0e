// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/held_file.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/system.h"
#include "engine/base/version.h"
#include "engine/base/write_failure.h"
#include "engine/estimates/run_work.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_time.h"
#include "engine/timing/step_record.h"

namespace fs = std::filesystem;

namespace meshreel {

namespace {

constexpr std::string_view folderSetting = "runs-folder";

fs::path notesFile(const fs::path& runFolder) {
    return runFolder / "notes.json";
}

std::string trimmed(const std::string& text) {
    constexpr const char* spaces = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(spaces);
    return begin == std::string::npos ? std::string()
                                      : text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

}  // namespace

namespace {

/// `version` of the notes that are written; those of before boards have none. A later version may mean
/// something else by the same keys.
constexpr int notesVersion = 2;
constexpr const char* notesVersionKey = "version";

[[noreturn]] void throwUnreadableNotes(const fs::path& file, const Sentence& reason) {
    throw Error(ErrorKind::Input, sentence("The notes cannot be read: {}", reason), withTilde(file),
                sentence("Mend the file, or delete it to start anew"));
}

/// The object in the file; empty if there is none.
nlohmann::json keptNotes(const fs::path& file) {
    std::error_code missing;
    if (!fs::exists(fs::symlink_status(file, missing)))
        return nlohmann::json::object();
    const std::string text =
        HeldFile(file, Links::Refuse).readWith([](const fs::path& same) { return readFile(same); });
    nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object())
        throwUnreadableNotes(file, sentence("it is no JSON object"));
    return json;
}

RunNotes notesFrom(const nlohmann::json& json, const fs::path& file) {
    if (json.empty())
        return {};
    try {
        if (json.value(notesVersionKey, 1) > notesVersion)
            throwUnreadableNotes(file, sentence("a later version of Meshreel wrote it"));
        return {.tags = json.value("tags", std::vector<std::string>()),
                .note = json.value("note", std::string()),
                .star = json.value("star", false),
                .boards = json.value("boards", std::vector<std::string>())};
    } catch (const nlohmann::json::exception& failure) {
        throwUnreadableNotes(file, failure.what());
    }
}

}  // namespace

RunNotes readRunNotes(const fs::path& runFolder) {
    const fs::path file = notesFile(runFolder);
    return notesFrom(keptNotes(file), file);
}

void writeRunNotes(const fs::path& runFolder, const RunNotes& notes) {
    changeRunNotes(runFolder, [&notes](RunNotes& kept) { kept = notes; });
}

RunNotes changeRunNotes(const fs::path& runFolder, const std::function<void(RunNotes&)>& change) {
    const fs::path file = notesFile(runFolder);
    nlohmann::json json = keptNotes(file);
    RunNotes notes = notesFrom(json, file);
    change(notes);
    for (const char* own : {notesVersionKey, "tags", "note", "star", "boards"})
        json.erase(own);
    if (notes == RunNotes() && json.empty()) {
        std::error_code failure;
        fs::remove(file, failure);
        if (failure)
            throw Error(ErrorKind::Input, sentence("The notes cannot be removed ({})", failure.message()),
                        withTilde(file), sentence("Check its permissions, and those of its folder"));
        return notes;
    }
    json[notesVersionKey] = notesVersion;
    json["tags"] = notes.tags;
    json["note"] = notes.note;
    json["star"] = notes.star;
    json["boards"] = notes.boards;
    writeFileAtomically(file, json.dump(2) + "\n");
    return notes;
}

std::vector<std::string> readTags(const std::string& text) {
    std::vector<std::string> tags;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');)
        if (std::string tag = trimmed(part); !tag.empty() && !std::ranges::count(tags, tag))
            tags.push_back(std::move(tag));
    return tags;
}

namespace {

/// Returns as many whole words of a prompt as fit in a folder's name without making a list unreadable.
std::string firstWords(const std::string& prompt) {
    constexpr std::size_t longest = 40;  // bytes
    std::istringstream words(prompt);
    std::string text;
    for (std::string word; words >> word && text.size() + 1 + word.size() <= longest;)
        text += (text.empty() ? "" : " ") + word;
    // A script without spaces, or one very long word: fileNameFrom() cuts between characters.
    return text.empty() ? fileNameFrom(prompt, longest) : text;
}

/// What status.json of earlier versions does not say.
void readFromProject(RunState& state, const Project& project) {
    if (state.name.empty())
        state.name = project.name;
    if (state.prompt.empty())
        state.prompt = project.prompt;
    state.settings = changedSettings(project);
    if (state.steps == 0)
        state.steps = static_cast<int>(project.numInferenceSteps);
}

}  // namespace

fs::path runsFolder() {
    if (const char* folder = std::getenv("MESHREEL_RUNS"); folder != nullptr && *folder != '\0')
        return folder;
    if (const std::optional<fs::path> kept = keptFolder(folderSetting))
        return *kept;
    const fs::path data = userDataFolder();
    if (data.is_relative())
        throw Error(ErrorKind::Input, sentence("there is no home folder to keep runs in"), "$HOME",
                    sentence("Set MESHREEL_RUNS to a folder, or give --out"));
    return data / "runs";
}

void setRunsFolder(const fs::path& folder) {
    keepFolder(folderSetting, folder);
}

std::vector<std::string> changedSettings(const Project& project) {
    std::vector<std::string> settings;
    for (const ProjectKey& key : projectKeys())
        if (!isDefault(project, key))
            settings.push_back(fmt::format("{}={}", key.name, valueText(project, key)));
    return settings;
}

fs::path newRunFolder(const Project& project) {
    const std::string time = localTimeNow("%Y%m%d-%H%M%S");
    constexpr std::size_t numberBytes = 4;  // "-" before the name, and "-99" behind it
    const std::string plain = fileNameFrom(project.name.empty() ? firstWords(project.prompt) : project.name,
                                           nameBytesOnAnyDisk - time.size() - numberBytes);
    return freePath(runsFolder() / fmt::format("{}-{}", time, plain.empty() ? "untitled" : plain));
}

namespace {

void readRunInto(RunSummary& summary) {
    const RunFolder folder = RunFolder::open(summary.folder);
    summary.state = folder.state();
    summary.video = folder.video();
    if (folder.has(run_file::preview)) {
        summary.preview = folder.file(run_file::preview);
        std::error_code gone;
        summary.previewTime = fs::last_write_time(*summary.preview, gone);
    }
    if (summary.state.settings.empty())
        readFromProject(summary.state, folder.project());
    summary.name = summary.state.name;
    summary.prompt = summary.state.prompt;
    summary.steps = summary.state.steps;
    const std::vector<StepRecord> steps = folder.steps();
    summary.stepsDone = static_cast<int>(steps.size());
    summary.stepSeconds = warmStepSeconds(steps, summary.state.resumedFrom);
    if (const auto timings = folder.timings())
        summary.inferenceSeconds = timings->inference;
}

}  // namespace

RunSummary summarizeRun(const fs::path& folderPath) {
    RunSummary summary;
    summary.folder = folderPath;
    summary.name = folderPath.filename().string();
    // One unreadable run must not take the list with it, nor its notes the run.
    const auto attempt = [&summary](const auto& read) {
        try {
            read();
        } catch (const Error& failure) {
            summary.problem = failure.asSentence();
        } catch (const std::exception& failure) {
            summary.problem = failure.what();
        }
    };
    attempt([&] { summary.notes = readRunNotes(folderPath); });
    attempt([&] { readRunInto(summary); });
    return summary;
}

namespace {

/// The value of "key=value" in a run's settings; empty when the key is at its default.
std::string_view settingIn(const RunState& state, std::string_view key) {
    for (const std::string_view setting : state.settings)
        if (setting.size() > key.size() && setting.starts_with(key) && setting[key.size()] == '=')
            return setting.substr(key.size() + 1);
    return {};
}

/// The task of which all inputs are set, and none that it does not take.
std::string taskOfInputs(const RunState& state) {
    std::set<std::string_view> inputs;
    for (const WanTaskRow& row : wanTasks())
        for (const std::string_view key : row.needs)
            if (!settingIn(state, key).empty())
                inputs.insert(key);
    const WanTaskRow* found = nullptr;
    for (const WanTaskRow& row : wanTasks()) {
        const bool isIt = std::ranges::all_of(row.needs, [&](auto key) { return inputs.contains(key); }) &&
                          row.needs.size() == inputs.size();
        if (isIt && found == nullptr)
            found = &row;
    }
    return found == nullptr ? std::string() : std::string(found->name);
}

}  // namespace

std::string taskOf(const RunState& state) {
    if (state.outline && !state.outline->task.empty())
        return state.outline->task;
    const std::string asked(settingIn(state, "task"));
    return findWanTask(asked) != nullptr ? asked : taskOfInputs(state);
}

std::vector<std::string> adaptersOf(const RunState& state) {
    const std::string_view text = settingIn(state, "lora");
    if (text.empty())
        return {};
    Project project;
    if (trySetFromText(project, *findProjectKey("lora"), text))
        return {};
    std::vector<std::string> names;
    for (const LoraChoice& adapter : project.lora)
        if (std::string name = fs::path(adapter.file).filename().string(); !std::ranges::count(names, name))
            names.push_back(std::move(name));
    return names;
}

bool isNewerRun(const RunSummary& a, const RunSummary& b) {
    return isNewer({.started = a.state.started, .folder = a.folder},
                   {.started = b.state.started, .folder = b.folder});
}

std::vector<RunSummary> listRuns(const fs::path& folder) {
    std::vector<RunSummary> runs;
    std::error_code unreadable;
    for (fs::directory_iterator entry(folder, unreadable); entry != fs::directory_iterator();
         entry.increment(unreadable))
        if (RunFolder::isRun(entry->path()))
            runs.push_back(summarizeRun(entry->path()));
    std::ranges::sort(runs, isNewerRun);
    return runs;
}

namespace {

MachineIdentity toRunContext(const nlohmann::json& environment) {
    return {.cpu = environment.at("cpu").get<std::string>(),
            .isa = environment.at("isa").get<std::string>(),
            .cpus = environment.at("cpus").get<int>(),
            .version = environment.at("meshreel").at("version").get<std::string>()};
}

/// The steps after the first, as if all had been like them.
std::optional<double> denoisingSeconds(const nlohmann::json& timings) {
    const auto steps = timings.at("step_seconds").get<std::vector<double>>();
    if (steps.size() < 2)
        return std::nullopt;
    const double behindFirst = std::accumulate(steps.begin() + 1, steps.end(), 0.0);
    return behindFirst * static_cast<double>(steps.size()) / static_cast<double>(steps.size() - 1);
}

/// Another build may be faster or slower; an earlier version did not record which it was.
bool isOfThisBuild(const nlohmann::json& environment) {
    return environment.at("meshreel").value("commit", std::string()) == versionCommit();
}

/// OpenBLAS can be made to use another core (OPENBLAS_CORETYPE), which multiplies at another speed.
bool hasTheseProducts(const nlohmann::json& environment) {
    return environment.at("libraries").at("openblas") == matmulLibrary();
}

/// Returns nothing for a run that teaches nothing. Throws Error and nlohmann::json::exception for files that
/// are damaged or older than predictions.
std::optional<PastRun> readPastRun(const fs::path& path, const MachineIdentity& machine) {
    const nlohmann::json environment = readJsonObject(path / run_file::environment);
    if (environment.at("ranks") != 1 || toRunContext(environment) != machine || !isOfThisBuild(environment) ||
        !hasTheseProducts(environment))
        return std::nullopt;
    const nlohmann::json timings = readJsonObject(path / run_file::timings);
    if (timings.value("first_step", 0) != 0 || timings.contains("parts"))
        return std::nullopt;  // resumed: it loaded more than once
    PastRun run{.work = runWorkFrom(environment.at("work")), .seconds = {}};
    run.hasShortSteps = !timings.value("shortened_steps", nlohmann::json::array()).empty();
    const auto set = [&run](RunStage stage, std::optional<double> seconds) {
        run.seconds[static_cast<std::size_t>(stage)] = seconds;
    };
    set(RunStage::Preparing, timings.at("load").get<double>() + timings.at("compile").get<double>());
    if (!timings.value("text_encoder_skipped", false))
        set(RunStage::Conditioning, timings.at("conditioning").get<double>());
    set(RunStage::Denoising, denoisingSeconds(timings));
    set(RunStage::Decoding, timings.at("vae_decode").get<double>());
    return run;
}

}  // namespace

std::vector<PastRun> readPastRuns(const fs::path& folder, const MachineIdentity& machine, std::size_t most) {
    std::vector<PastRun> runs;
    for (const fs::path& path : runsByBeginning(folder)) {
        if (runs.size() >= most)
            break;
        try {
            if (std::optional<PastRun> run = readPastRun(path, machine))
                runs.push_back(std::move(*run));
        } catch (const Error&) {
            continue;
        } catch (const nlohmann::json::exception&) {
            continue;
        }
    }
    return runs;
}

PredictionBasis readPredictionBasis(const fs::path& runs) {
    const MachineIdentity machine = MachineIdentity::ofThis();
    PredictionBasis basis{.rates = readRates(ratesFile(machine), machine),
                          .past = readPastRuns(runs, machine),
                          .gpuRates = readGpuRates(machine)};
    if (!basis.rates)
        basis.taught = ratesOfRuns(machine, basis.past);
    return basis;
}

}  // namespace meshreel
