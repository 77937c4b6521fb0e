// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/keyframes.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"

namespace meshreel {

struct YamlNode;

/// Legal values are minimum, minimum + step, … up to maximum, and `automatic` (MaxDiffusion's -1) when given.
struct IntegerRange {
    std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
    std::int64_t step = 1;
    std::optional<std::int64_t> automatic = std::nullopt;
};

struct RealRange {
    double minimum = std::numeric_limits<double>::lowest();
    double maximum = std::numeric_limits<double>::max();
};

struct Choice {
    std::string_view name;
    std::string_view help;
};

enum class KeyLevel { Basic, Advanced };

/// How an editor should offer a text value.
enum class TextForm {
    Line,
    Paragraph,
    Model,
    File,
    Numbers,  ///< separated by commas; a project file may hold them as a list, too
};

using ProjectMember =
    std::variant<std::int64_t Project::*, double Project::*, bool Project::*, std::string Project::*,
                 LoraList Project::*, KeyframeList Project::*, Seed Project::*, GpuChoice Project::*>;
using KeyRange = std::variant<std::monostate, IntegerRange, RealRange>;

/// Everything that is known about one key of the project file. A dot in the name
/// ("flash_block_sizes.block_q") stands for a nested map.
struct ProjectKey {
    std::string_view name;  ///< in MaxDiffusion's spelling if it has the key
    ProjectMember member;
    std::string_view section;
    std::string_view title;  ///< short label for people
    std::string_view help;   ///< one sentence
    std::string_view unit = {};
    KeyRange range = {};
    std::vector<Choice> (*choices)() = nullptr;  ///< the legal texts, when only some are
    KeyLevel level = KeyLevel::Advanced;
    TextForm form = TextForm::Line;
    /// Not empty: with automaticValue() the program decides, and this word stands where nobody says what it
    /// decided: "automatic", "no limit".
    std::string_view automatic = {};
    /// Not empty: this version computes with the default whatever the value is, and this text says so. Other
    /// values give a warning.
    std::string_view inactive = {};
    /// What else changes with the value.
    void (*follow)(const Project& before, Project& after) = nullptr;
};

/// Returns every key, in the order of the file; keys of a section are together.
std::span<const ProjectKey> projectKeys();

/// Returns null when no key has this name.
const ProjectKey* findProjectKey(std::string_view name);

/// Returns whether a project file has the value as a text, possibly in quotes.
bool isText(const ProjectKey& key);

/// Returns whether the value is a list of maps, which a project file has in brackets or as a list.
bool isListOfMaps(const ProjectKey& key);

/// "integer", "number", "true or false", "text", "choice" or "list".
Sentence typeName(const ProjectKey& key);

/// Returns the value as a person types it: decimal numbers, true/false, bare text; lists as YAML in brackets.
std::string valueText(const Project& project, const ProjectKey& key);
std::string defaultText(const ProjectKey& key);
/// Returns the value, as text, with which the program decides: "0", "-1" or ""; nothing for a key without
/// `automatic`.
std::optional<std::string> automaticValue(const ProjectKey& key);
/// Returns the default of a project with this one's preset, and whether the value is that.
std::string defaultText(const ProjectKey& key, const Project& project);
bool isDefault(const Project& project, const ProjectKey& key);

/// Copies one key's value from another project.
void copyValue(const ProjectKey& key, const Project& from, Project& to);

/// "16 to 4096, in steps of 16"; "counter, torch_cpu"; empty when everything of the type is legal.
Sentence legalValuesText(const ProjectKey& key);

/// Reads the text as the key's type and checks the range; the project is unchanged when there is a problem.
std::optional<Problem> trySetFromText(Project& project, const ProjectKey& key, std::string_view text);

/// Reads a value from a node of a project file; a problem may carry the line of a part of the value.
std::optional<Problem> trySetFromNode(Project& project, const ProjectKey& key, const YamlNode& node);

/// Does as trySetFromText(), throwing ProjectError.
void setFromText(Project& project, const ProjectKey& key, std::string_view text);

/// Returns whether other keys follow this one's value as their defaults (a preset), so that it is set before
/// them.
bool decidesDefaults(const ProjectKey& key);

/// Sets several keys, in the order given but those that decide defaults first, as a project's file is read.
/// Throws ProjectError as setFromText() does.
void setFromTexts(Project& project, const KeyChanges& changes);

/// Checks range, step and choices of one value; for editors that explain in place.
std::optional<Problem> checkValue(const Project& project, const ProjectKey& key);

/// Returns every problem of a project: each key's value, what keys demand of each other, and warnings for
/// values that this version does not act upon. Problems carry no file or line.
std::vector<Problem> validate(const Project& project);

/// Returns the text of docs/project-keys.md, made from projectKeys(); in another language where `say` says
/// sentences in it.
std::string keysMarkdown(const std::function<std::string(const Sentence&)>& say = &Sentence::text);

}  // namespace meshreel
