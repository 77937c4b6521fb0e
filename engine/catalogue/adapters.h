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
    bool byName = false;              ///< with two experts, its name or metadata assigns it to this one
    std::vector<Sentence> remarks{};  ///< what contradicts that, or is likely to be missing beside it
};
using PlannedAdapters = std::vector<PlannedAdapter>;

/// Returns the file of an adapter that is given by path, by its name in a folder "loras" of a models folder,
/// or as ORGANISATION/REPOSITORY[/FILE] in the models folders or the Hugging Face cache. A folder stands for
/// the adapter_model or pytorch_lora_weights in it. Throws Error{Input} saying where it was looked for.
std::filesystem::path findAdapter(const std::string& nameOrPath);

/// Matches every adapter of the project with its transformers: those that lora asks for, narrowed to the ones
/// that the file's keys name, if any (namedExperts()). When neither decides, the file's name or metadata do
/// (readExpert()). Throws Error{Input} for an adapter that is missing, damaged or matches nothing,
/// Error{Project} for an expert that the model or the file does not have.
PlannedAdapters planAdapters(const LoraList& adapters, std::span<const AdapterTarget> targets);

/// Plans the adapters of the transformers of a model's folder; opens these only if there are adapters.
PlannedAdapters planAdapters(const LoraList& adapters, const std::filesystem::path& modelFolder);

/// Adds one transformer's adapters to its weights.
void addAdapters(const PlannedAdapters& adapters, int expert, Checkpoint& weights);

/// Returns the layers after applying one transformer's adapters: f32 weights that adapters change become
/// copies, and their mapped originals are no longer used.
StoredLayers adaptedLayers(const PlannedAdapters& adapters, int expert, const StoredLayers& layers);

/// Returns what an adapter changes, by how much, and whether all of it fits.
Sentence adapterHeadline(const PlannedAdapter& planned);

/// Describes an adapter for people, on several lines: what it changes and by how much, and the keys that
/// match nothing. Names that differ only in their numbers share a line, with their count.
Sentence describeAdapter(const PlannedAdapter& planned);

/// Returns what describeAdapter() says with every name, and what the adapter's file is.
nlohmann::json adaptersJson(const PlannedAdapters& adapters);

/// "blocks.*.attn1.to_q.weight (30)", sorted. Exposed for tests.
std::vector<std::string> collapsedNames(std::span<const std::string> names);

/// What a file's name says of an adapter.
struct DistilledName {
    bool distilled = false;  ///< made by step distillation
    bool fits = false;       ///< it does not name another task or another generation of models
    ExpertChoice expert = ExpertChoice::All;
};

/// Returns what the names of a file and of its folder say, for a model of this family.
DistilledName readDistilledName(const std::filesystem::path& file, const ModelFamily& family);

/// Returns whether the project's preset wants an adapter that the project does not name.
bool wantsDistilledAdapter(const Project& project);

/// Returns the project's adapters. Those that its preset wants are looked up in the user's models folders,
/// then beside the shipped models: among all whose name says so and whose tensors fit the model, the largest;
/// for two experts one each, from one set if there is one, or one for both. Throws Error{Input} saying what
/// to put where.
LoraList readAdapters(const Project& project, const ModelFamily& family,
                      const std::filesystem::path& modelFolder);

}  // namespace meshreel
