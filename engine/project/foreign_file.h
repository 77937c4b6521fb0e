// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/problem.h"

namespace meshreel {

// Recognises files that are not projects where a project is expected: by their contents, never by their
// names.

/// Returns the problem of a text that another program wrote: a ComfyUI workflow, settings of Wan2GP, a
/// script, … Returns nothing for a text that may be a project or a config of MaxDiffusion. Reads only the
/// beginning of a long text.
std::optional<Problem> foreignTextProblem(std::string_view text);

/// Returns the problem of such a file: pictures, videos, weights and archives, too. For a picture or video it
/// names the program whose settings it holds. Returns nothing for a file that cannot be read.
std::optional<Problem> foreignFileProblem(const std::filesystem::path& file);

/// Returns what a picture or video says about another program, "a ComfyUI workflow"; empty when it says
/// nothing.
Sentence foreignSettingsIn(const std::filesystem::path& media);

}  // namespace meshreel
