// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"
#include "engine/text/tokenizer.h"

namespace meshreel {

/// Returns a warning at its key for every prompt of the project that has more tokens than
/// max_sequence_length, and for the negative prompt where guidance or attention guidance reads it: how many
/// it has, how many are used, and where it is cut.
std::vector<Problem> cutPrompts(const Project& project, const Tokenizer& tokenizer);

/// cutPrompts() with the tokenizer in a model's folder, which is read once, and only for prompts that are
/// long enough to be cut. May be asked by several threads.
class PromptLengths {
  public:
    /// cutPrompts(); nothing when the folder holds no tokenizer that can be read.
    [[nodiscard]] std::vector<Problem> warnings(const Project& project,
                                                const std::filesystem::path& modelFolder);

  private:
    struct Opened {
        std::filesystem::file_time_type written;
        std::shared_ptr<const Tokenizer> tokenizer;
    };

    std::shared_ptr<const Tokenizer> open(const std::filesystem::path& folder);

    std::mutex m_mutex;
    std::map<std::filesystem::path, Opened> m_opened;
};

}  // namespace meshreel
