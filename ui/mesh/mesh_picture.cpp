// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_picture.h"

#include "engine/planning/cost/mesh_traffic.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

namespace {

/// Devices of the same context axis whose ring index, or whose ulysses index, is that of `device`.
template <typename IsMember>
std::vector<int> contextGroup(const MeshLayout& layout, const PicturedDevice& device,
                              const IsMember& isMember) {
    std::vector<int> group;
    DeviceCoordinates at = device.at;
    for (at.context = 0; at.context < layout.shape().context; ++at.context)
        if (isMember(at.context))
            group.push_back(layout.deviceAt(at));
    return group;
}

PicturedDevice pictured(const MeshPicture& picture, int number) {
    const MeshShape shape = picture.layout.shape();
    const ContextSplit& split = picture.split;
    PicturedDevice device{.number = number, .at = picture.layout.coordinates(number)};
    device.ring = device.at.context / split.ulysses;
    device.ulysses = device.at.context % split.ulysses;
    device.tokens = shardOf(picture.tokens, shape.context, device.at.context);
    device.computeTokens = groupTokens(split, picture.tokens, device.ring);
    const std::int64_t ofTensor = picture.heads / shape.tensor;
    const std::int64_t ofUlysses = ofTensor / split.ulysses;
    const std::int64_t first = device.at.tensor * ofTensor + device.ulysses * ofUlysses;
    device.heads = {first, first + ofUlysses};
    device.ulyssesGroup = contextGroup(picture.layout, device,
                                       [&](int context) { return context / split.ulysses == device.ring; });
    device.ringGroup = contextGroup(picture.layout, device,
                                    [&](int context) { return context % split.ulysses == device.ulysses; });
    return device;
}

}  // namespace

bool MeshPicture::gathers() const {
    return attention.mode->rotation == Rotation::None && split.ring > 1;
}

MeshPicture meshPictureOf(const RunPlan& plan) {
    const EffectiveAttention effective = effectiveAttention(plan);
    MeshPicture picture{.layout = plan.layout,
                        .split = effective.split,
                        .attention = effective.self,
                        .tokens = plan.tokens,
                        .heads = plan.model.transformer.heads,
                        .attentionsPerStep = plan.model.transformer.layers * passesPerStep(plan),
                        .devices = {}};
    const std::vector<std::int64_t> received = selfAttentionBytes(plan);
    for (int number = 0; number < plan.layout.devices(); ++number) {
        picture.devices.push_back(pictured(picture, number));
        PicturedDevice& device = picture.devices.back();
        device.bytesReceived = received[static_cast<std::size_t>(device.at.context)];
    }
    return picture;
}

}  // namespace meshreel
