// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/models/families/model_identity.h"
#include "engine/models/families/part_tensors.h"

namespace meshreel {

/// How the tensors of one class are stored.
struct StoredClass {
    std::string name;  ///< "matrices", "convolutions and tables", "vectors"
    std::map<std::string, std::size_t> tensorsOfType;
};

/// What one file of weights (or a component's shards) is, from its headers alone.
struct WeightsInspection {
    std::filesystem::path path;
    std::string format;  ///< "safetensors", "GGUF 3", "PyTorch"
    Sentence names;      ///< "diffusers", "original behind model.diffusion_model.", "llama.cpp"
    ModelIdentity identity;
    nlohmann::json config;    ///< empty object where it is open
    std::string configDoubt;  ///< why it is open
    std::size_t tensors = 0;
    std::uint64_t parameters = 0;
    std::uint64_t storedBytes = 0;
    std::uint64_t bytesInF32 = 0;   ///< memory for computing in f32
    std::uint64_t bytesInBf16 = 0;  ///< memory with matrices and convolutions in bf16
    std::uint64_t available = 0;    ///< memory of this machine that is free now
    std::vector<StoredClass> classes;
    Sentence quantisation;  ///< "none", "Q4_K and Q6_K", "F8_E4M3 with scales"
    /// How tensors are stored that Meshreel does not read, and how many.
    std::map<std::string, std::size_t> unread;
    std::vector<UnusedTensors> unused;  ///< what the network does not take from the file
    std::vector<Sentence> pairing;      ///< what else a video needs
    std::map<std::string, std::string> metadata;
};

/// Throws as Checkpoint::open() does.
WeightsInspection inspectWeights(const std::filesystem::path& fileOrFolder);

/// Inspects a part's folder; nothing when it holds no weights (tokenizer, scheduler). Throws likewise.
std::optional<WeightsInspection> inspectPart(const std::filesystem::path& folder);

/// Returns the inspection as lines for people.
std::string formatInspection(const WeightsInspection& inspection);

nlohmann::json inspectionJson(const WeightsInspection& inspection);

/// A part that a model folder has or should have.
struct InspectedPart {
    std::string_view name;  ///< name of its folder
    bool found = false;
    bool needed = false;  ///< according to model_index.json, or because every model needs it
};

/// Inspects the parts of a folder in diffusers layout, in the order in which they are used.
std::vector<InspectedPart> inspectParts(const std::filesystem::path& modelFolder);

}  // namespace meshreel
