// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

namespace meshreel {

struct ProjectKey;

/// Where a key's value was given, and how.
struct KeyPlace {
    std::string file;
    int line = 0;      ///< 0 for the command line
    std::string text;  ///< as written; empty for lists and maps
};

/// What a project's text holds for keys that cannot have it as their value, by key.
using RefusedTexts = std::map<const ProjectKey*, std::string>;

struct LoadedProject {
    Project project;
    std::string file;                                     ///< its name, as problems show it
    std::map<std::string, KeyPlace, std::less<>> places;  ///< for every key that was given
    std::string sourceText;                               ///< the file as it was, for saveProjectText
    bool complete = true;                                 ///< the text could be read to its end
    std::vector<Problem> problems;                        ///< only warnings after parseProject and
                                                          ///< loadProject

    /// Gives the problem the file and line of its key.
    void locate(Problem& problem) const;
};

/// Sorts by line, problems without one first.
void putInFileOrder(std::vector<Problem>& problems);

/// Errors of the text itself, and not of the project that was read from it.
std::vector<Problem> textErrors(const LoadedProject& loaded);

/// Returns the texts that their keys refused, each with a problem of its own.
RefusedTexts refusedTexts(const LoadedProject& loaded);

/// Reads a project file's text (`version: 3`, then flat keys; MaxDiffusion files included) and validates the
/// result. `overrides` are "key=value" texts that win over the file. Never throws for a bad project: values
/// that cannot be used stay at their defaults and `problems` holds every error and warning, in the order of
/// the file. Refused: anchors, aliases, tags, duplicate keys, more than 1 MiB, more than 8 levels, text that
/// is not UTF-8.
LoadedProject readProject(const std::string& text, const std::string& fileName,
                          std::span<const std::string> overrides = {});

/// readProject(), throwing ProjectError (with all problems) when there is an error.
LoadedProject parseProject(const std::string& text, const std::string& fileName,
                           std::span<const std::string> overrides = {});

/// parseProject() of a file; its inputs' paths are made absolute (resolveInputs). An unreadable file is
/// Error{Project} too.
LoadedProject loadProject(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// Returns the text of a file in which a project, or a config of MaxDiffusion, is expected. Throws
/// ProjectError when it cannot be read or is known to be something else (foreign_file.h).
std::string readProjectText(const std::filesystem::path& file);

/// readProject() of a file; ProjectError where it cannot be read.
LoadedProject readProjectFrom(const std::filesystem::path& file);

/// Opens a project for comparing: as loadProject(), but a project whose values can all be kept is returned
/// with the errors that validate() finds in it, such as a mesh of several devices in a file pasted from
/// MaxDiffusion.
LoadedProject openProject(const std::filesystem::path& file);

/// Applies one "key=value" to a project; throws ProjectError.
void applyOverride(Project& project, const std::string& keyAndValue);

/// Returns the text to save: values that differ from the defaults, in section order. With the previous text
/// of the file, lines whose value did not change stay byte for byte (comments too), changed values are
/// replaced in place, and new keys go in section order. Reading the result gives `project` again. For the
/// keys of `refused` it holds those texts; reading it with listOverrides() gives `project` then.
std::string saveProjectText(const Project& project, const std::string& previousText = {},
                            const RefusedTexts& refused = {});

/// Returns the project's values of the refused keys, as overrides for readProject().
std::vector<std::string> listOverrides(const Project& project, const RefusedTexts& refused);

/// Returns every key, defaults included, in section order: what a run folder and a video keep. Values that
/// the preset has set say so.
std::string resolvedYaml(const Project& project);

}  // namespace meshreel
