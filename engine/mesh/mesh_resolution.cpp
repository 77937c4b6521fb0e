// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace meshreel {
namespace {

constexpr int automatic = -1;

struct OpenAxis {
    MeshLevel level;
    MeshAxis axis;
};

std::optional<MeshFault> secondAutomaticAxis(MeshLevel level, const MeshShape& shape) {
    bool first = true;
    for (const MeshAxis axis : meshAxes) {
        if (shape.extent(axis) != automatic)
            continue;
        if (!first)
            return MeshFault{
                .key = axisKey(level, axis),
                .message = sentence("{} is a second axis of -1", axisKey(level, axis)),
                .hint = sentence("Only one axis can take the devices that are left; write 1 here")};
        first = false;
    }
    return std::nullopt;
}

/// The axis that takes what is left; a -1 of dcn only when ici has none.
std::optional<OpenAxis> openAxis(const MeshRequest& request) {
    for (const MeshLevel level : {MeshLevel::Ici, MeshLevel::Dcn})
        for (const MeshAxis axis : meshAxes)
            if ((level == MeshLevel::Ici ? request.ici : request.dcn).extent(axis) == automatic)
                return OpenAxis{level, axis};
    return std::nullopt;
}

/// Product of all extents but those of -1, not above maxMeshDevices + 1.
int givenProduct(const MeshRequest& request) {
    std::int64_t product = 1;
    for (const MeshShape& shape : {request.ici, request.dcn})
        for (const MeshAxis axis : meshAxes)
            product = std::min<std::int64_t>(product * std::max(1, shape.extent(axis)), maxMeshDevices + 1);
    return static_cast<int>(product);
}

MeshFault tooManyDevices() {
    return {.key = "devices",
            .message = sentence("The axes of the mesh ask for more than {} devices", maxMeshDevices),
            .hint = sentence("Make an axis smaller")};
}

MeshFault notDividing(int devices, int product) {
    const int below = devices / product * product;
    Sentence cure = below > 0 ? sentence("The nearest multiples are {} and {}", below, below + product)
                              : sentence("The nearest multiple is {}", product);
    return {.key = "devices",
            .message = sentence("devices is {}, which is not a multiple of the {} that the axes ask for",
                                devices, product),
            .hint = std::move(cure)};
}

MeshFault otherProduct(int devices, int product) {
    return {.key = "devices",
            .message = sentence("devices is {}, and the axes of the mesh multiply to {}", devices, product),
            .hint = sentence("Write {}, or -1 on the axis that shall take what is left", product)};
}

/// Divisors of `devices` next to `ranks`, which is none of them.
MeshFault unevenRanks(int ranks, int devices) {
    int below = std::min(ranks, devices);
    while (devices % below != 0)
        --below;
    int above = ranks;
    while (above <= devices && devices % above != 0)
        ++above;
    const int multiple = (devices + ranks - 1) / ranks * ranks;
    return {.key = "devices",
            .message = sentence("{} processes cannot share {} devices evenly", ranks, devices),
            .hint = above <= devices
                        ? sentence("Start {} or {}, or ask for {} devices", below, above, multiple)
                        : sentence("Start {}, or ask for {} devices", below, multiple)};
}

/// What the open axis gets when nobody said how many devices there are: one device a rank where the other
/// axes allow it, nothing where they already give every rank its share.
int extentFromRanks(int ranks, int product) {
    return ranks % product == 0 ? ranks / product : 1;
}

MeshShape withExtent(MeshShape shape, MeshAxis axis, int extent) {
    switch (axis) {
        case MeshAxis::Data:
            shape.data = extent;
            break;
        case MeshAxis::Fsdp:
            shape.fsdp = extent;
            break;
        case MeshAxis::Context:
            shape.context = extent;
            break;
        case MeshAxis::Tensor:
            shape.tensor = extent;
            break;
    }
    return shape;
}

/// Every extent left at -1 becomes 1.
MeshShape closed(MeshShape shape) {
    for (const MeshAxis axis : meshAxes)
        if (shape.extent(axis) == automatic)
            shape = withExtent(shape, axis, 1);
    return shape;
}

}  // namespace

std::string axisKey(MeshLevel level, MeshAxis axis) {
    return fmt::format("{}_{}_parallelism", level == MeshLevel::Ici ? "ici" : "dcn", nameOf(axis));
}

bool dependsOnRanks(const MeshRequest& request) {
    return request.devices == 0 && openAxis(request).has_value();
}

std::variant<MeshLayout, MeshFault> resolveMesh(const MeshRequest& request) {
    if (auto fault = secondAutomaticAxis(MeshLevel::Ici, request.ici))
        return *std::move(fault);
    if (auto fault = secondAutomaticAxis(MeshLevel::Dcn, request.dcn))
        return *std::move(fault);
    const int product = givenProduct(request);
    if (product > maxMeshDevices)
        return tooManyDevices();
    const std::optional<OpenAxis> open = openAxis(request);
    MeshShape ici = request.ici;
    MeshShape dcn = request.dcn;
    if (open) {
        if (request.devices > 0 && request.devices % product != 0)
            return notDividing(request.devices, product);
        const int extent =
            request.devices > 0 ? request.devices / product : extentFromRanks(request.ranks, product);
        MeshShape& shape = open->level == MeshLevel::Ici ? ici : dcn;
        shape = withExtent(shape, open->axis, extent);
    } else if (request.devices > 0 && request.devices != product) {
        return otherProduct(request.devices, product);
    }
    const MeshLayout layout(closed(ici), closed(dcn));
    if (layout.devices() % request.ranks != 0)
        return unevenRanks(request.ranks, layout.devices());
    return layout;
}

}  // namespace meshreel
