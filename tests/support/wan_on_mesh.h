// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/models/batch_videos.h"
#include "engine/models/wan_transformer.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_wan.h"

namespace meshreel::testing {

/// What a transformer is called with.
struct WanCall {
    Tensor latents;
    Tensor timesteps;
    Tensor text;

    [[nodiscard]] std::int64_t videos() const { return latents.extent(0); }

    /// `size` is [videos, frames, rows, columns].
    static WanCall random(const WanTransformerConfig& config, const Shape& size, std::int64_t textTokens,
                          std::uint32_t seed) {
        WanCall call{.latents = randomTensor({size[0], config.inChannels, size[1], size[2], size[3]}, seed),
                     .timesteps = Tensor::empty({size[0]}),
                     .text = randomTensor({size[0], textTokens, config.textDim}, seed + 1)};
        for (float& timestep : call.timesteps.data<float>())
            timestep = 937.5F - 100.0F * static_cast<float>(&timestep - call.timesteps.data<float>().data());
        return call;
    }

    [[nodiscard]] WanCall slice(ShardRange range) const {
        return {latents.slice(range.begin, range.end), timesteps.slice(range.begin, range.end),
                text.slice(range.begin, range.end)};
    }
};

/// A transformer whose weights the devices of one process keep as their places in the mesh want it.
class WanOnMesh {
  public:
    WanOnMesh(const RandomWan& model, const AttentionSettings& attention, const MeshShape& shape,
              const WanPrecision& precision = {})
        : m_mesh({.layout = MeshLayout(shape), .workersPerDevice = 1}) {
        for (int fsdp = 0; fsdp < shape.fsdp; ++fsdp)
            for (int tensor = 0; tensor < shape.tensor; ++tensor)
                m_parts[{fsdp, tensor}] =
                    std::make_unique<WanTransformer>(model.config(), model.checkpoint(), attention,
                                                     WeightShard{.fsdpIndex = fsdp,
                                                                 .fsdpDevices = shape.fsdp,
                                                                 .tensorIndex = tensor,
                                                                 .tensorDevices = shape.tensor},
                                                     precision);
    }

    [[nodiscard]] DeviceMesh& mesh() { return m_mesh; }

    [[nodiscard]] const WanTransformer& of(const Device& device) const {
        return *m_parts.at({device.at().fsdp, device.at().tensor});
    }

    /// The predictions for all videos, which every device must have got to the same bits.
    Tensor predict(const WanCall& call) {
        std::vector<Tensor> found(static_cast<std::size_t>(m_mesh.localDevices()));
        m_mesh.run({}, nullptr, [&](Device& device) {
            const WanCall own = call.slice(ownVideos(device, call.videos()));
            const Tensor prediction = of(device).forward(device, own.latents, own.timesteps, own.text);
            found[static_cast<std::size_t>(device.index())] = gatherVideos(device, prediction, call.videos());
        });
        for (const Tensor& other : found)
            EXPECT_TRUE(std::ranges::equal(other.data<float>(), found.front().data<float>()))
                << "devices have different predictions";
        return found.front();
    }

  private:
    DeviceMesh m_mesh;
    std::map<std::pair<int, int>, std::unique_ptr<WanTransformer>> m_parts;
};

/// Every mesh of up to `devices` devices.
inline std::vector<MeshShape> meshesUpTo(int devices) {
    std::vector<MeshShape> shapes;
    for (int data = 1; data <= devices; ++data)
        for (int fsdp = 1; data * fsdp <= devices; ++fsdp)
            for (int context = 1; data * fsdp * context <= devices; ++context)
                for (int tensor = 1; data * fsdp * context * tensor <= devices; ++tensor)
                    shapes.push_back({.data = data, .fsdp = fsdp, .context = context, .tensor = tensor});
    return shapes;
}

/// The largest difference, as a part of the largest expected value.
inline double relativeError(const Tensor& found, const Tensor& expected) {
    EXPECT_EQ(found.shape(), expected.shape());
    double error = 0.0;
    double largest = 0.0;
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i) {
        const auto wanted = static_cast<double>(expected.data<float>()[i]);
        error = std::max(error, std::abs(static_cast<double>(found.data<float>()[i]) - wanted));
        largest = std::max(largest, std::abs(wanted));
    }
    return error / largest;
}

}  // namespace meshreel::testing
