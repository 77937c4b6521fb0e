// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/planning/run_plan.h"
#include "engine/runs/run_folder.h"
#include "engine/timing/run_settings.h"
#include "engine/weights/cache/file_fingerprint.h"

namespace meshreel {

/// A file that a run is made of.
struct SourceFile {
    std::string part;  ///< "transformer", "tokenizer", "adapter 1", "image", …
    std::string name;  ///< within that part, without a path that moves
    FileFingerprint fingerprint;

    friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

/// The content of sources.json: all that decides what a run makes, on whatever machine.
struct RunSources {
    SettingValues settings;  ///< of every key of the project, as the run folder's project.yaml spells it
    std::vector<SourceFile> files;
};

/// The files of the plan's model and adapters: weights, configs and tokenizer that the run reads. Throws
/// Error{Input} for one that cannot be read, Error{Cancelled}.
std::vector<SourceFile> modelSources(const RunPlan& plan, const StopToken& stop);

/// Images and videos that a project names, each file of a folder of frames. Throws as modelSources().
std::vector<SourceFile> inputSources(const Project& project, const StopToken& stop);

/// What the run folder's project.yaml says now.
SettingValues storedSettings(const RunFolder& folder);

/// Writes sources.json and reads it. Reading throws Error{Input} for a damaged file.
void writeSources(const RunFolder& folder, const RunSources& sources);
RunSources readSources(const RunFolder& folder);

/// What has changed, one sentence each. Settings that change no latents and no frames may differ (the video's
/// format, threads, hosts, memory), and so may the paths of files as long as they hold the same; the mesh is
/// compared with the machine's facts (environmentDifferences()).
struct SourceDifferences {
    std::vector<Sentence> settings;
    std::vector<Sentence> files;

    [[nodiscard]] bool empty() const { return settings.empty() && files.empty(); }
};
SourceDifferences sourceDifferences(const RunSources& was, const RunSources& is);

/// Throws Error{Project} when only settings differ, otherwise Error{Input}; both name each difference.
[[noreturn]] void refuseChangedSources(const RunFolder& folder, const SourceDifferences& differences);

}  // namespace meshreel
