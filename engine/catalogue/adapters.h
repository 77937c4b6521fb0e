// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/catalogue/model_facts.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/lora.h"

namespace meshreel {

/// A transformer of a model as adapters see it: of two the first is the high-noise expert.
struct AdapterTarget {
    int expert = 1;  ///< see transformerName()
    const Checkpoint* weights = nullptr;
};

/// An adapter that fits a transformer.
struct PlannedAdapter {
    int expert = 1;         ///< the transformer that it goes into
    bool oneOfTwo = false;  ///< the model has two
    std::shared_ptr<const LoraAdapter> adapter;
    bool byName = false;              ///< of two it goes into this one because of its name or metadata
    std::vector<Sentence> remarks{};  ///< what contradicts that, or is likely to be missing beside it
};
using PlannedAdapters = std::vector<PlannedAdapter>;

/// The file of an adapter that is given by path, by its name in a folder "loras" of a models folder, or as
/// ORGANISATION/REPOSITORY[/FILE] in the models folders or the Hugging Face cache. A folder stands for the
/// adapter_model or pytorch_lora_weights in it. Throws Error{Input} saying where it was looked for.
std::filesystem::path findAdapter(const std::string& nameOrPath);

/// Matches every adapter of the project with the transformers it is meant for: those that lora asks for, and
/// of these the ones that the file's keys name, where they name any (namedExperts()). Where neither says,
/// the file's name or metadata do (readExpert()). Throws Error{Input} for one
/// that is missing, damaged or fits nothing, Error{Project} for an expert that the model or the file does not
/// have.
PlannedAdapters planAdapters(const LoraList& adapters, std::span<const AdapterTarget> targets);

/// Plans the adapters of the transformers of a model's folder; these are opened only where there are
/// adapters.
PlannedAdapters planAdapters(const LoraList& adapters, const std::filesystem::path& modelFolder);

/// Adds the adapters of one transformer to its weights.
void addAdapters(const PlannedAdapters& adapters, int expert, Checkpoint& weights);

/// The layers as the adapters of one transformer leave them: f32 weights that adapters add to become
/// copies and are no longer used where the file is mapped.
StoredLayers adaptedLayers(const PlannedAdapters& adapters, int expert, const StoredLayers& layers);

/// What an adapter changes, by how much, and whether all of it fits.
Sentence adapterHeadline(const PlannedAdapter& planned);

/// For people, several lines: what is changed and by how much, and the keys that fit nothing. Names that
/// differ by their numbers alone stand on one line with their count.
Sentence describeAdapter(const PlannedAdapter& planned);

/// What describeAdapter() says with every name, and what the adapter's file is.
nlohmann::json adaptersJson(const PlannedAdapters& adapters);

/// "blocks.*.attn1.to_q.weight (30)", sorted. Exposed for tests.
std::vector<std::string> collapsedNames(std::span<const std::string> names);

/// What a file's name says of an adapter.
struct DistilledName {
    bool distilled = false;  ///< it was made by step distillation
    bool fits = false;       ///< it names neither another task nor another generation of models
    ExpertChoice expert = ExpertChoice::All;
};

/// What the names of a file and of its folder say, for a model of this family.
DistilledName readDistilledName(const std::filesystem::path& file, const ModelFamily& family);

/// Whether the project's preset wants an adapter that the project does not name.
bool wantsDistilledAdapter(const Project& project);

/// The project's adapters; those that its preset wants are looked for in the user's models folders, then
/// beside the shipped models: of all whose name says so and whose tensors fit the model the largest, of two
/// experts one for each, of one set where there is one, or one for both. Throws Error{Input} saying what to
/// put where.
LoraList readAdapters(const Project& project, const ModelFamily& family,
                      const std::filesystem::path& modelFolder);

}  // namespace meshreel
