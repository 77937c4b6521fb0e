// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

struct ProjectKey;
struct YamlNode;

/// What people write into a value, which decides whether the comment after it may be the rest of its text.
enum class Writing {
    Fixed,  ///< numbers and choices: never
    Name,   ///< names and paths: unless it looks like a comment, two blanks and "# " after the value
    Prose,  ///< sentences: always
};

Writing writingOf(const ProjectKey& key);

/// Returns a warning for each text in a value of a YAML file (or in its lists and maps) that ends at a " #"
/// without quotes, at the line of what YAML takes for a comment; no file. The changes of a fix are for `name`
/// as a key of a project.
std::vector<Problem> lostTexts(std::string_view name, Writing writing, const YamlNode& value);
/// Finds lost texts, and also gives a fix for adapters in a list.
std::vector<Problem> lostTexts(const ProjectKey& key, const YamlNode& value);

/// Returns the error of a value that is only a text after a '#'.
std::optional<Problem> lostValue(std::string_view name, Writing writing, const YamlNode& value);

}  // namespace meshreel
