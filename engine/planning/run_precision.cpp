// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/run_precision.h"

#include <nlohmann/json.hpp>

#include "engine/kernels/linear/linear_candidates.h"

namespace meshreel {
namespace {

constexpr std::string_view bfloat16 = "bfloat16";

DType typeOf(std::string_view keyValue) {
    return keyValue == bfloat16 ? DType::BF16 : DType::F32;
}

Arithmetic weightArithmetic(std::string_view keyValue) {
    if (keyValue == "int8")
        return Arithmetic::Int8;
    return keyValue == bfloat16 ? Arithmetic::BF16 : Arithmetic::F32;
}

}  // namespace

RunPrecision precisionOf(const Project& project) {
    return {.transformer = {.weights = weightArithmetic(project.weightsDtype),
                            .activations = typeOf(project.activationsDtype)},
            .textEncoder = typeOf(project.textEncoderDtype),
            .vae = typeOf(project.vaeDtype),
            .vaeWeights = typeOf(project.vaeWeightsDtype),
            .scheduler = typeOf(project.schedulerDtype)};
}

std::string_view keyValueOf(DType type) {
    return type == DType::BF16 ? bfloat16 : std::string_view("float32");
}

std::string_view keyValueOf(Arithmetic weights) {
    switch (weights) {
        case Arithmetic::F32:
            return "float32";
        case Arithmetic::BF16:
            return bfloat16;
        case Arithmetic::Int8:
            return "int8";
    }
    return {};
}

nlohmann::ordered_json precisionJson(const RunPrecision& precision) {
    return {{"weights", keyValueOf(precision.transformer.weights)},
            {"activations", keyValueOf(precision.transformer.activations)},
            {"products", nameOf(precision.transformer.linears())},
            {"products_by", linearCandidate(precision.transformer.linears()).kernel.name},
            {"text_encoder", keyValueOf(precision.textEncoder)},
            {"vae", keyValueOf(precision.vae)},
            {"vae_weights", keyValueOf(precision.vaeWeights)},
            {"scheduler", keyValueOf(precision.scheduler)}};
}

}  // namespace meshreel
