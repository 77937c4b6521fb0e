// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "engine/models/transformer/wan_precision.h"
#include "engine/project/project.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// What each part of a run computes in, decided once from the project's keys. Types are f32 or bf16.
struct RunPrecision {
    WanPrecision transformer;
    DType textEncoder = DType::F32;
    DType vae = DType::F32;
    DType vaeWeights = DType::F32;
    DType scheduler = DType::F32;
};

/// Of a project without problems.
RunPrecision precisionOf(const Project& project);

/// "float32" or "bfloat16": as the keys spell it.
std::string_view keyValueOf(DType type);

/// "float32", "bfloat16" or "int8".
std::string_view keyValueOf(Arithmetic weights);

/// Keys weights, activations, products (how the blocks' linear layers multiply), products_by
/// (the implementation on this machine), text_encoder, vae,
/// vae_weights, scheduler.
nlohmann::ordered_json precisionJson(const RunPrecision& precision);

}  // namespace meshreel
