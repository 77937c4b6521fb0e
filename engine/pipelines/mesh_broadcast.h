// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/mesh/communicator.h"
#include "engine/pipelines/denoise.h"
#include "engine/pipelines/generation_events.h"

namespace meshreel {

// What the first member of a group holds, on every member; what the others pass does not matter. Throws as
// Transfer::wait.

Tensor broadcastTensor(Communicator& group, const Tensor& value);
std::optional<Tensor> broadcastOptional(Communicator& group, const std::optional<Tensor>& value);
TextConditioning broadcastText(Communicator& group, const TextConditioning& text);
VisualInputs broadcastInputs(Communicator& group, const VisualInputs& inputs);
SamplerSnapshot broadcastSnapshot(Communicator& group, const SamplerSnapshot& snapshot);

}  // namespace meshreel
