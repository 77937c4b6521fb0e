// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/wan_vace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/kernels/rows/elementwise.h"
#include "engine/models/non_finite.h"
#include "engine/models/transformer/residual_sum.h"
#include "engine/models/transformer/row_parallel_linear.h"
#include "engine/timing/trace.h"

namespace meshreel {

namespace {

// Of tokens that every device of the tensor axis has whole, the features that its part of a product takes.
MatrixView ownFeatures(const Device& device, const WanTransformerConfig& config, const Tensor& tokens) {
    const std::int64_t width = config.innerDim() / device.layout().shape().tensor;
    return MatrixView(tokens).columns(width * device.at().tensor, width);
}

}  // namespace

VaceStream::VaceStream(Device& device, const WanTransformerConfig& config, const WanPrecision& precision,
                       const LayerTensors& embeddings, const Tensor& control, std::vector<float> scales,
                       const Tensor& hidden)
    : m_config(config),
      m_precision(precision),
      m_scales(std::move(scales)),
      m_control(Tensor::empty(hidden.shape())) {
    const Execution& execution = device.execution();
    const RowParallelLinear projection(embeddings, "vace_blocks.0.proj_in", precision.linears(), device);
    projection.part().apply(execution, ownFeatures(device, config, control), MatrixSpan(m_control));
    device.along(MeshAxis::Tensor).allReduceSum(m_control.data<float>());
    addInPlace(execution, m_control.data<float>(), hidden.data<float>());
}

std::string VaceStream::blockName(std::int64_t index) {
    return fmt::format("vace_block{}", index);
}

void VaceStream::restore(const Tensor& saved) {
    std::ranges::copy(saved.data<float>(), m_control.data<float>().begin());
}

void VaceStream::run(Device& device, const LayerTensors& tensors, std::int64_t index,
                     const WanBlockInputs& inputs, WanWorkspace& work) {
    const auto span = traceSpan(device.execution().trace, fmt::format("vace_block {}", index));
    const WanBlock block(m_config, m_precision, tensors, blockName(index), device);
    std::swap(work.hidden, m_control);
    block.selfAttention(device, inputs, work);
    block.finish(device, inputs, work);
    std::swap(work.hidden, m_control);
    requireFinite(device.execution(), m_control.data<float>(), fmt::format("VACE block {}", index));
    if (inputs.probe)
        inputs.probe(blockName(index) + ".control", m_control);
    addHint(device, tensors, index, inputs, work);
}

void VaceStream::addHint(Device& device, const LayerTensors& tensors, std::int64_t index,
                         const WanBlockInputs& inputs, WanWorkspace& work) const {
    const RowParallelLinear projection(tensors, "proj_out", m_precision.linears(), device);
    const std::vector<float> scale(static_cast<std::size_t>(m_config.innerDim()),
                                   m_scales[static_cast<std::size_t>(index)]);
    std::function<void(const Tensor&)> seen;
    if (inputs.probe)
        seen = [&](const Tensor& hint) { inputs.probe(blockName(index) + ".hint", hint); };
    ResidualSum sum(device, work, {.constant = scale}, std::move(seen));
    const MatrixView features = ownFeatures(device, m_config, m_control);
    for (std::int64_t video = 0; video < work.batch(); ++video)
        sum.add(projection, video, 0, features.slice(video * work.tokens(), work.tokens()));
    sum.finish();
}

}  // namespace meshreel
