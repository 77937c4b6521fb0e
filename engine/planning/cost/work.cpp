// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/cost/work.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace meshreel {
namespace {

constexpr std::array<WorkClassRow, workClasses> rows{{
    {WorkClass::LinearF32, "linear_f32", "FLOP", "Linear layers in float32"},
    {WorkClass::LinearBf16, "linear_bf16", "FLOP", "Linear layers in bfloat16"},
    {WorkClass::LinearInt8, "linear_int8", "FLOP", "Linear layers with int8 weights"},
    {WorkClass::DenseAttention, "attention_dense", "FLOP", "Products of attention without blocks"},
    {WorkClass::BlockedAttentionF32, "attention_f32", "FLOP", "Products of blocked attention in float32"},
    {WorkClass::BlockedAttentionBf16, "attention_bf16", "FLOP", "Products of blocked attention in bfloat16"},
    {WorkClass::Softmax, "softmax", "score", "Exponentials of attention"},
    {WorkClass::KeyPacking, "key_packing", "byte", "Keys and values that blocks of queries read anew"},
    {WorkClass::Activations, "activations", "byte",
     "What norms, rotation, gates and products read and write"},
    {WorkClass::Weights, "weights", "byte", "Weights that a pass reads"},
    {WorkClass::Blocks, "blocks", "block", "Starting and waiting for the workers of a block"},
    {WorkClass::Exchange, "exchange", "byte", "What devices receive from each other"},
    {WorkClass::Messages, "messages", "collective", "Meetings of devices"},
    {WorkClass::Steps, "steps", "step", "Scheduler and the checkpoint on disk"},
    {WorkClass::ConvolutionF32, "convolution_f32", "FLOP", "The VAE's products in float32"},
    {WorkClass::ConvolutionBf16, "convolution_bf16", "FLOP", "The VAE's products in bfloat16"},
    {WorkClass::Frames, "frames", "pixel", "The VAE's features beside the products, and its frames"},
    {WorkClass::TextWeights, "text_weights", "parameter", "Reading the text encoder"},
    {WorkClass::Packing, "packing", "parameter", "Bringing weights into the order of the kernels"},
    {WorkClass::Runs, "runs", "run", "Opening a model and warming up"},
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
