// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_notes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"

namespace meshreel {
namespace {

std::filesystem::path notesFile(const std::filesystem::path& runFolder) {
    return runFolder / "notes.json";
}

std::string trimmed(const std::string& text) {
    constexpr const char* spaces = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(spaces);
    return begin == std::string::npos ? std::string()
                                      : text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

}  // namespace

RunNotes readRunNotes(const std::filesystem::path& runFolder) {
    const std::filesystem::path file = notesFile(runFolder);
    if (!std::filesystem::exists(file))
        return {};
    try {
        const nlohmann::json json = nlohmann::json::parse(readFile(file));
        return {.tags = json.at("tags").get<std::vector<std::string>>(),
                .note = json.at("note").get<std::string>()};
    } catch (const nlohmann::json::exception& failure) {
        throw Error(ErrorKind::Input, sentence("The notes cannot be read: {}", failure.what()),
                    withTilde(file), sentence("Mend the file, or delete it to start anew"));
    }
}

void writeRunNotes(const std::filesystem::path& runFolder, const RunNotes& notes) {
    const std::filesystem::path file = notesFile(runFolder);
    if (notes == RunNotes()) {
        std::filesystem::remove(file);
        return;
    }
    writeFileAtomically(file, nlohmann::json{{"tags", notes.tags}, {"note", notes.note}}.dump(2) + "\n");
}

std::vector<std::string> tagsOf(const std::string& text) {
    std::vector<std::string> tags;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');)
        if (std::string tag = trimmed(part); !tag.empty() && !std::ranges::count(tags, tag))
            tags.push_back(std::move(tag));
    return tags;
}

}  // namespace meshreel
