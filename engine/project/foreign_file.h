// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/problem.h"

namespace meshreel {

// What is known not to be a project, given where one is asked for. It is told by its contents, never by its
// name.

/// The problem of a text that another program wrote: a ComfyUI workflow, settings of Wan2GP, a script, …
/// Nothing for a text that may be a project or a config of MaxDiffusion. Of a long text the beginning counts.
std::optional<Problem> foreignTextProblem(std::string_view text);

/// The same for a file: pictures, videos, weights and archives, too. A picture or video is named with the
/// program whose settings it holds. Nothing for a file that cannot be read.
std::optional<Problem> foreignFileProblem(const std::filesystem::path& file);

/// What a picture or video says of another program, "a ComfyUI workflow"; empty where it says nothing.
Sentence foreignSettingsIn(const std::filesystem::path& media);

}  // namespace meshreel
