// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/catalogue/model_offers.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project.h"

namespace meshreel {

/// An installed model with all its parts.
struct UsableModel {
    std::string name;              ///< as a project spells it
    std::filesystem::path path;    ///< its folder, or its transformer's file
    std::filesystem::path folder;  ///< in diffusers layout, assembled where it is a file
    const ModelFamily* family = nullptr;
    bool embedded = false;  ///< comes with Meshreel
};

/// Returns the models that can be used: folders in the order of installedModels(), then files of
/// transformers; of two experts in files the high-noise one stands for both. Reads headers; what cannot be
/// used is left out.
std::vector<UsableModel> listUsableModels();

/// Returns the model that does the task and suits best; null when none does it. Of several it is the one that
/// stands first in `used`, the models of past runs, the newest first, as their projects spell them. Of those
/// that no run used, one whose usual video fits this machine's memory comes first, then one that reads the
/// disk in each step, then an embedded one. Plans with models where there are several.
const UsableModel* findModelFor(WanTask task, std::span<const UsableModel> models,
                                std::span<const std::string> used = {});

/// A model to be downloaded.
struct ModelToGet {
    const ModelOffer* offer = nullptr;
    std::uint64_t bytesMissing = 0;

    friend bool operator==(const ModelToGet&, const ModelToGet&) = default;
};

/// Returns what `meshreel get` offers for the task and is not here, the one that fits this machine best first
/// as in findModelFor(); of equal ones the first in the table of offers. Nothing when there is none. Plans
/// with the offers.
std::optional<ModelToGet> findModelToGet(WanTask task);

/// What a project is to be made for the first of some tasks that can be done.
struct TaskFound {
    WanTask task = WanTask::TextToVideo;
    std::string model;                    ///< other than the project's; empty: that stays
    const ModelFamily* family = nullptr;  ///< of the model; null: none does any of the tasks
    std::optional<ModelToGet> get = {};   ///< then, if there is one
};

/// Returns the first of `tasks` that the project's model does; else the first that an installed model does,
/// as findModelFor() chooses it; else the first, with what to get for it. `tasks` is not empty. Asks `known`,
/// an earlier list of the installed models, before it lists them again.
TaskFound findTask(const Project& project, std::span<const WanTask> tasks,
                   std::span<const std::string> used = {}, std::span<const UsableModel> known = {});

}  // namespace meshreel
