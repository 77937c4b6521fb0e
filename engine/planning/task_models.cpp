// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/task_models.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/system.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/offered_model.h"
#include "engine/models/families/weights_name.h"
#include "engine/planning/model_fit.h"
#include "engine/weights/tensor_names.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// How well a model suits this machine, the best first.
enum class Suits : std::uint8_t { Fits, Streams, Embedded, TooLarge };

Suits suitOf(const std::optional<ModelFit>& fit) {
    if (!fit)
        return Suits::TooLarge;
    switch (fit->kind) {
        case FitKind::Fits:
            return Suits::Fits;
        case FitKind::Streamed:
            return Suits::Streams;
        case FitKind::TooLarge:
            break;
    }
    return Suits::TooLarge;
}

Suits suitOf(const UsableModel& model) {
    return model.embedded ? Suits::Embedded : suitOf(fitOfFolder(model.folder));
}

Project projectOf(std::string model) {
    Project project;
    project.model = std::move(model);
    return project;
}

/// Adds it with its folder and family, if its parts are there and fit together.
void addIfUsable(std::vector<UsableModel>& models, UsableModel model) {
    try {
        model.folder = prepareModelFolder(projectOf(model.path.string()));
        model.family = readModelFacts(model.folder).family;
        models.push_back(std::move(model));
    } catch (const Error&) {
        // Models says what is wrong with it.
    }
}

bool isModelFile(const CatalogueFile& file) {
    return file.problem.empty() && !file.adapter && file.identity.relative.empty() &&
           file.identity.part == ModelPart::Transformer && file.identity.expert != Expert::Low;
}

/// Where the model stands among those of past runs; behind the last if none had it.
std::size_t placeOf(const UsableModel& model, std::span<const std::string> used) {
    const auto found = std::ranges::find_if(
        used, [&](const std::string& name) { return name == model.name || expandTilde(name) == model.path; });
    return static_cast<std::size_t>(found - used.begin());
}

/// Null when the model is not here, or cannot be used.
const ModelFamily* familyOf(const Project& project) {
    try {
        return readModelFacts(prepareModelFolder(project)).family;
    } catch (const Error&) {
        return nullptr;
    }
}

}  // namespace

std::vector<UsableModel> listUsableModels() {
    const ModelCatalogue catalogue = scanModels();
    std::vector<UsableModel> models;
    for (const ModelInfo& model : catalogue.models)
        addIfUsable(models,
                    {.name = model.name, .path = model.folder, .folder = {}, .embedded = model.embedded});
    for (const CatalogueFile& file : catalogue.files)
        if (isModelFile(file))
            addIfUsable(models, {.name = withTilde(file.path), .path = file.path, .folder = {}});
    return models;
}

const UsableModel* findModelFor(WanTask task, std::span<const UsableModel> models,
                                std::span<const std::string> used) {
    std::vector<const UsableModel*> able;
    for (const UsableModel& model : models)
        if (isMadeFor(*model.family, task))
            able.push_back(&model);
    if (able.empty())
        return nullptr;
    const auto newest =
        std::ranges::min_element(able, {}, [&](const UsableModel* model) { return placeOf(*model, used); });
    if (able.size() == 1 || placeOf(**newest, used) < used.size())
        return *newest;
    const UsableModel* best = nullptr;
    Suits suits = Suits::TooLarge;
    for (const UsableModel* model : able) {
        const Suits own = suitOf(*model);
        if (best == nullptr || own < suits) {
            best = model;
            suits = own;
        }
    }
    return best;
}

std::optional<ModelToGet> findModelToGet(WanTask task) {
    const OffersHere here(scanModels());
    const std::uint64_t memory = availableMemory();
    std::optional<ModelToGet> best;
    Suits suits = Suits::TooLarge;
    for (const ModelOffer& offer : modelOffers()) {
        if (offer.kind != OfferKind::Model || here.has(offer))
            continue;
        const std::optional<ModelFacts> facts = offeredModelFacts(offer);
        if (!facts || !isMadeFor(*facts->family, task))
            continue;
        std::uint64_t missing = 0;
        for (const LocatedFile& file : here.toGet(offer))
            missing += file.bytesMissing();
        const Suits own = suitOf(fitOffer(offer, missing, memory).memory);
        if (!best || own < suits) {
            best = ModelToGet{.offer = &offer, .bytesMissing = missing};
            suits = own;
        }
    }
    return best;
}

TaskFound findTask(const Project& project, std::span<const WanTask> tasks, std::span<const std::string> used,
                   std::span<const UsableModel> known) {
    if (const ModelFamily* family = familyOf(project))
        for (const WanTask task : tasks)
            if (isMadeFor(*family, task))
                return {.task = task, .model = {}, .family = family};
    const auto amongst = [&](std::span<const UsableModel> models) -> std::optional<TaskFound> {
        for (const WanTask task : tasks)
            if (const UsableModel* model = findModelFor(task, models, used))
                return TaskFound{.task = task, .model = model->name, .family = model->family};
        return std::nullopt;
    };
    if (const auto found = amongst(known))
        return *found;
    if (const auto found = amongst(listUsableModels()))
        return *found;
    return {.task = tasks.front(), .model = {}, .family = nullptr, .get = findModelToGet(tasks.front())};
}

}  // namespace meshreel
