// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_library.h"
#include "engine/project/project.h"

namespace meshreel {

/// Returns the files that the project's keys `parts.…` name, and a transformer's file that replaces a model's
/// name. Names without a path are looked up in the models folders. Throws Error{Input} for missing ones.
PartSources askedParts(const Project& project);

/// Returns the text of the key `parts.PART`; null when it is empty.
const std::string* askedFile(const Project& project, std::string_view part);

/// Returns whether the project names no model's folder, so that all parts are found one by one.
bool isMadeOfFiles(const Project& project);

/// Returns the project with the paths of its parts and adapters in full, so that it means the same from any
/// folder. Throws as askedParts() and findAdapter().
Project withFullPaths(Project project);

/// Warnings, at their keys, for transformers of two that are named as the one expert and are the other by
/// name or metadata, and for files whose name and metadata differ. None for files that cannot be read.
std::vector<Problem> expertContradictions(const Project& project);

/// Empties the keys of the parts.
void forgetParts(Project& project);

/// Finds in the catalogue what `sources` lacks: the text encoder and VAE that fit the transformer, the
/// tokenizer of the text encoder's vocabulary, the image encoder, the other expert. Among several files with
/// the same weights it takes the largest, which is the most exact. Returns the files that were passed over
/// only because of their name, although their shapes are the same, by the part that was chosen. Throws
/// Error{Input} listing everything that is missing, with what to download and where to put it, and for a
/// transformer whose kind is not certain; ProjectError at parts.… when files fit and nothing shows which is
/// Wan's.
PartSources completeParts(PartSources& sources, const ModelCatalogue& catalogue);

/// Returns the folder of the project's model in diffusers layout. A model of single files, or one with parts
/// that the project replaces, is assembled in userCacheFolder()/models: links to the files, and the small
/// JSON files that they lack. Throws Error{Input} as findModel(), askedParts() and completeParts() do.
std::filesystem::path prepareModelFolder(const Project& project);

}  // namespace meshreel
