// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/project/project_trust.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_folder.h"
#include "engine/weights/cache/fingerprint.h"

namespace meshreel {

/// A file that a run is made of.
struct SourceFile {
    std::string part;  ///< "transformer", "tokenizer", "adapter 1", "image", …
    std::string name;  ///< within that part, without a path that moves
    FileFingerprint fingerprint;

    friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

/// Copies the files that the project names into the run folder's `inputs`, so that the run can be resumed
/// and repeated whatever becomes of them; of a folder its frames, of a run that is continued its video and,
/// where its VAE holds what that of `modelFiles` (modelSources()) does, its latents. Returns the project that
/// names the copies. What is copied is what `trusted` was asked about, whatever its path leads to by then.
/// Throws Error{Input} for a file that is missing or cannot be copied, Error{Resources} for a full disk,
/// ProjectError for a file that is not trusted, and leaves no copies then.
Project storeInputs(const RunFolder& folder, Project project, const TrustedInputs& trusted = {},
                    std::span<const SourceFile> modelFiles = {});

/// Returns the project with each input by the path without links of what is trusted now, for a process that
/// copies it later, by TrustedInputs::withoutLinks(). Throws Error{Input} for a file that is missing,
/// ProjectError.
Project withInputsWhereTheyLie(Project project, const TrustedInputs& trusted);

/// Returns a project as stored in a file in the run's folder: the copies by their paths in it.
Project asStoredIn(const RunFolder& folder, Project project);

/// {"part", "file", "bytes", "hash", …}; reading throws nlohmann::json::exception for anything else.
void to_json(nlohmann::json& json, const SourceFile& file);
void from_json(const nlohmann::json& json, SourceFile& file);

/// The content of sources.json: all that decides what a run makes, on whatever machine.
struct RunSources {
    SettingValues settings;  ///< every key of the project, as the run folder's project.yaml spells it
    std::vector<SourceFile> files;
};

/// Returns the files of the plan's model and adapters: weights, configs and tokenizer that the run reads.
/// Throws Error{Input} for one that cannot be read, Error{Cancelled}.
std::vector<SourceFile> modelSources(const RunPlan& plan, const StopToken& stop);

/// Images and videos that a project names, each file of a folder of frames; of a run that is continued its
/// video and latents. Throws as modelSources() does.
std::vector<SourceFile> inputSources(const Project& project, const StopToken& stop);

/// Returns what the run folder's project.yaml says now.
SettingValues storedSettings(const RunFolder& folder);

/// Writes sources.json and reads it. Reading throws Error{Input} for a damaged file.
void writeSources(const RunFolder& folder, const RunSources& sources);
RunSources readSources(const RunFolder& folder);

/// Returns whether another value of the key changes neither latents nor frames.
bool isFreeSetting(std::string_view key);

/// What has changed, one sentence each. Settings that change no latents and no frames may differ (the video's
/// format, threads, hosts, memory), and so may the paths of files as long as they hold the same and stand at
/// the same places; the mesh is compared with the machine's facts (environmentDifferences()).
struct SourceDifferences {
    std::vector<Sentence> settings;
    std::vector<Sentence> files;

    [[nodiscard]] bool empty() const { return settings.empty() && files.empty(); }
};
SourceDifferences sourceDifferences(const RunSources& was, const RunSources& is);

/// Throws Error{Project} when only settings differ, otherwise Error{Input}; both name each difference.
[[noreturn]] void refuseChangedSources(const RunFolder& folder, const SourceDifferences& differences);

/// Returns the content of environment.json: what computes this plan here. Build, CPU, ISA, workers, mesh,
/// libraries, number types, the attention kernels that take effect for self and cross attention, and the work
/// that predictions learn from.
nlohmann::json describeEnvironment(const RunPlan& plan);

/// Returns the transformers that the adapters of an environment go into, in the order of adapters
/// ("transformer 1, transformer 2"); empty when it names no adapters.
std::string placesOfAdapters(const nlohmann::json& environment);

/// Returns what keeps two environments from giving the same bits, one sentence each ("isa: was avx512, is
/// avx2"): build, ISA, mesh, workers, and the libraries that compute. Empty when a run made in one may be
/// resumed in the other.
std::vector<std::string> environmentDifferences(const nlohmann::json& was, const nlohmann::json& is);

}  // namespace meshreel
