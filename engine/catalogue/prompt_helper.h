// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "engine/base/stop_token.h"

// The prompt helper: a language model that rewrites a prompt as Wan's models were taught by. It is off until
// an address is set, and asked only when somebody asks; what it answers is for a person to edit. Any server
// with OpenAI's chat completions does (llama.cpp's llama-server, Ollama, vLLM, LM Studio).

namespace meshreel {

struct PromptHelper {
    /// "http://127.0.0.1:11434/v1", with or without "/v1" or "/v1/chat/completions"; empty: off.
    std::string endpoint;
    std::string model = {};  ///< as the server calls it; empty: the one that it has
    std::string key = {};    ///< goes to the endpoint only, over https or to this machine; may be empty
    std::chrono::seconds deadline{180};  ///< for the whole answer, the loading of its model included

    [[nodiscard]] bool isOn() const { return !endpoint.empty(); }
    friend bool operator==(const PromptHelper&, const PromptHelper&) = default;
};

/// $XDG_CONFIG_HOME/meshreel/prompt-helper.json, else below ~/.config.
std::filesystem::path promptHelperFile();

/// Returns what the user has set; off without a file. Throws Error{Input} for a file that is damaged, a link,
/// or not the user's own.
PromptHelper readPromptHelper();

/// Writes the file so that only its owner can read it; without an endpoint removes it. Throws
/// Error{Project} for an address or a key that cannot be used (checkPromptHelper()), and what
/// writeFileAtomically() throws.
void keepPromptHelper(const PromptHelper& helper);

/// Throws Error{Project} for an address that is none of http or https, or has more than a path, and for a key
/// that would be sent where others can read it.
void checkPromptHelper(const PromptHelper& helper);

/// Returns where the helper is asked: ".../v1/chat/completions". Throws as checkPromptHelper().
std::string chatAddress(const PromptHelper& helper);

/// What a prompt is for, which decides what is said of it.
enum class PromptUse {
    Text,     ///< the prompt alone says what is seen
    Picture,  ///< the video begins with a picture, and the prompt says how it moves
};

/// Returns what the language model is told before the prompt. The rules are those that Wan publishes for this
/// (wan/utils/prompt_extend.py of Wan 2.1, wan/utils/system_prompt.py of Wan 2.2), in our words, without
/// those that put another prompt in the place of what was asked for; and marks of Meshreel's own stay.
std::string helperInstructions(PromptUse use);

/// Asks the helper to rewrite the prompt, and returns what it answers on one line, without its thoughts and
/// quotes. Throws Error{Project} as checkPromptHelper(), Error{Input} for a server that cannot be reached, is
/// late, refuses, or answers with something else than a prompt; Error{Cancelled} on a stop.
std::string rewritePrompt(const PromptHelper& helper, const std::string& prompt, PromptUse use,
                          const StopToken& stop);

}  // namespace meshreel
