// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/prompt_lengths.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <system_error>

#include "engine/base/error.h"
#include "engine/project/project_settings.h"
#include "engine/text/prompt_cleaning.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

struct NamedPrompt {
    std::string key;
    Sentence name;
    std::string text;
};

bool readsNegativePrompt(const Project& project) {
    return std::max({project.guidanceScale, project.guidanceScaleHigh, project.guidanceScaleLow}) > 1.0;
}

std::vector<NamedPrompt> listPrompts(const Project& project) {
    std::vector<NamedPrompt> prompts;
    const std::string key = project.batchPrompts.empty() ? "prompt" : "batch_prompts";
    std::vector<std::string> seen;
    for (const BatchItem& item : batchItems(project)) {
        if (std::ranges::find(seen, item.prompt) != seen.end())
            continue;  // with another seed
        seen.push_back(item.prompt);
        const Sentence name = project.batchPrompts.empty()
                                  ? Sentence(key)
                                  : sentence("prompt {} of batch_prompts", seen.size());
        const std::vector<std::string> texts = spokenPrompt(project, item.prompt).texts;
        for (std::size_t part = 0; part < texts.size(); ++part)
            prompts.push_back(
                {key, texts.size() == 1 ? name : sentence("part {} of {}", part + 1, name), texts[part]});
    }
    if (readsNegativePrompt(project) || attentionGuidance(project).acts())
        prompts.push_back({"negative_prompt", "negative_prompt", project.negativePrompt});
    return prompts;
}

/// A token stands for at least one byte; cleaning makes at most 11 bytes from one (NFKC of U+FDFA).
bool mayBeCut(const std::string& text, std::int64_t maxSequenceLength) {
    constexpr std::size_t frame = 2;  // eos, and the mark of a word's beginning
    constexpr std::size_t expansion = 11;
    const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return text.size() * (ascii ? 1 : expansion) + frame > static_cast<std::size_t>(maxSequenceLength);
}

Problem cutPrompt(const NamedPrompt& prompt, const Tokenizer::Cut& cut, const Project& project) {
    const std::int64_t trained = Project().maxSequenceLength;
    Problem problem{.id = "prompt-cut",
                    .severity = Severity::Warning,
                    .key = prompt.key,
                    .message = sentence("{} has {} tokens, of which {} are used: it is cut before \"{}\"",
                                        prompt.name, cut.tokens, project.maxSequenceLength, cut.leftOut),
                    .fixes = byHand(sentence("Shorten it"))};
    if (project.maxSequenceLength < trained) {
        problem.fixes = setKey(sentence("Shorten it, or set max_sequence_length: {}", trained),
                               "max_sequence_length", {std::to_string(trained)});
    }
    return problem;
}

}  // namespace

std::vector<Problem> cutPrompts(const Project& project, const Tokenizer& tokenizer) {
    std::vector<Problem> found;
    for (const NamedPrompt& prompt : listPrompts(project))
        if (mayBeCut(prompt.text, project.maxSequenceLength))
            if (const auto cut = tokenizer.findCut(cleanPrompt(prompt.text), project.maxSequenceLength))
                found.push_back(cutPrompt(prompt, *cut, project));
    return found;
}

std::vector<PromptPart> promptParts(const SpokenPrompt& prompt, const Tokenizer& tokenizer,
                                    std::int64_t maxSequenceLength) {
    constexpr std::int64_t endMark = 1;
    const auto count = [&](const std::string& text) {
        const std::string cleaned = cleanPrompt(text);
        const std::int64_t tokens = cleaned.empty() ? 0 : std::ssize(tokenizer.ids(cleaned)) - endMark;
        return std::min(tokens, maxSequenceLength - endMark);
    };
    std::vector<PromptPart> parts;
    if (!prompt.isTimed()) {
        for (const std::string& text : prompt.texts)
            parts.push_back({.text = cleanPrompt(text), .span = {}, .tokens = {0, count(text)}});
        return parts;
    }
    std::int64_t before = 0;
    for (std::size_t part = 0; part < prompt.beginnings.size(); ++part) {
        const std::string& text = prompt.beginnings[part];
        const std::int64_t end = std::max(before, count(text));
        const std::string words = part == 0 ? text : text.substr(prompt.beginnings[part - 1].size());
        if (part > 0 || !text.empty())
            parts.push_back({.text = cleanPrompt(words),
                             .span = part == 0 ? std::nullopt : std::optional(prompt.spans[part - 1]),
                             .tokens = {before, end}});
        before = end;
    }
    return parts;
}

std::shared_ptr<const Tokenizer> PromptLengths::open(const fs::path& folder) {
    std::error_code failure;
    fs::file_time_type written = fs::last_write_time(folder / "tokenizer.json", failure);
    if (failure)
        written = fs::last_write_time(folder / "spiece.model", failure);
    Opened& opened = m_opened[folder];
    if (!opened.tokenizer || opened.written != written)
        opened = {written, std::make_shared<const Tokenizer>(Tokenizer::open(folder))};
    return opened.tokenizer;
}

std::vector<Problem> PromptLengths::warnings(const Project& project, const fs::path& modelFolder) {
    if (modelFolder.empty() || std::ranges::none_of(listPrompts(project), [&](const NamedPrompt& prompt) {
            return mayBeCut(prompt.text, project.maxSequenceLength);
        }))
        return {};
    try {
        const std::scoped_lock lock(m_mutex);
        return cutPrompts(project, *open(modelFolder / "tokenizer"));
    } catch (const Error&) {
        return {};  // planning says what is wrong with the model
    }
}

std::vector<PromptPart> PromptLengths::parts(const Project& project, const fs::path& modelFolder) {
    if (modelFolder.empty())
        return {};
    try {
        const std::scoped_lock lock(m_mutex);
        return promptParts(spokenPrompts(project).front(), *open(modelFolder / "tokenizer"),
                           project.maxSequenceLength);
    } catch (const Error&) {
        return {};  // planning says what is wrong with the model
    }
}

}  // namespace meshreel
