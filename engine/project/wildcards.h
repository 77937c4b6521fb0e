// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

// Wildcards: __colour__ in a prompt stands for a line of colour.txt, __animals/dog__ for one of
// animals/dog.txt. The syntax is that of sd-dynamic-prompts and ComfyUI-Impact-Pack: empty lines and those
// that begin with # do not count; "3::red" is drawn three times as often as a line without a number; a line
// may hold further wildcards, and alternatives {red|2::blue}, of which one is drawn as well. Alternatives of
// the prompt itself stay what they are: a grid runs them all.

namespace meshreel {

/// Where files of wildcards are, the project's folder (`wildcards`) before the user's own.
std::vector<std::filesystem::path> wildcardFolders(const Project& project);

/// $XDG_DATA_HOME/meshreel/wildcards, else ~/.local/share/meshreel/wildcards.
std::filesystem::path userWildcardFolder();

/// Returns the names that wildcards may have in the folders, sorted, each once: "animals/dog" of
/// animals/dog.txt. Looks at the first `most` entries of each folder; leaves out links in the
/// project's.
std::vector<std::string> wildcardNames(const Project& project, std::size_t most = 2000);

/// Returns whether prompt, negative prompt or a prompt of the batch names a wildcard.
bool namesWildcards(const Project& project);

/// A project with words in place of its wildcards.
struct DrawnWords {
    /// Names no wildcards and no folder of them; as it was where there are problems.
    Project project;
    /// Errors, each at the key of its prompt: a file that is missing, holds no line, cannot be read or leads
    /// back to itself. Of all lines that could be drawn, not only of those that were.
    std::vector<Problem> problems;
};

/// Draws a line for every wildcard, by the project's first seed (0 where that is open): the same files, seed
/// and prompts give the same words on every machine. Each prompt of a batch draws for itself, and all of its
/// seeds make videos of the same words.
///
/// Draw n of prompt p is the number x / 2^53 of the upper 53 bits of lanes 0 and 1 of philox4x32() (noise.h)
/// with the counter (n, p, 0x776f7264, 0) and the seed as its key, by which the line is chosen in proportion
/// to the weights. The negative prompt is prompt 0xffffffff.
DrawnWords drawWords(const Project& project);

/// drawWords(), throwing ProjectError for the problems.
Project withDrawnWords(const Project& project);

}  // namespace meshreel
