// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/runs/run_notes.h"
#include "engine/runs/run_status.h"

namespace meshreel {

/// $MESHREEL_RUNS, else $XDG_DATA_HOME/meshreel/runs, else ~/.local/share/meshreel/runs.
std::filesystem::path runsFolder();

/// <runsFolder()>/<YYYYmmdd-HHMMSS>-<name>, with "-2", "-3", … when taken. The name keeps letters, digits,
/// '-', '_' and '.'; other characters become '-'.
std::filesystem::path newRunFolder(const std::string& name);

/// A line of the history: what a folder tells without its tensors.
struct RunSummary {
    std::filesystem::path folder;
    RunState state;
    std::string name;
    std::string prompt;
    int stepsDone = 0;
    int steps = 0;
    std::optional<double> stepSeconds;           ///< mean of the steps done, as warmStepSeconds()
    std::optional<double> inferenceSeconds;      ///< of a finished run
    std::optional<std::filesystem::path> video;  ///< a file, or a folder of frames
    std::optional<std::filesystem::path> preview;
    RunNotes notes;
    Sentence problem;  ///< why the rest is incomplete, when a file cannot be read

    friend bool operator==(const RunSummary&, const RunSummary&) = default;
};

/// The runs directly inside `folder`, newest first by start. Folders that are no runs are passed over; a
/// missing folder has no runs.
std::vector<RunSummary> listRuns(const std::filesystem::path& folder);

RunSummary summarizeRun(const std::filesystem::path& folder);

}  // namespace meshreel
