// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/record_json.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/base/write_failure.h"
#include "engine/media/video_writer.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_trust.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/device_times.h"
#include "engine/weights/cache/fingerprint.h"
#include "engine/weights/formats/safetensors.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::array<std::pair<RunStatus, std::string_view>, 5> statusNames{{
    {RunStatus::Running, "running"},
    {RunStatus::Done, "done"},
    {RunStatus::Cancelled, "cancelled"},
    {RunStatus::Failed, "failed"},
    {RunStatus::Crashed, "crashed"},
}};

RunStatus statusFromName(const std::string& name) {
    const auto* found = std::ranges::find(statusNames, name, &decltype(statusNames)::value_type::second);
    if (found == statusNames.end())
        throw Error(ErrorKind::Input, sentence("\"{}\" is not a status of a run", name), "status.json",
                    sentence("It is one of running, done, cancelled, failed"));
    return found->first;
}

nlohmann::json outlineJson(const RunOutline& outline) {
    const MeshShape& mesh = outline.mesh;
    nlohmann::json json{
        {"model", outline.model},
        {"width", outline.width},
        {"height", outline.height},
        {"frames", outline.frames},
        {"attention", outline.attention},
        {"mesh",
         {{"data", mesh.data}, {"fsdp", mesh.fsdp}, {"context", mesh.context}, {"tensor", mesh.tensor}}},
    };
    if (!outline.task.empty())
        json["task"] = outline.task;
    return json;
}

RunOutline outlineFrom(const nlohmann::json& json) {
    const nlohmann::json& mesh = json.at("mesh");
    return {.model = json.at("model").get<std::string>(),
            .width = json.at("width").get<std::int64_t>(),
            .height = json.at("height").get<std::int64_t>(),
            .frames = json.at("frames").get<std::int64_t>(),
            .attention = json.at("attention").get<std::string>(),
            .mesh = {.data = mesh.at("data").get<int>(),
                     .fsdp = mesh.at("fsdp").get<int>(),
                     .context = mesh.at("context").get<int>(),
                     .tensor = mesh.at("tensor").get<int>()},
            .task = json.value("task", "")};
}

}  // namespace

std::string_view nameOf(RunStatus status) {
    return std::ranges::find(statusNames, status, &decltype(statusNames)::value_type::first)->second;
}

void to_json(nlohmann::json& json, const RunState& state) {
    json = {{"status", nameOf(state.status)},
            {"pid", state.pid},
            {"started", state.started},
            {"finished", state.finished},
            {"name", state.name},
            {"prompt", state.prompt},
            {"steps", state.steps},
            {"resumes", state.resumes},
            {"resumed_from", state.resumedFrom},
            {"different_machine", state.differentMachine},
            {"parts", nlohmann::json(partsJson(state.parts))},
            {"settings", state.settings}};
    if (!state.batchPrompts.empty())
        json["batch_prompts"] = state.batchPrompts;
    putSentence(json, "why", state.why);
    if (state.outline)
        json["outline"] = outlineJson(*state.outline);
}

void from_json(const nlohmann::json& json, RunState& state) {
    state.status = statusFromName(json.at("status").get<std::string>());
    state.why = sentenceAt(json, "why");
    state.pid = json.value("pid", 0);
    state.started = json.value("started", "");
    state.finished = json.value("finished", "");
    state.name = json.value("name", "");
    state.prompt = json.value("prompt", "");
    state.steps = json.value("steps", 0);
    state.resumes = json.value("resumes", 0);
    state.resumedFrom = json.value("resumed_from", std::vector<int>());
    state.differentMachine = json.value("different_machine", false);
    if (json.contains("parts"))
        state.parts = partsFrom(nlohmann::ordered_json(json.at("parts")));
    state.batchPrompts = json.value("batch_prompts", std::vector<std::string>());
    state.settings = json.value("settings", std::vector<std::string>());
    state.outline = json.contains("outline") ? std::optional(outlineFrom(json.at("outline"))) : std::nullopt;
}

std::string timestampNow() {
    return localTimeNow("%Y-%m-%dT%H:%M:%S%z");
}

std::optional<RunLock> RunLock::tryTake(const fs::path& folder) {
    std::optional<FileLock> lock = FileLock::tryTake(openPlainFile(folder / fileName, O_RDWR | O_CREAT));
    // A former holder may have removed the file with the folder meanwhile.
    struct stat status {};
    if (!lock || ::fstat(lock->descriptor(), &status) != 0 || status.st_nlink == 0)
        return std::nullopt;
    return RunLock(*std::move(lock));
}

bool RunLock::isHeld(const fs::path& folder) {
    const int descriptor =
        ::open((folder / fileName).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    const bool held = FileLock::isHeld(descriptor);
    ::close(descriptor);
    return held;
}

namespace {

constexpr std::string_view latentsTensor = "latents";
constexpr std::string_view historyPrefix = "scheduler.";
constexpr std::string_view cachePrefix = "step_cache.";
constexpr std::string_view finishedTensor = "finished_segments";
constexpr const char* stepsDoneKey = "steps_done";
constexpr const char* lastStepKey = "last_step";  // the row of steps.csv that belongs to the checkpoint

constexpr const char* checksumKey = "checksum";  // none in checkpoints of earlier versions

constexpr std::string_view reserveFile = ".reserve";

[[noreturn]] void throwDamaged(const fs::path& file, const Sentence& reason) {
    throw Error(ErrorKind::Input, sentence("the file is damaged ({})", reason), file.string(),
                sentence("Restore the run folder from a copy, or start a new run"));
}

/// What `read` makes of a run's file. Nobody but the run ever had the file: it cannot be downloaded again.
template <typename Read>
auto readOfRun(const fs::path& file, const Read& read) {
    try {
        return read();
    } catch (const nlohmann::json::exception& failure) {
        throwDamaged(file, failure.what());
    } catch (const Error& failure) {
        if (failure.kind() != ErrorKind::Input)
            throw;
        throwDamaged(file, failure.message());
    }
}

/// Covers names, shapes and every byte: a sector that a power cut has zeroed reads as good numbers.
std::string hashTensors(std::span<const NamedTensor> tensors) {
    std::string text;
    for (const auto& [name, tensor] : tensors)
        text += fmt::format("{} {} {:016x}\n", name, tensor.shape().text(),
                            contentHash({tensor.raw(), tensor.bytes()}));
    return nameHash(text);
}

/// What a checkpoint's file holds, in the order of its names.
std::vector<NamedTensor> tensorsOf(const SafetensorsFile& stored) {
    std::vector<NamedTensor> tensors;
    for (const std::string& name : stored.names())
        tensors.emplace_back(name, stored.get(name));
    std::ranges::sort(tensors, {}, &NamedTensor::first);
    return tensors;
}

bool isEmptyOrMissing(const fs::path& folder) {
    std::error_code failure;
    if (!fs::exists(folder, failure))
        return true;
    return fs::is_directory(folder, failure) && fs::is_empty(folder, failure);
}

bool isUnbegunRun(const fs::path& folder) {
    // What is there before the status is: a run that was killed while it was planned leaves no more.
    constexpr std::array namesBeforeStatus{RunLock::fileName, run_file::inputs, run_file::project,
                                           run_file::sources, run_file::environment};
    std::error_code failure;
    if (!fs::exists(fs::symlink_status(folder / RunLock::fileName, failure)))
        return false;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
        const std::string name = entry.path().filename().string();
        if (std::ranges::find(namesBeforeStatus, name) == namesBeforeStatus.end() && !isTemporaryName(name))
            return false;
    }
    return !failure;
}

/// Absolute, without "." parts or a "/" at the end.
fs::path tidy(const fs::path& folder) {
    const fs::path path = fs::absolute(folder).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

/// Copies of the tensors whose names begin with `prefix`, by the rest of their names.
std::vector<std::pair<std::string, Tensor>> tensorsBehind(std::string_view prefix,
                                                          const SafetensorsFile& stored) {
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (const std::string& name : stored.names())
        if (name.starts_with(prefix))
            tensors.emplace_back(name.substr(prefix.size()), stored.get(name).clone());
    return tensors;
}

/// Whether it is there. What is neither a file nor a folder could hang who opens it, and a link lead
/// anywhere.
bool isPlain(const fs::path& path) {
    std::error_code failure;
    if (!fs::exists(fs::symlink_status(path, failure)))
        return false;
    const HeldFile held(path, Links::Refuse);
    return true;
}

fs::path nearestExisting(fs::path folder) {
    std::error_code failure;
    while (!fs::exists(folder, failure) && folder.has_relative_path())
        folder = folder.parent_path();
    return folder;
}

}  // namespace

RunFolder RunFolder::create(const fs::path& folder) {
    const bool isUnbegun = isUnbegunRun(folder);
    if (!isUnbegun && !isEmptyOrMissing(folder))
        throw Error(ErrorKind::Input, sentence("the folder for the run is not empty"), folder.string(),
                    sentence("Choose a new folder, or resume the run in it with --resume"));
    if (isUnbegun)
        requirePlainFiles(folder);
    RunFolder run(tidy(folder));
    run.m_existedBefore = nearestExisting(run.m_path);
    std::error_code failure;
    fs::create_directories(run.m_path, failure);
    if (failure)
        throw writeFailure(sentence("the folder for the run cannot be made ({})", failure.message()),
                           folder.string(), failure.value());
    run.lock();
    return run;
}

void RunFolder::discard() {
    std::error_code notEmpty;
    fs::remove(m_path / RunLock::fileName, notEmpty);
    m_lock.reset();
    for (fs::path folder = m_path; folder != m_existedBefore && !notEmpty; folder = folder.parent_path())
        fs::remove(folder, notEmpty);
}

RunFolder RunFolder::open(const fs::path& folder) {
    std::error_code failure;
    if (!fs::is_directory(folder, failure))
        throw Error(ErrorKind::Input, sentence("there is no such run folder"), folder.string(),
                    sentence("Check the path"));
    if (isUnbegunRun(folder))
        throw Error(ErrorKind::Input,
                    sentence("the run was ended before it began: there is nothing to resume"),
                    folder.string(), sentence("Start it again with --out and the same folder"));
    for (const std::string_view name : {run_file::status, run_file::project}) {
        requireNoLink(folder / name);
        if (isRun(folder) && !fs::exists(folder / name, failure))
            throw Error(ErrorKind::Input, sentence("the run has lost its {}", name), folder.string(),
                        sentence("Restore the run folder from a copy, or start a new run"));
        if (!fs::is_regular_file(folder / name, failure))
            throw Error(ErrorKind::Input, sentence("this is not a run folder: it has no {}", name),
                        folder.string(), sentence("Give a folder that meshreel run has made"));
    }
    return RunFolder(tidy(folder));
}

RunFolder RunFolder::openToWork(const fs::path& folder) {
    RunFolder run = open(folder);
    requirePlainFiles(run.path());
    run.m_agreed = run.project();
    requireTrust(askTrust(*run.m_agreed, run.path(), ProjectSource::Elsewhere));
    return run;
}

bool RunFolder::isRun(const fs::path& folder) {
    constexpr std::array namesOfBegunRuns{run_file::status, run_file::steps, run_file::checkpoint,
                                          run_file::latents, run_file::timings};
    std::error_code failure;
    return std::ranges::any_of(
        namesOfBegunRuns, [&](std::string_view name) { return fs::is_regular_file(folder / name, failure); });
}

void RunFolder::lock() {
    m_lock = RunLock::tryTake(m_path);
    if (!m_lock)
        throw Error(ErrorKind::Input, sentence("another program is working on this run"), m_path.string(),
                    sentence("Wait until it is done, or cancel it there"));
    removeAbandonedTemporaries(m_path);
}

bool RunFolder::has(std::string_view name) const {
    return isPlain(file(name));
}

std::string RunFolder::text(std::string_view name, Limit limit) const {
    return hold(name).readWith([limit](const fs::path& same) { return readFile(same, limit); });
}

RunState RunFolder::state() const {
    const fs::path path = file(run_file::status);
    const nlohmann::json json = object(run_file::status);
    if (!json.contains("status") || !json.at("status").is_string())
        throw Error(ErrorKind::Input, sentence("this is not the status of a Meshreel run"), path.string(),
                    sentence("Choose a folder that a run of Meshreel was written into"));
    auto state = readOfRun(path, [&] { return json.get<RunState>(); });
    if (state.status == RunStatus::Running && !RunLock::isHeld(m_path)) {
        state.status = RunStatus::Crashed;
        state.why = sentence("The program ended without finishing the run");
    }
    return state;
}

Project RunFolder::project() const {
    if (m_agreed)
        return *m_agreed;
    const fs::path path = file(run_file::project);
    LoadedProject loaded = parseProject(text(run_file::project), wellFormedUtf8(withTilde(path)));
    resolveInputs(loaded, m_path);
    return std::move(loaded.project);
}

std::vector<StepRecord> RunFolder::steps() const {
    if (!has(run_file::steps))
        return {};
    return parseStepCsv(text(run_file::steps, Limit::Table));
}

std::vector<StepDeviceTimes> RunFolder::deviceTimes() const {
    if (!has(run_file::devices))
        return {};
    return parseDeviceTimes(text(run_file::devices, Limit::Table));
}

std::optional<RunCheckpoint> RunFolder::checkpoint() const {
    if (!has(run_file::checkpoint))
        return std::nullopt;
    const fs::path path = file(run_file::checkpoint);
    const HeldFile held = hold(run_file::checkpoint);
    const SafetensorsFile stored = readOfRun(path, [&] {
        return held.readWith([](const fs::path& same) { return SafetensorsFile::open(same); });
    });
    const auto& metadata = stored.metadata();
    if (!metadata.contains(stepsDoneKey) || !metadata.contains(lastStepKey))
        throwDamaged(path, sentence("it does not say its step"));

    RunCheckpoint checkpoint;
    checkpoint.lastStep = readOfRun(path, [&] { return parseStepCsvRow(metadata.at(lastStepKey)); });
    checkpoint.snapshot.stepsDone = checkpoint.lastStep.step + 1;
    if (metadata.at(stepsDoneKey) != std::to_string(checkpoint.snapshot.stepsDone))
        throwDamaged(path, sentence("its step numbers disagree"));
    if (const auto kept = metadata.find(checksumKey);
        kept != metadata.end() && kept->second != hashTensors(tensorsOf(stored)))
        throwDamaged(path, sentence("its numbers are not those that were written"));
    // Clones: the map goes away when the next checkpoint replaces the file.
    checkpoint.snapshot.latents = stored.get(latentsTensor).clone();
    checkpoint.snapshot.history = tensorsBehind(historyPrefix, stored);
    checkpoint.snapshot.cache = tensorsBehind(cachePrefix, stored);
    if (stored.find(finishedTensor) != nullptr)
        checkpoint.snapshot.finished = stored.get(finishedTensor).clone();
    return checkpoint;
}

Tensor RunFolder::latents() const {
    const fs::path path = file(run_file::latents);
    if (!has(run_file::latents))
        throw Error(ErrorKind::Input, sentence("the run has no latents.safetensors yet"), m_path.string(),
                    sentence("Resume the run first (meshreel run --resume)"));
    Tensor latents = readOfRun(path, [&] {
        return hold(run_file::latents).readWith([](const fs::path& same) {
            return SafetensorsFile::open(same).get(latentsTensor).clone();
        });
    });
    const NamedTensor named{std::string(latentsTensor), latents};
    if (has(run_file::latentsChecksum) && text(run_file::latentsChecksum) != hashTensors({&named, 1}) + "\n")
        throwDamaged(path, sentence("its numbers are not those that were written"));
    return latents;
}

std::optional<TimingSummary> RunFolder::timings() const {
    if (!has(run_file::timings))
        return std::nullopt;
    const nlohmann::json json = object(run_file::timings);
    return readOfRun(file(run_file::timings), [&] { return json.get<TimingSummary>(); });
}

nlohmann::json RunFolder::object(std::string_view name) const {
    const fs::path path = file(name);
    const std::string content = text(name, Limit::Json);
    return readOfRun(path, [&] { return parseJsonObject(content, path.string()); });
}

std::optional<fs::path> RunFolder::video() const {
    for (const VideoFormatInfo& info : videoFormats()) {
        const fs::path path = withVideoExtension(file(run_file::videoStem), info.format);
        if (isPlain(path))
            return path;
    }
    return std::nullopt;
}

std::optional<HeldFile> RunFolder::openVideo() const {
    const std::optional<fs::path> place = video();
    return place ? std::optional<HeldFile>(std::in_place, *place, Links::Refuse) : std::nullopt;
}

void RunFolder::reserveSpace() const {
    constexpr std::size_t reservedBytes = 32UL * 1024;
    write(reserveFile, std::string(reservedBytes, '0'));
}

void RunFolder::releaseSpace() const {
    std::error_code missing;
    fs::remove(file(reserveFile), missing);
}

void RunFolder::write(std::string_view name, std::string_view bytes) const {
    writeFileAtomically(file(name), bytes);
}

void RunFolder::writeState(const RunState& state) const {
    // A reason may name a file whose name is not UTF-8.
    const nlohmann::ordered_json json = nlohmann::json(state);
    write(run_file::status, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void RunFolder::writeSteps(const std::vector<StepRecord>& steps) const {
    write(run_file::steps, stepCsv(steps));
}

void RunFolder::writeDeviceTimes(const std::vector<StepDeviceTimes>& steps) const {
    write(run_file::devices, toCsv(deviceTimeTable(steps)));
}

void RunFolder::appendRows(std::string_view name, std::string_view header, std::string_view rows) const {
    appendToFile(file(name), has(name) ? std::string(rows) : fmt::format("{}{}", header, rows));
}

void RunFolder::appendStep(const StepRecord& step) const {
    appendRows(run_file::steps, stepCsv({}), stepCsvRow(step) + "\n");
}

void RunFolder::appendDeviceTimes(const StepDeviceTimes& step) const {
    const std::string header = toCsv(deviceTimeTable({}));
    const std::string table = toCsv(deviceTimeTable({&step, 1}));
    appendRows(run_file::devices, header, std::string_view(table).substr(header.size()));
}

void RunFolder::writeCheckpoint(const RunCheckpoint& checkpoint) const {
    std::vector<NamedTensor> tensors{{std::string(latentsTensor), checkpoint.snapshot.latents}};
    for (const auto& [name, tensor] : checkpoint.snapshot.history)
        tensors.emplace_back(std::string(historyPrefix) + name, tensor);
    for (const auto& [name, tensor] : checkpoint.snapshot.cache)
        tensors.emplace_back(std::string(cachePrefix) + name, tensor);
    if (checkpoint.snapshot.finished)
        tensors.emplace_back(std::string(finishedTensor), *checkpoint.snapshot.finished);
    std::ranges::sort(tensors, {}, &NamedTensor::first);
    writeSafetensors(file(run_file::checkpoint), tensors,
                     {{stepsDoneKey, std::to_string(checkpoint.snapshot.stepsDone)},
                      {lastStepKey, stepCsvRow(checkpoint.lastStep)},
                      {checksumKey, hashTensors(tensors)}});
}

void RunFolder::writeLatents(const Tensor& latents) const {
    const NamedTensor named{std::string(latentsTensor), latents};
    std::error_code missing;
    fs::remove(file(run_file::latentsChecksum), missing);  // of other latents
    writeSafetensors(file(run_file::latents), {&named, 1});
    write(run_file::latentsChecksum, hashTensors({&named, 1}) + "\n");
}

bool markAbandonedRun(const fs::path& folder, const Sentence& why) {
    constexpr std::chrono::seconds patience{1};
    constexpr std::chrono::milliseconds pollInterval{50};
    if (!RunFolder::isRun(folder))
        return false;
    try {
        RunFolder run = RunFolder::open(folder);
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (run.state().status == RunStatus::Running && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(pollInterval);
        if (run.state().status != RunStatus::Crashed)
            return false;
        run.lock();
        RunState state = run.state();
        if (state.status != RunStatus::Running)  // ours is the lock now: nobody has written since
            return false;
        state.status = RunStatus::Failed;
        state.why = why;
        state.finished = timestampNow();
        run.releaseSpace();
        run.writeState(state);
        return true;
    } catch (const Error&) {
        return false;  // another process has taken it over, or it is not writable
    }
}

void markEndingRun(const fs::path& folder, RunStatus status, const Sentence& why) noexcept {
    try {
        const RunFolder run = RunFolder::open(folder);
        RunState state = run.state();
        if (state.status != RunStatus::Running)
            return;
        state.status = status;
        state.why = why;
        state.finished = timestampNow();
        run.writeState(state);
    } catch (const std::exception&) {
        return;  // the run counts as crashed then
    }
}

}  // namespace meshreel
