// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/cost/work.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace meshreel {
namespace {

constexpr std::array<WorkClassRow, workClasses> rows{{
    {WorkClass::LinearF32, "linear_f32", "FLOP", 7e-12, "Linear layers in float32"},
    {WorkClass::LinearBf16, "linear_bf16", "FLOP", 7e-12, "Linear layers in bfloat16"},
    {WorkClass::LinearInt8, "linear_int8", "FLOP", 7e-12, "Linear layers with int8 weights"},
    {WorkClass::Rounding, "rounding", "value", 2e-10, "What int8 layers round and scale"},
    {WorkClass::DenseAttention, "attention_dense", "FLOP", 8e-12, "Products of attention without blocks"},
    {WorkClass::BlockedAttentionF32, "attention_f32", "FLOP", 8e-12,
     "Products of blocked attention in float32"},
    {WorkClass::BlockedAttentionBf16, "attention_bf16", "FLOP", 8e-12,
     "Products of blocked attention in bfloat16"},
    {WorkClass::Softmax, "softmax", "score", 7e-10, "Exponentials of attention"},
    {WorkClass::KeyPacking, "key_packing", "byte", 1e-10, "Keys and values that blocks of queries read anew"},
    {WorkClass::Activations, "activations", "byte", 1e-10,
     "What norms, rotation, gates and products read and write"},
    {WorkClass::Weights, "weights", "byte", 5e-11, "Weights that a pass reads"},
    {WorkClass::Blocks, "blocks", "block", 2e-4, "Starting and waiting for the workers of a block"},
    {WorkClass::Exchange, "exchange", "byte", 3e-10, "What devices receive from each other"},
    {WorkClass::Messages, "messages", "collective", 3e-5, "Meetings of devices"},
    {WorkClass::Steps, "steps", "step", 1e-3, "The scheduler"},
    {WorkClass::Checkpoints, "checkpoints", "step", 2e-3, "Keeping a step on disk and telling of it"},
    {WorkClass::ConvolutionF32, "convolution_f32", "FLOP", 9e-12, "The VAE's products in float32"},
    {WorkClass::ConvolutionBf16, "convolution_bf16", "FLOP", 9e-12, "The VAE's products in bfloat16"},
    {WorkClass::Features, "features", "value", 5e-10, "What the VAE's layers read and write"},
    {WorkClass::VaeLayers, "vae_layers", "layer", 1e-4,
     "Starting the VAE's layers, a latent frame at a time"},
    {WorkClass::TextWeights, "text_weights", "parameter", 5e-10, "Reading the text encoder"},
    {WorkClass::Prompts, "prompts", "prompt", 1e-3, "Cutting a prompt up and starting the text encoder"},
    {WorkClass::Packing, "packing", "parameter", 7e-10, "Bringing weights into the order of the kernels"},
    {WorkClass::Runs, "runs", "run", 5e-2, "Opening a model and warming up"},
}};
static_assert(std::ranges::is_sorted(rows, {}, &WorkClassRow::kind));

}  // namespace

std::span<const WorkClassRow> workClassRows() {
    return rows;
}

Work& Work::operator+=(const Work& other) {
    std::ranges::transform(amounts, other.amounts, amounts.begin(), std::plus<>());
    return *this;
}

Work& Work::operator*=(double factor) {
    for (double& amount : amounts)
        amount *= factor;
    return *this;
}

nlohmann::ordered_json workJson(const Work& work) {
    auto json = nlohmann::ordered_json::object();
    for (const WorkClassRow& row : rows)
        if (work[row.kind] != 0)
            json[std::string(row.name)] = work[row.kind];
    return json;
}

Work workFrom(const nlohmann::json& json) {
    Work work;
    for (const WorkClassRow& row : rows)
        if (const auto found = json.find(std::string(row.name)); found != json.end())
            work[row.kind] = std::max(0.0, found->get<double>());
    return work;
}

}  // namespace meshreel
