// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

// A look: values of a project that decide how videos look, whatever they show: a style around the prompt,
// what must not be seen, adapters by name, sampling and size. It is one file, a PNG picture of what it looks
// like with the values as a text within, as other programs keep their settings in pictures: it can be seen,
// sent and dropped anywhere, and holds no paths to unpack.

namespace meshreel {

struct ProjectKey;

struct ProjectLook {
    std::string name = {};   ///< for people; may be empty
    std::string note = {};   ///< a sentence or two; may be empty
    KeyChanges values = {};  ///< in the order of the table of keys, each key once

    friend bool operator==(const ProjectLook&, const ProjectLook&) = default;
};

/// Returns the names of the keys that a look may set. None of them reads, copies or starts anything outside
/// the models folders: a look asks nothing (project_trust.h).
std::span<const std::string_view> lookKeys();
bool mayBeInLook(const ProjectKey& key);

/// Returns what of the project a look can hold and is not at its default: the prompt only as a style (with
/// promptMark), adapters by the names of their files.
KeyChanges lookValues(const Project& project);

/// Returns what taking the look changes in a project: a style is put around its prompt, other values take the
/// place of its own. Values that it has already are left out.
KeyChanges lookChanges(const ProjectLook& look, const Project& project);

/// The text of a look within its picture, and back. readLook() throws ProjectError with everything that no
/// look may have, at its line: unknown and other keys, values that their keys refuse, a prompt that is no
/// style, adapters by paths that are absolute or lead upwards.
std::string lookText(const ProjectLook& look);
ProjectLook readLook(const std::string& text, const std::string& fileName);

/// Returns whether the file is a picture with a look in it. Never throws.
bool isLook(const std::filesystem::path& file) noexcept;

/// readLook() of a picture. Throws Error{Input} for a picture without a look, and one that cannot be read.
ProjectLook loadLook(const std::filesystem::path& picture);

/// Writes the bytes of a PNG with the look in it. Throws as withPngText() and writeFileAtomically().
void saveLook(const std::filesystem::path& file, const ProjectLook& look, std::string_view png);

/// $XDG_DATA_HOME/meshreel/looks, else ~/.local/share/meshreel/looks.
std::filesystem::path userLooksFolder();

/// A look of a folder.
struct FoundLook {
    std::filesystem::path file;
    ProjectLook look;
};

/// Returns the looks of a folder, by name and then by file; a folder that is not there holds none. Pictures
/// whose look cannot be used are left out, and `unreadable` takes a sentence for each.
std::vector<FoundLook> looksIn(const std::filesystem::path& folder,
                               std::vector<Sentence>* unreadable = nullptr);

}  // namespace meshreel
