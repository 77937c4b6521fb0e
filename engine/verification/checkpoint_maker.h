// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "engine/kernels/execution.h"
#include "engine/models/families/architecture.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// Weights of a released model's shapes, to be made.
struct CheckpointOrder {
    const Architecture* architecture = nullptr;
    std::optional<DType> dtype = {};          ///< F32, BF16 or F16; as released when absent
    std::optional<std::int64_t> layers = {};  ///< only the first
    bool sparse = false;                      ///< zeros that take no disk
    std::uint64_t seed = 0;                   ///< seed of the random numbers
};

struct MadeCheckpoint {
    std::size_t tensors = 0;
    std::size_t files = 0;  ///< number of files with weights
    std::size_t bytes = 0;  ///< bytes of all tensors together
};

using MakeProgress = std::function<void(std::size_t bytesDone, std::size_t bytes)>;

/// Returns one component in diffusers' layout: config.json and its weights, in several files with an index
/// where upstream would shard them. `folder` must be absent or empty (Error{Project} otherwise) and appears
/// whole. Memory is bounded by a few MiB. Throws Error{Resources} when the disk has too little space,
/// Error{Cancelled}, and as configOf.
MadeCheckpoint makeCheckpoint(const Execution& execution, const CheckpointOrder& order,
                              const std::filesystem::path& folder, const MakeProgress& onProgress = {});

/// Returns the components that makeModel can make.
std::span<const std::string_view> modelParts();

/// Makes a model's folder with model_index.json, the embedded model's tokenizer and scheduler, and `parts`
/// (components by the names of their folders). dtype is the transformer's, the other parts are as released;
/// layers are the transformer's and, up to its own number, the text encoder's. Throws Error{Project} for
/// architectures other than text-to-video transformers of Wan 2.1 and for unknown parts, and as
/// makeCheckpoint() does.
MadeCheckpoint makeModel(const Execution& execution, const CheckpointOrder& order,
                         std::span<const std::string> parts, const std::filesystem::path& folder,
                         const MakeProgress& onProgress = {});

}  // namespace meshreel
