// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace meshreel {

/// A prompt with what its video shall show, in the words of scene_vocabulary.h.
struct HeldOutPrompt {
    std::string prompt;
    std::string shape;
    std::string color;
    std::string background;
    std::string motion;
};

/// The shipped list: evaluation/held-out-prompts.json in resourceFolder(). The embedded model's recipe reads
/// it too, and never trains on what it asks for.
std::filesystem::path heldOutPromptsFile();

/// Throws Error{Input} for a file that is missing, malformed, or asks for what no measure knows.
std::vector<HeldOutPrompt> readHeldOutPrompts(const std::filesystem::path& file);

}  // namespace meshreel
