// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace meshreel {

/// What a person wrote about a run, kept in notes.json of its folder. Nothing of the run depends on it.
struct RunNotes {
    std::vector<std::string> tags;  ///< without spaces at the ends, none twice
    std::string note;

    friend bool operator==(const RunNotes&, const RunNotes&) = default;
};

/// Nothing where nobody wrote any. Throws Error{Input} for a damaged file.
RunNotes readRunNotes(const std::filesystem::path& runFolder);

/// Complete or not at all; empty notes remove the file. Throws what writeFileAtomically throws.
void writeRunNotes(const std::filesystem::path& runFolder, const RunNotes& notes);

/// The tags of a text like "demo, best one": split at commas.
std::vector<std::string> tagsOf(const std::string& text);

}  // namespace meshreel
