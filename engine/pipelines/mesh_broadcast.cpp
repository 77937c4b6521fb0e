// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/mesh_broadcast.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace meshreel {
namespace {

constexpr int root = 0;
constexpr std::size_t maxRank = 8;

/// What must be known before the elements of a tensor can be received.
struct TensorHeader {
    std::int64_t type = 0;
    std::int64_t rank = 0;
    std::array<std::int64_t, maxRank> extents{};
};

std::int64_t broadcastNumber(Communicator& group, std::int64_t value) {
    group.broadcast(root, blockOf(std::span(&value, 1)));
    return value;
}

std::string broadcastString(Communicator& group, std::string text) {
    text.resize(static_cast<std::size_t>(broadcastNumber(group, std::ssize(text))));
    if (!text.empty())
        group.broadcast(root, blockOf(std::span(text)));
    return text;
}

TensorHeader headerOf(const Tensor& value) {
    TensorHeader header{.type = static_cast<std::int64_t>(value.dtype()),
                        .rank = static_cast<std::int64_t>(value.shape().rank()),
                        .extents = {}};
    std::ranges::copy(value.shape().extents(), header.extents.begin());
    return header;
}

Tensor tensorFor(const TensorHeader& header) {
    return Tensor::empty(
        Shape(std::vector<std::int64_t>(header.extents.begin(), header.extents.begin() + header.rank)),
        static_cast<DType>(header.type));
}

}  // namespace

Tensor broadcastTensor(Communicator& group, const Tensor& value) {
    if (group.size() == 1)
        return value;
    const bool gives = group.position() == root;
    TensorHeader header = gives ? headerOf(value) : TensorHeader{};
    group.broadcast(root, blockOf(std::span(&header, 1)));
    Tensor result = gives ? value : tensorFor(header);
    if (result.bytes() > 0)
        group.broadcast(root, blockOf(std::span(result.raw(), result.bytes())));
    return result;
}

std::optional<Tensor> broadcastOptional(Communicator& group, const std::optional<Tensor>& value) {
    if (broadcastNumber(group, value.has_value() ? 1 : 0) == 0)
        return std::nullopt;
    return broadcastTensor(group, value.value_or(Tensor()));
}

TextConditioning broadcastText(Communicator& group, const TextConditioning& text) {
    return {broadcastTensor(group, text.prompt), broadcastOptional(group, text.negative)};
}

VisualInputs broadcastInputs(Communicator& group, const VisualInputs& inputs) {
    VisualInputs result = inputs;
    for (std::optional<Tensor> VisualInputs::*part :
         {&VisualInputs::image, &VisualInputs::lastImage, &VisualInputs::imageTokens, &VisualInputs::video,
          &VisualInputs::mask, &VisualInputs::pose, &VisualInputs::faces, &VisualInputs::background})
        result.*part = broadcastOptional(group, inputs.*part);
    result.references.resize(static_cast<std::size_t>(broadcastNumber(group, std::ssize(inputs.references))));
    for (Tensor& reference : result.references)
        reference = broadcastTensor(group, reference);
    return result;
}

namespace {

SchedulerState broadcastState(Communicator& group, const SchedulerState& state) {
    SchedulerState result = state;
    result.resize(static_cast<std::size_t>(broadcastNumber(group, std::ssize(state))));
    for (auto& [name, tensor] : result) {
        name = broadcastString(group, name);
        tensor = broadcastTensor(group, tensor);
    }
    return result;
}

}  // namespace

SamplerSnapshot broadcastSnapshot(Communicator& group, const SamplerSnapshot& snapshot) {
    SamplerSnapshot result;
    result.stepsDone = static_cast<int>(broadcastNumber(group, snapshot.stepsDone));
    result.latents = broadcastTensor(group, snapshot.latents);
    result.history = broadcastState(group, snapshot.history);
    result.cache = broadcastState(group, snapshot.cache);
    result.finished = broadcastOptional(group, snapshot.finished);
    return result;
}

}  // namespace meshreel
