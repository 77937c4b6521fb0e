// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/prediction.h"
#include "engine/planning/forecast.h"
#include "engine/project/project.h"
#include "engine/runs/run_folder.h"

namespace meshreel {

/// What a person says about a run, kept in notes.json of its folder, so that it goes where the folder goes.
/// Nothing of the run depends on it.
struct RunNotes {
    std::vector<std::string> tags;  ///< without spaces at the ends, none twice
    std::string note;
    bool star = false;                     ///< one of the best
    std::vector<std::string> boards = {};  ///< the collections that it is in, as tags are

    friend bool operator==(const RunNotes&, const RunNotes&) = default;
};

/// Returns the notes in a run's folder; none if none were written. Throws Error{Input} for a damaged file,
/// and for one of a later version.
RunNotes readRunNotes(const std::filesystem::path& runFolder);

/// Writes the notes, complete or not at all. Keys that other programs put into the file stay; without such
/// keys empty notes remove it. Throws what readRunNotes() throws, and writes nothing then; what
/// writeFileAtomically() throws.
void writeRunNotes(const std::filesystem::path& runFolder, const RunNotes& notes);

/// Reads the notes, lets `change` change them, and writes them: what another program wrote meanwhile stays.
/// Returns what is written. Throws what writeRunNotes() throws.
RunNotes changeRunNotes(const std::filesystem::path& runFolder, const std::function<void(RunNotes&)>& change);

/// Returns the tags of a text like "demo, best one": split at commas.
std::vector<std::string> readTags(const std::string& text);

/// $MESHREEL_RUNS, else the setting, else $XDG_DATA_HOME/meshreel/runs, else ~/.local/share/meshreel/runs.
std::filesystem::path runsFolder();

/// Saves the folder for all programs of this user ($XDG_CONFIG_HOME/meshreel/runs-folder); an empty path
/// restores the default. Throws Error{Input} when it is not a folder.
void setRunsFolder(const std::filesystem::path& folder);

/// "key=value" of everything in the project that is not at its default, in the order of the keys.
std::vector<std::string> changedSettings(const Project& project);

/// <runsFolder()>/<YYYYmmdd-HHMMSS>-<name>, with "-2", "-3", … when taken. The name is the project's, else
/// the first words of its prompt; it keeps letters, digits, '-', '_' and '.', other characters become '-'.
std::filesystem::path newRunFolder(const Project& project);

/// A line of the history: what a folder says without its tensors.
struct RunSummary {
    std::filesystem::path folder;
    RunState state;
    std::string name;
    std::string prompt;
    int stepsDone = 0;
    int steps = 0;
    std::optional<double> stepSeconds;           ///< of the steps done, as warmStepSeconds()
    std::optional<double> inferenceSeconds;      ///< for a finished run
    std::optional<std::filesystem::path> video;  ///< a file, or a folder of frames
    std::optional<std::filesystem::path> preview;
    std::filesystem::file_time_type previewTime = {};  ///< when the preview was written
    RunNotes notes;
    Sentence problem;  ///< why the rest is incomplete, when a file cannot be read

    friend bool operator==(const RunSummary&, const RunSummary&) = default;
};

/// Returns whether run `a` stands before `b` in a list: the newest first by start, as the folders tell it.
bool isNewerRun(const RunSummary& a, const RunSummary& b);

/// Returns the runs directly inside `folder`, newest first by start. Skips folders that are not runs; a
/// missing folder has no runs.
std::vector<RunSummary> listRuns(const std::filesystem::path& folder);

RunSummary summarizeRun(const std::filesystem::path& folder);

/// Returns the name of the run's task, "i2v". Of a run of an earlier version, which does not tell it: what
/// the project asked for, or the task whose inputs it had; empty when no task has just these.
std::string taskOf(const RunState& state);

/// Returns the names of the files of the run's adapters, each once.
std::vector<std::string> adaptersOf(const RunState& state);

/// Returns the newest finished runs in `folder` that this machine made in one go, at most `most` of them, for
/// predictions to learn from. Skips runs of other machines, versions and builds, and unreadable ones.
std::vector<PastRun> readPastRuns(const std::filesystem::path& folder, const MachineIdentity& machine,
                                  std::size_t most = 200);

/// Returns the rates of this machine and its GPUs in the user's cache folder, and the runs in `runs`.
PredictionBasis readPredictionBasis(const std::filesystem::path& runs);

}  // namespace meshreel
