// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/base/problem.h"
#include "engine/kernels/rows/attention_guidance.h"
#include "engine/media/video_writer.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"
#include "engine/sampling/context_windows.h"

namespace meshreel {

/// Returns how attention is guided by the negative prompt; not at all without one.
AttentionGuidance attentionGuidance(const Project& project);

/// Returns the windows through which a clip of so many latent frames is denoised; none where it is denoised
/// whole: without context_frames, or when one window holds all of it; nor for an illegal schedule, fuse or
/// overlap, which validate() tells. `temporalFactor`: pixel frames of a latent one.
std::optional<ContextWindows> contextWindows(const Project& project, std::int64_t latentFrames,
                                             std::int64_t temporalFactor);

/// Returns whether its video is longer than a window.
bool isWindowed(const Project& project);

/// Returns what the project's keys ask of the mesh, on `ranks` processes.
MeshRequest meshRequest(const Project& project, int ranks = 1);

/// Returns the project's keys about attention; its mode must be in the table (Error{Project} otherwise).
/// Block sizes are as written.
AttentionSettings attentionSettings(const Project& project);

/// "1, 0.5": decimal numbers separated by commas; none in an empty text.
std::variant<std::vector<double>, Problem> parseNumbers(std::string_view text);

/// Returns the noise levels that `sigmas` or `timesteps` name; none where neither is given.
std::vector<double> givenSigmas(const Project& project);

/// Returns what is wrong with the keys that hold lists of numbers.
std::vector<Problem> numberListProblems(const Project& project);

/// Returns how the project's video is to be written, without metadata. Throws Error{Project} for a format
/// that is not in the table.
VideoOptions videoOptions(const Project& project);

/// Returns whether a project's videos say how they were made.
bool writesMetadata(const Project& project);

/// Returns the rate at which input videos are sampled, see FrameSelection; 0: every frame is taken.
double inputRate(const Project& project);

/// Returns why its video cannot be written, whatever it shows.
std::vector<Problem> videoProblems(const Project& project);

/// One video of a run.
struct BatchItem {
    std::string prompt;
    Seed seed = 0;

    friend bool operator==(const BatchItem&, const BatchItem&) = default;
};

/// Returns the videos that the project's run makes, every prompt with every seed; one at least.
std::vector<BatchItem> batchItems(const Project& project);

/// Returns the project of a single one of its videos.
Project extractProject(const Project& batch, const BatchItem& item);

/// Returns the project with a number drawn for each seed that it leaves open; what a run makes and records.
Project withDrawnSeeds(Project project);

std::vector<Problem> batchProblems(const Project& project);

}  // namespace meshreel
