// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/models_for_task.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/planning/model/model_facts.h"
#include "engine/planning/model/model_library.h"

namespace meshreel {
namespace {

bool does(const ModelInfo& model, WanTask task) {
    try {
        return offers(*readModelFacts(model.folder).family, task);
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

std::vector<std::string> installedModelsFor(WanTask task) {
    std::vector<std::string> names;
    for (const ModelInfo& model : installedModels())
        if (does(model, task))
            names.push_back(model.name);
    return names;
}

}  // namespace meshreel
