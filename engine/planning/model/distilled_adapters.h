// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/models/families/model_family.h"
#include "engine/project/project.h"

namespace meshreel {

/// What a file's name says of an adapter.
struct DistilledName {
    bool distilled = false;  ///< it was made by step distillation
    bool fits = false;       ///< it names neither another task nor another generation of models
    ExpertChoice expert = ExpertChoice::All;
};

/// Of a file and the folder that it lies in, for a model of this family.
DistilledName readDistilledName(const std::filesystem::path& file, const ModelFamily& family);

/// Whether the project's preset wants an adapter that the project does not name.
bool wantsDistilledAdapter(const Project& project);

/// The project's adapters; those that its preset wants are looked for in the user's models folders, then
/// beside the shipped models: of all whose name says so and whose tensors fit the model the largest, of two
/// experts one for each or one for both.
/// Throws Error{Input} saying what to put where.
LoraList adaptersOf(const Project& project, const ModelFamily& family,
                    const std::filesystem::path& modelFolder);

}  // namespace meshreel
