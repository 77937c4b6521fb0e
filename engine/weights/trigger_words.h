// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace meshreel {

/// A word, or several, by which an adapter was trained to be called.
struct TriggerWord {
    std::string text;         ///< one line of well-formed UTF-8 without controls
    std::uint64_t count = 0;  ///< captions of its training that hold it; 0: stated as a trigger

    friend bool operator==(const TriggerWord&, const TriggerWord&) = default;
};

/// What an adapter's file says about the words for it. All of it is a stranger's.
struct TriggerWords {
    std::vector<TriggerWord> stated;    ///< by who made it, in the order of the file, each once
    std::vector<TriggerWord> frequent;  ///< of its captions, those that most hold first
    std::string trainedAs;              ///< the name that its trainer was given for it; may be empty

    [[nodiscard]] bool empty() const { return stated.empty() && frequent.empty(); }
    friend bool operator==(const TriggerWords&, const TriggerWords&) = default;
};

/// Reads the metadata of a safetensors file (`__metadata__`). Stated are `modelspec.trigger_phrase`
/// (github.com/Stability-AI/ModelSpec) and what trainers and exporters of Civitai write: `trigger_phrase`,
/// `trigger_words`, `trigger_word`, `trained_words`, `trainedWords`, `activation text` and `instance_prompt`,
/// each a phrase, words parted by commas, or a JSON list of words. Frequent are the tags of kohya's
/// `ss_tag_frequency`, {folder: {tag: count}}, added up; `ss_output_name` is the name.
///
/// Never throws for what the texts hold: what is no such value, longer than 4 MiB, or damaged counts as not
/// there. At most 24 words of each sort, of 200 bytes at most.
TriggerWords triggerWords(const std::map<std::string, std::string>& metadata);

/// triggerWords() of a file of an adapter. Throws Error{Input} as TensorFile::open() does.
TriggerWords readTriggerWords(const std::filesystem::path& file);

}  // namespace meshreel
