// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/project/project.h"
#include "engine/project/project_problem.h"

namespace meshreel {

/// What became of a key of a MaxDiffusion config.
enum class ImportFate {
    Taken,       ///< means the same here
    Translated,  ///< another key says it here
    Ignored,     ///< has no meaning here, or says what holds here anyway
    Refused,     ///< asks for what this version does not do, or is no key
};

/// "taken", "translated", "ignored", "refused".
std::string_view nameOf(ImportFate fate);

struct ImportedKey {
    std::string name;  ///< of what is no setting the word
    std::string file;  ///< where it was given; "command line" for words
    int line = 0;
    ImportFate fate = ImportFate::Taken;
    std::string result;  ///< of what was taken or translated: "ulysses_shards: 2"
    Sentence reason;     ///< of all others, a sentence
};

struct MaxDiffusionImport {
    Project project;
    std::vector<ImportedKey> keys;  ///< every key that was given: of the file in its order, then others
    std::vector<ProjectProblem>
        problems;  ///< that the project still has, and what keeps the file from being read
};

/// Whether a text is a config of MaxDiffusion and no project yet: it does not begin with a project's version,
/// and has keys that only MaxDiffusion knows.
bool isMaxDiffusionConfig(const std::string& text);

/// Reads a config of MaxDiffusion (`base_wan_*.yml`; may be empty) and the words that follow it on a command
/// line: key=value, which win, and others, which are listed as ignored. The draft's ici_ring_parallelism R
/// and ici_ulysses_parallelism U become ici_context_parallelism R·U and ulysses_shards U; without one it
/// is 1. What cannot be taken stays at its default. Throws nothing for the text's sake.
MaxDiffusionImport importMaxDiffusion(const std::string& text, const std::string& fileName,
                                      std::span<const std::string> words = {});

}  // namespace meshreel
