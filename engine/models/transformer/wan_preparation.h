// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/models/transformer/wan_transformer.h"

namespace meshreel {

/// One device's way through the layers that make a context of conditions.
class WanTransformer::Preparation {
  public:
    Preparation(const WanTransformer& model, Device& device, const Probe& probe)
        : m_model(model), m_device(device), m_execution(device.execution()), m_probe(probe) {}

    /// The conditions fit the model.
    [[nodiscard]] WanContext run(const WanConditions& conditions);

  private:
    /// f32 [batch, latent frames, face tokens, innerDim], the first frame's being zeros, of the reference.
    [[nodiscard]] Tensor embedFaces(const LayerTensors& tensors, const Tensor& faces) const;
    void embedText(const LayerTensors& tensors, const Tensor& text);
    void embedImage(const LayerTensors& tensors, const Tensor& image);
    void runLayer(const WanLayerPlace& place, const LayerTensors& tensors, const WanConditions& conditions);
    [[nodiscard]] BlockContext blockContext(const LayerTensors& tensors) const;
    void report(std::string_view name, const Tensor& value) const;

    const WanTransformer& m_model;
    Device& m_device;
    const Execution& m_execution;
    const Probe& m_probe;
    WanContext m_context;
    Tensor m_text;
    std::optional<Tensor> m_image;
    Tensor m_faces;
};

}  // namespace meshreel
