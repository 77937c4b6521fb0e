// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_picture.h"

#include <algorithm>

#include "engine/planning/run_plan.h"
#include "engine/planning/run_work.h"
#include "engine/planning/work.h"

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
    device.rank = number / (picture.layout.devices() / picture.ranks);
    if (!picture.hosts.empty())
        device.host = hostOfRank(picture.hosts, device.rank);
    return device;
}

void placeDevices(MeshPicture& picture) {
    picture.devices.clear();
    for (int number = 0; number < picture.layout.devices(); ++number)
        picture.devices.push_back(pictured(picture, number));
}

}  // namespace

bool MeshPicture::gathers() const {
    return attention.mode->rotation == Rotation::None && split.ring > 1;
}

bool differOnlyAlong(std::initializer_list<MeshAxis> axes, const PicturedDevice& one,
                     const PicturedDevice& other) {
    return std::ranges::all_of(meshAxes, [&](MeshAxis axis) {
        return one.at.along(axis) == other.at.along(axis) || std::ranges::count(axes, axis) > 0;
    });
}

MeshPicture meshPictureOf(const RunPlan& plan, const std::vector<Host>& hosts) {
    const EffectiveAttention effective = effectiveAttention(plan);
    MeshPicture picture{.layout = plan.layout,
                        .split = effective.split,
                        .attention = effective.self,
                        .tokens = plan.tokens,
                        .heads = plan.model.transformer.heads,
                        .devices = {},
                        .ranks = plan.ranks,
                        .hosts = hosts};
    placeDevices(picture);
    const std::vector<std::int64_t> received = selfAttentionBytes(plan);
    const std::int64_t attentions = allBlocks(plan.model.transformer) * passesPerStep(plan);
    std::int64_t others = -attentions * std::ranges::max(received);
    for (const MeshTraffic& traffic : trafficPerStep(plan))
        others += traffic.bytes;
    for (PicturedDevice& device : picture.devices) {
        device.bytesReceived = received[static_cast<std::size_t>(device.at.context)];
        device.bytesPerStep = attentions * device.bytesReceived + others;
    }
    return picture;
}

MeshPicture pictureOn(const MeshPicture& picture, const MeshLayout& layout, const ContextSplit& split) {
    MeshPicture other = picture;
    other.layout = layout;
    other.split = split;
    placeDevices(other);
    return other;
}

}  // namespace meshreel
