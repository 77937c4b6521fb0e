// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "engine/base/held_file.h"
#include "engine/base/limits.h"
#include "engine/events/run_event.h"
#include "engine/media/clip_folder.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/project/project.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {

/// Crashed is never stored: it is what "running" means once nobody holds the folder's lock.
enum class RunStatus { Running, Done, Cancelled, Failed, Crashed };

/// "running", "done", "cancelled", "failed", "crashed".
std::string_view nameOf(RunStatus status);

/// What is being made and on what, as far as lists of runs say.
struct RunOutline {
    std::string model;  ///< as the project names it
    std::int64_t width = 0, height = 0, frames = 0;
    std::string attention;  ///< name of the mode
    MeshShape mesh;
    std::string task = {};  ///< its name, "i2v"; empty in runs of earlier versions

    friend bool operator==(const RunOutline&, const RunOutline&) = default;
};

/// The content of status.json.
struct RunState {
    RunStatus status = RunStatus::Running;
    Sentence why;                       ///< for cancelled, failed and crashed runs
    int pid = 0;                        ///< id of the process that last worked on the run
    std::string started;                ///< local time with offset, "2026-11-21T08:45:00+0100"
    std::string finished;               ///< empty while running
    std::string name;                   ///< copied from the project, like its prompt, so that lists need not
                                        ///< read it;
    std::string prompt;                 ///< both empty in runs of earlier versions
    int steps = 0;                      ///< in the whole denoising loop; 0 in runs of earlier versions
    std::optional<RunOutline> outline;  ///< absent in runs of earlier versions
    int resumes = 0;                    ///< how often the run was resumed
    std::vector<int> resumedFrom;       ///< the steps that this began with; not of earlier versions
    std::vector<PartTimings> parts;     ///< what each part took so far; not those of earlier versions
    std::vector<std::string> batchPrompts;  ///< prompts of a batch, each once; empty for one prompt
    /// "key=value" of everything in the project that is not at its default, in the order of the keys; empty
    /// in runs of earlier versions.
    std::vector<std::string> settings;
    bool differentMachine = false;  ///< resumed where bit-identity is not promised

    friend bool operator==(const RunState&, const RunState&) = default;
};

void to_json(nlohmann::json& json, const RunState& state);
void from_json(const nlohmann::json& json, RunState& state);

/// Now, in the form of RunState::started.
std::string timestampNow();

/// Exclusive right to work on a run folder: a FileLock on a file in it.
class RunLock {
  public:
    static constexpr std::string_view fileName = ".lock";

    /// Returns nothing when another process has the lock. Throws Error{Input} when the folder is not
    /// writable, or the file of the lock is a link.
    static std::optional<RunLock> tryTake(const std::filesystem::path& folder);

    /// Returns whether the lock is taken now; false without a lock file.
    static bool isHeld(const std::filesystem::path& folder);

  private:
    explicit RunLock(FileLock lock) : m_lock(std::move(lock)) {}

    FileLock m_lock;
};

/// Names inside a run folder.
namespace run_file {
inline constexpr std::string_view project = "project.yaml";
inline constexpr std::string_view environment = "environment.json";
inline constexpr std::string_view sources = "sources.json";
inline constexpr std::string_view status = clip_file::status;
inline constexpr std::string_view steps = "steps.csv";
inline constexpr std::string_view devices = "devices.csv";
inline constexpr std::string_view checkpoint = "checkpoint.safetensors";
inline constexpr std::string_view timings = "timings.json";
inline constexpr std::string_view trace = "trace.json";
inline constexpr std::string_view summary = "summary.txt";
inline constexpr std::string_view latents = clip_file::latents;
inline constexpr std::string_view latentsChecksum =
    "latents.checksum";  ///< only latents are stored in the checked bytes
inline constexpr std::string_view preview = "preview.png";
inline constexpr std::string_view log = "log.txt";
/// A folder of copies of the files that the project names.
inline constexpr std::string_view inputs = "inputs";
inline constexpr std::string_view videoStem = clip_file::videoStem;
inline constexpr std::string_view finishedStem =
    "finished";  ///< of the finished video, where one is asked for
}  // namespace run_file

/// One run on disk. Every file is complete or absent: written under a temporary name, fsynced, renamed.
/// Reading needs no lock; writing functions need one (RunLock), which create() and lock() take. Files are
/// never opened through a link, and must be regular files; otherwise Error{Input}, because the folder may
/// come from someone else.
class RunFolder {
  public:
    /// Makes the folder with its parents and locks it. One that is there may hold what a run leaves that was
    /// ended while it was planned. Throws Error{Input} when it holds anything else, cannot be made or written
    /// to, or another program plans in it.
    static RunFolder create(const std::filesystem::path& folder);

    /// Undoes create() when no work was begun: removes the folder and the parents that create() made, unless
    /// they hold anything else.
    void discard();

    /// Returns an existing run. Throws Error{Input} when `folder` holds no status.json or project.yaml.
    static RunFolder open(const std::filesystem::path& folder);

    /// open() for who is going to resume the run: nothing inside may be a link, whatever reads or
    /// writes it, and its project names only what this program wrote into it or the user has agreed to
    /// (project_trust.h). Throws Error{Input} naming the link, ProjectError.
    static RunFolder openToWork(const std::filesystem::path& folder);

    /// Returns whether `folder` looks like a run: it holds status.json, or has lost it but kept what only a
    /// run that began has.
    static bool isRun(const std::filesystem::path& folder);

    /// Takes the run for this object, and removes the half-written files of a killed predecessor. Throws
    /// Error{Input} when another process, or another object of this one, is working on the run.
    void lock();

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::filesystem::path file(std::string_view name) const { return m_path / name; }
    [[nodiscard]] bool has(std::string_view name) const;

    // Returns what is there. Throw Error{Input} when a file is missing or damaged.
    [[nodiscard]] RunState state() const;  ///< Crashed instead of Running when nobody holds the lock
    [[nodiscard]] Project project() const;
    [[nodiscard]] std::vector<StepRecord> steps() const;             ///< empty without steps.csv
    [[nodiscard]] std::vector<StepDeviceTimes> deviceTimes() const;  ///< empty without devices.csv
    [[nodiscard]] std::optional<RunCheckpoint> checkpoint() const;   ///< absent before the first step
    [[nodiscard]] Tensor latents() const;
    [[nodiscard]] std::optional<TimingSummary> timings() const;
    /// Returns the object in a JSON file of the run, such as environment.json.
    [[nodiscard]] nlohmann::json object(std::string_view name) const;
    /// Returns its path, for display; to read it, call openVideo().
    [[nodiscard]] std::optional<std::filesystem::path> video() const;
    /// Returns the video, or the folder of its frames; absent when there is none yet.
    [[nodiscard]] std::optional<HeldFile> openVideo() const;
    /// Opens a file of the run for reading.
    [[nodiscard]] HeldFile hold(std::string_view name) const { return {file(name), Links::Refuse}; }
    [[nodiscard]] std::string text(std::string_view name, Limit limit = Limit::Text) const;

    /// Sets a little disk space aside, and gives it back: on a full disk the status can still be written.
    void reserveSpace() const;
    void releaseSpace() const;

    void write(std::string_view name, std::string_view bytes) const;
    void writeState(const RunState& state) const;
    void writeSteps(const std::vector<StepRecord>& steps) const;
    void writeDeviceTimes(const std::vector<StepDeviceTimes>& steps) const;
    /// A row more of steps.csv. The cost does not depend on the rows that are there.
    void appendStep(const StepRecord& step) const;
    /// Appends the rows of one more step to devices.csv.
    void appendDeviceTimes(const StepDeviceTimes& step) const;
    void writeCheckpoint(const RunCheckpoint& checkpoint) const;
    /// Equal latents give equal bytes: no time, path or host inside.
    void writeLatents(const Tensor& latents) const;

  private:
    explicit RunFolder(std::filesystem::path path) : m_path(std::move(path)) {}
    /// A table that begins with `header`, both with their newlines.
    void appendRows(std::string_view name, std::string_view header, std::string_view rows) const;

    std::filesystem::path m_path;
    std::optional<Project> m_agreed;        // what was asked about is what is worked on: see openToWork()
    std::filesystem::path m_existedBefore;  // nearest folder above (or at) m_path that create() did not make
    std::optional<RunLock> m_lock;
};

/// Marks a run as failed, with the reason, when its status is "running" although the process that worked on
/// it is dead; the run can still be resumed. Waits a moment for a process that is about to end. Returns
/// false when there is nothing to mark: there is no such run here, some process works on it, or its status
/// says how it ended.
bool markAbandonedRun(const std::filesystem::path& folder, const Sentence& why);

/// Records how a run ends that this very process works on, when it may be killed before it can record that
/// itself. Ignores whatever goes wrong.
void markEndingRun(const std::filesystem::path& folder, RunStatus status, const Sentence& why) noexcept;

}  // namespace meshreel
