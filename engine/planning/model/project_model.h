// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "engine/base/error.h"
#include "engine/planning/model/model_facts.h"
#include "engine/project/project.h"

namespace meshreel {

/// What a project's model is, as far as this machine can tell.
struct ProjectModel {
    std::shared_ptr<const ModelFacts> facts;  ///< null: neither can it be used nor is it known by its name
    bool onDisk = false;
    std::optional<Error> refused = {};  ///< why it cannot be used as it is

    /// The facts are those of its release: a plan is made with them, and not yet a run.
    [[nodiscard]] bool isReleased() const { return facts != nullptr && refused.has_value(); }
};

/// Reads the project's model; of one that is not on this machine or cannot be read, what releasedModelFacts()
/// knows. A model that is made of files one by one is left to makePlan().
ProjectModel readProjectModel(const Project& project);

}  // namespace meshreel
