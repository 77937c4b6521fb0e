// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/project_model.h"

#include <filesystem>
#include <utility>

#include "engine/planning/model/model_library.h"
#include "engine/planning/model/part_sources.h"
#include "engine/planning/model/released_model.h"

namespace meshreel {

ProjectModel readProjectModel(const Project& project) {
    ProjectModel model;
    try {
        const std::filesystem::path folder = findModel(project.model);
        model.onDisk = true;
        model.facts = std::make_shared<const ModelFacts>(readModelFacts(folder));
    } catch (const Error& refused) {
        model.refused = refused;
        if (isMadeOfFiles(project))
            return model;
        if (std::optional<ModelFacts> released = releasedModelFacts(project.model))
            model.facts = std::make_shared<const ModelFacts>(*std::move(released));
    }
    return model;
}

}  // namespace meshreel
