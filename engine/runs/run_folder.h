// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pipelines/generation_events.h"
#include "engine/project/project.h"
#include "engine/runs/run_lock.h"
#include "engine/runs/run_status.h"
#include "engine/timing/device_time.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"

namespace meshreel {

/// Names inside a run folder.
namespace run_file {
inline constexpr std::string_view project = "project.yaml";
inline constexpr std::string_view environment = "environment.json";
inline constexpr std::string_view status = "status.json";
inline constexpr std::string_view steps = "steps.csv";
inline constexpr std::string_view devices = "devices.csv";
inline constexpr std::string_view checkpoint = "checkpoint.safetensors";
inline constexpr std::string_view timings = "timings.json";
inline constexpr std::string_view trace = "trace.json";
inline constexpr std::string_view summary = "summary.txt";
inline constexpr std::string_view latents = "latents.safetensors";
inline constexpr std::string_view preview = "preview.png";
inline constexpr std::string_view log = "log.txt";
/// A folder of copies of the files that the project names.
inline constexpr std::string_view inputs = "inputs";
/// The video is this with the extension of its format (video.mp4); numbered PNG frames are a folder of this
/// name.
inline constexpr std::string_view videoStem = "video";
}  // namespace run_file

/// A snapshot on disk with the record of its last step.
struct RunCheckpoint {
    SamplerSnapshot snapshot;
    StepRecord lastStep;
};

/// One run on disk. Every file is complete or absent: written under a temporary name, fsynced, renamed.
/// Reading needs no lock; writing functions need one (RunLock), which create() and lock() take. No file is
/// opened through a link: that is Error{Input}, as the folder may come from somebody else.
class RunFolder {
  public:
    /// Makes the folder with its parents and locks it. One that is there may hold what a run leaves that was
    /// ended while it was planned. Throws Error{Input} when it holds anything else, cannot be made or written
    /// to, or another program plans in it.
    static RunFolder create(const std::filesystem::path& folder);

    /// Undoes create() when no work was begun: removes the folder and the parents that create() made, as far
    /// as they hold nothing else.
    void discard();

    /// An existing run. Throws Error{Input} when `folder` holds no status.json or project.yaml.
    static RunFolder open(const std::filesystem::path& folder);

    /// The same for who is going to go on with the run: nothing inside may be a link, whatever reads or
    /// writes it. Throws Error{Input} naming the link.
    static RunFolder openToWork(const std::filesystem::path& folder);

    /// Whether `folder` looks like a run (holds status.json).
    static bool isRun(const std::filesystem::path& folder);

    /// Takes the run for this object, and removes the half-written files of a killed predecessor. Throws
    /// Error{Input} when another process, or another object of this one, is working on the run.
    void lock();

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::filesystem::path file(std::string_view name) const { return m_path / name; }
    [[nodiscard]] bool has(std::string_view name) const;

    // What is there. Throw Error{Input} when a file is missing or damaged.
    [[nodiscard]] RunState state() const;  ///< Crashed instead of Running when nobody holds the lock
    [[nodiscard]] Project project() const;
    [[nodiscard]] std::vector<StepRecord> steps() const;             ///< empty without steps.csv
    [[nodiscard]] std::vector<StepDeviceTimes> deviceTimes() const;  ///< empty without devices.csv
    [[nodiscard]] std::optional<RunCheckpoint> checkpoint() const;   ///< absent before the first step
    [[nodiscard]] Tensor latents() const;
    [[nodiscard]] std::optional<TimingSummary> timings() const;
    [[nodiscard]] std::optional<std::filesystem::path> video() const;

    /// Sets a little disk space aside, and gives it back: on a full disk the status can still be written.
    void reserveSpace() const;
    void releaseSpace() const;

    void write(std::string_view name, std::string_view bytes) const;
    void writeState(const RunState& state) const;
    void writeSteps(const std::vector<StepRecord>& steps) const;
    void writeDeviceTimes(const std::vector<StepDeviceTimes>& steps) const;
    void writeCheckpoint(const RunCheckpoint& checkpoint) const;
    /// Equal latents give equal bytes: no time, path or host inside.
    void writeLatents(const Tensor& latents) const;

  private:
    explicit RunFolder(std::filesystem::path path) : m_path(std::move(path)) {}

    std::filesystem::path m_path;
    std::filesystem::path m_existedBefore;  // nearest folder above (or at) m_path that create() did not make
    std::optional<RunLock> m_lock;
};

}  // namespace meshreel
