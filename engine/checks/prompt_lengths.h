// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/mesh/shard_range.h"
#include "engine/project/project.h"
#include "engine/project/timed_prompt.h"
#include "engine/text/tokenizer.h"

namespace meshreel {

/// Returns a warning at its key for every prompt of the project that has more tokens than
/// max_sequence_length, and for the negative prompt where guidance or attention guidance reads it: how many
/// it has, how many are used, and where it is cut.
std::vector<Problem> cutPrompts(const Project& project, const Tokenizer& tokenizer);

/// A part of a prompt as a text encoder gets it.
struct PromptPart {
    std::string text;                ///< cleaned
    std::optional<PromptSpan> span;  ///< when it holds; nothing: all the time, or in windows of its own
    ShardRange tokens;               ///< of those of its text, the end mark apart; as long as they are used

    friend bool operator==(const PromptPart&, const PromptPart&) = default;
};

/// Returns what a prompt's tokens are: of a timed one the words that hold all the time, if there are any, and
/// each part; of others its texts. The tokens of a part are those that it adds to the text before it, as
/// Prompt Relay counts them.
std::vector<PromptPart> promptParts(const SpokenPrompt& prompt, const Tokenizer& tokenizer,
                                    std::int64_t maxSequenceLength);

/// cutPrompts() with the tokenizer in a model's folder, which is read once, and only for prompts that are
/// long enough to be cut. May be asked by several threads.
class PromptLengths {
  public:
    /// cutPrompts(); nothing when the folder holds no tokenizer that can be read.
    [[nodiscard]] std::vector<Problem> warnings(const Project& project,
                                                const std::filesystem::path& modelFolder);

    /// promptParts() of the project's first prompt; nothing when the folder holds no tokenizer that can be
    /// read.
    [[nodiscard]] std::vector<PromptPart> parts(const Project& project,
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
