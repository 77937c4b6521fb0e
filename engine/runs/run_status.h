// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/mesh/mesh_shape.h"

namespace meshreel {

/// Crashed is never stored: it is what "running" means once nobody holds the folder's lock.
enum class RunStatus { Running, Done, Cancelled, Failed, Crashed };

/// "running", "done", "cancelled", "failed", "crashed".
std::string_view nameOf(RunStatus status);

/// What is being made and on what, as far as lists of runs tell.
struct RunOutline {
    std::string model;  ///< as the project names it
    std::int64_t width = 0, height = 0, frames = 0;
    std::string attention;  ///< name of the mode
    MeshShape mesh;

    friend bool operator==(const RunOutline&, const RunOutline&) = default;
};

/// The content of status.json.
struct RunState {
    RunStatus status = RunStatus::Running;
    Sentence why;                       ///< for cancelled, failed and crashed runs
    int pid = 0;                        ///< of the process that last worked on the run
    std::string started;                ///< local time with offset, "2026-11-21T08:45:00+0100"
    std::string finished;               ///< empty while running
    std::string name;                   ///< of the project, as its prompt, so that lists need not read it;
    std::string prompt;                 ///< both empty in runs of earlier versions
    int steps = 0;                      ///< of the whole denoising loop; 0 in runs of earlier versions
    std::optional<RunOutline> outline;  ///< absent in runs of earlier versions
    int resumes = 0;                    ///< how often the run was continued
    std::vector<int> resumedFrom;       ///< the steps that this began with; not of earlier versions
    bool differentMachine = false;      ///< continued where bit-identity is not promised

    friend bool operator==(const RunState&, const RunState&) = default;
};

void to_json(nlohmann::json& json, const RunState& state);
void from_json(const nlohmann::json& json, RunState& state);

/// Now, in the form of RunState::started.
std::string timestampNow();

}  // namespace meshreel
