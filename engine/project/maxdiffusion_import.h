// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

namespace meshreel {

/// What became of a key of a MaxDiffusion config.
enum class ImportFate {
    Taken,       ///< means the same here
    Translated,  ///< another key says it here
    Ignored,     ///< has no meaning here, or says what holds here anyway
    Refused,     ///< asks for something that this version is not enough, or is not a key
};

/// "taken", "translated", "ignored", "refused".
std::string_view nameOf(ImportFate fate);

struct ImportedKey {
    std::string name;  ///< the word, for something that is not a setting
    std::string file;  ///< where it was given; "command line" for words
    int line = 0;
    ImportFate fate = ImportFate::Taken;
    std::string result;  ///< for what was taken or translated: "ulysses_shards: 2"
    Sentence reason;     ///< for all others, a sentence
};

struct MaxDiffusionImport {
    Project project;
    bool known = false;  ///< read to its end, and its name or a key is one of MaxDiffusion's or Meshreel's
    std::vector<ImportedKey> keys;  ///< every key that was given: of the file in its order, then others
    std::vector<Problem> problems;  ///< that the project still has, and what keeps the file from being read
};

/// Returns whether a text is a config of MaxDiffusion and no project yet: it does not begin with a project's
/// version, and has keys that only MaxDiffusion knows.
bool isMaxDiffusionConfig(const std::string& text);

/// A command line of MaxDiffusion, split as a shell does.
struct MaxDiffusionCommand {
    std::string config;              ///< the config it names; empty when it names none
    std::vector<std::string> words;  ///< key=value, and what else follows the program or its config
};

/// Leaves out what precedes the program or config: interpreters, variables.
MaxDiffusionCommand readMaxDiffusionCommand(std::span<const std::string> words);

/// Returns the Hugging Face id of the model that MaxDiffusion's own config of this name is for
/// ("base_wan_27b.yml", in any folder); nothing for other names.
std::optional<std::string_view> modelOfConfig(std::string_view config);

/// Returns the Hugging Face ids of the models that MaxDiffusion's own configs are for, each once.
std::vector<std::string_view> modelsOfConfigs();

/// Reads a config of MaxDiffusion (`base_wan_*.yml`; `text` may be empty where only its name is known) and
/// the words that follow it on a command line: key=value, which win, and others, which are listed as ignored.
/// Where neither names the model, it follows from the config's name; of a config that is not one of
/// MaxDiffusion's the name itself becomes the model, which is a problem until another is named. The draft's
/// ici_ring_parallelism R and ici_ulysses_parallelism U become ici_context_parallelism R·U and ulysses_shards
/// U; without one it is 1. What cannot be taken stays at its default. Throws nothing for the text's sake.
MaxDiffusionImport importMaxDiffusion(const std::string& text, const std::string& fileName,
                                      std::span<const std::string> words = {});

}  // namespace meshreel
