// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/tensor/dtype.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {

/// The class of TAEHV's configs. No file comes with such a config: shapes identify it.
inline constexpr std::string_view tinyVaeClass = "TAEHV";

/// What models of one kind have in common. Names follow diffusers and transformers.
struct ArchitectureFamily {
    std::string_view part;         ///< folder of a whole model: "transformer", "vae", "text_encoder", ...
    DType released;                ///< type of the released weights
    std::string_view weightsFile;  ///< without its extension
    std::size_t shardBytes;        ///< upstream begins a new file where the next tensor would pass this
    std::string_view layersKey;    ///< key in the config; empty when layers cannot be left out
    std::string_view config;       ///< JSON; what an architecture does not say otherwise
    std::vector<TensorSpec> (*tensors)(const nlohmann::json& config);  ///< lists them as F32
};

/// A released model: its config.json, which implies the names and shapes of all its tensors.
struct Architecture {
    std::string_view name;    ///< "wan2.1-t2v-1.3b"
    std::string_view shapes;  ///< its file in golden cases of the kind real_shapes: "dit_wan21_t2v_1.3b"
    std::string_view help;
    const ArchitectureFamily& family;
    std::string_view config;  ///< JSON; what differs from the family's
};

std::span<const Architecture> architectures();

/// Finds it by `name` or by `shapes`; returns nullptr when there is none.
const Architecture* findArchitecture(std::string_view name);

/// Finds it, and throws Error{Project} at --arch with the nearest name or all of them when there is none.
const Architecture& requireArchitecture(std::string_view name);

/// config.json. `layers`: only the first of them. Throws Error{Project} when layers cannot be left out.
nlohmann::json configOf(const Architecture& architecture, std::optional<std::int64_t> layers = {});

/// Returns all tensors in the order of upstream's modules, of the released dtype or another.
std::vector<TensorSpec> tensorsOf(const Architecture& architecture, std::optional<std::int64_t> layers = {},
                                  std::optional<DType> dtype = {});

}  // namespace meshreel
