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

std::optional<Problem> secondAutomaticAxis(MeshLevel level, const MeshShape& shape) {
    bool first = true;
    for (const MeshAxis axis : meshAxes) {
        if (shape.extent(axis) != automatic)
            continue;
        const std::string key = axisKey(level, axis);
        if (!first)
            return Problem{
                .id = "mesh-axes-both-automatic",
                .key = key,
                .message = sentence("{} is a second axis of -1", key),
                .fixes = setKey(sentence("Only one axis can take the devices that are left; write 1 here"),
                                key, {"1"})};
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

/// The largest axis as large as the others allow it to be.
std::vector<Fix> smallerAxis(const MeshRequest& request, Sentence words) {
    OpenAxis largest{MeshLevel::Ici, MeshAxis::Data};
    int most = 0;
    std::int64_t others = 1;
    for (const MeshLevel level : {MeshLevel::Ici, MeshLevel::Dcn})
        for (const MeshAxis axis : meshAxes) {
            const int extent = (level == MeshLevel::Ici ? request.ici : request.dcn).extent(axis);
            if (extent > most) {
                others = others * std::max(1, most);
                largest = {level, axis};
                most = extent;
            } else {
                others = others * std::max(1, extent);
            }
            others = std::min<std::int64_t>(others, maxMeshDevices + 1);
        }
    if (others > maxMeshDevices)
        return byHand(std::move(words));
    return setKey(std::move(words), axisKey(largest.level, largest.axis),
                  {fmt::to_string(maxMeshDevices / others)});
}

Problem tooManyDevices(const MeshRequest& request) {
    return {.id = "mesh-too-large",
            .key = "devices",
            .message = sentence("The axes of the mesh ask for more than {} devices", maxMeshDevices),
            .fixes = smallerAxis(request, sentence("Make an axis smaller"))};
}

/// The multiples of `step` on both sides of `number`, from 1 on, the nearer first.
std::vector<std::string> nearestMultiples(int number, int step) {
    const int below = number / step * step;
    const int above = below + step;
    if (below == 0)
        return {fmt::to_string(above)};
    if (number - below <= above - number)
        return {fmt::to_string(below), fmt::to_string(above)};
    return {fmt::to_string(above), fmt::to_string(below)};
}

Problem notDividing(int devices, int product) {
    const int below = devices / product * product;
    Sentence words = below > 0 ? sentence("The nearest multiples are {} and {}", below, below + product)
                               : sentence("The nearest multiple is {}", product);
    return {.id = "mesh-does-not-divide",
            .key = "devices",
            .message = sentence("devices is {}, which is not a multiple of the {} that the axes ask for",
                                devices, product),
            .fixes = setKey(std::move(words), "devices", nearestMultiples(devices, product))};
}

Problem otherProduct(int devices, int product) {
    return {.id = "mesh-product-differs",
            .key = "devices",
            .message = sentence("devices is {}, and the axes of the mesh multiply to {}", devices, product),
            .fixes = setKey(sentence("Write {}, or -1 on the axis that shall take what is left", product),
                            "devices", {fmt::to_string(product)})};
}

/// Divisors of `devices` next to `ranks`, which is none of them.
Problem unevenRanks(int ranks, int devices) {
    int below = std::min(ranks, devices);
    while (devices % below != 0)
        --below;
    int above = ranks;
    while (above <= devices && devices % above != 0)
        ++above;
    const int multiple = (devices + ranks - 1) / ranks * ranks;
    Sentence words = above <= devices
                         ? sentence("Start {} or {}, or ask for {} devices", below, above, multiple)
                         : sentence("Start {}, or ask for {} devices", below, multiple);
    return {.id = "ranks-do-not-divide",
            .key = "devices",
            .message = sentence("{} processes cannot share {} devices evenly", ranks, devices),
            .fixes = setKey(std::move(words), "devices", {fmt::to_string(multiple)})};
}

/// Returns what the open axis gets when the number of devices is not given: one device a rank if the other
/// axes allow it, nothing if they already give every rank its share.
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

std::variant<MeshLayout, Problem> resolveMesh(const MeshRequest& request) {
    if (auto problem = secondAutomaticAxis(MeshLevel::Ici, request.ici))
        return *std::move(problem);
    if (auto problem = secondAutomaticAxis(MeshLevel::Dcn, request.dcn))
        return *std::move(problem);
    const int product = givenProduct(request);
    if (product > maxMeshDevices)
        return tooManyDevices(request);
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
