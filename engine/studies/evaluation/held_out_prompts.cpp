// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/evaluation/held_out_prompts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/studies/evaluation/scene_vocabulary.h"
#include "engine/weights/formats/json_file.h"

namespace meshreel {
namespace {

std::vector<std::string_view> namesOf(std::span<const NamedColour> colours) {
    std::vector<std::string_view> names;
    for (const NamedColour& colour : colours)
        names.push_back(colour.name);
    return names;
}

std::vector<std::string_view> allMotions() {
    std::vector<std::string_view> names(directionNames().begin(), directionNames().end());
    names.insert(names.end(), otherMotionNames().begin(), otherMotionNames().end());
    return names;
}

[[noreturn]] void refuse(const std::filesystem::path& file, Sentence why) {
    throw Error(ErrorKind::Input, std::move(why), file.string(),
                sentence("Restore the file, or make it again with tools/train-tiny-wan/make_prompts.py"));
}

void requireKnown(const HeldOutPrompt& prompt, const std::filesystem::path& file, std::size_t row) {
    const auto check = [&](const std::string& word, std::span<const std::string_view> known) {
        if (std::ranges::find(known, word) == known.end())
            refuse(file, sentence("prompt {} asks for \"{}\", which nothing here can measure", row, word));
    };
    if (prompt.prompt.empty())
        refuse(file, sentence("prompt {} is empty", row));
    check(prompt.shape, shapeNames());
    check(prompt.color, namesOf(objectColours()));
    check(prompt.background, namesOf(backgroundColours()));
    check(prompt.motion, allMotions());
}

std::string textOf(const nlohmann::json& row, const char* key, const std::filesystem::path& file,
                   std::size_t number) {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_string())
        refuse(file, sentence("prompt {} lacks the text \"{}\"", number, key));
    return found->get<std::string>();
}

}  // namespace

std::filesystem::path heldOutPromptsFile() {
    return resourceFolder() / "evaluation" / "held-out-prompts.json";
}

std::vector<HeldOutPrompt> readHeldOutPrompts(const std::filesystem::path& file) {
    const nlohmann::json json = readJsonObject(file);
    const auto rows = json.find("prompts");
    if (rows == json.end() || !rows->is_array() || rows->empty())
        throw Error(ErrorKind::Input, sentence("the file holds no list of prompts"), file.string());
    std::vector<HeldOutPrompt> prompts;
    for (const nlohmann::json& row : *rows) {
        const std::size_t number = prompts.size() + 1;
        if (!row.is_object())
            refuse(file, sentence("prompt {} is no object", number));
        const auto text = [&](const char* key) { return textOf(row, key, file, number); };
        prompts.push_back({text("prompt"), text("shape"), text("color"), text("background"), text("motion")});
        requireKnown(prompts.back(), file, number);
    }
    return prompts;
}

}  // namespace meshreel
