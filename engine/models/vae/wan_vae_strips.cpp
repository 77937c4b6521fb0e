// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_strips.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/base/error.h"
#include "engine/mesh/memory_block.h"

namespace meshreel {
namespace {

int countStrips(int devices, int vaeSpatial) {
    const int strips = vaeSpatial == -1 ? devices : vaeSpatial;
    if (strips < 1 || devices % strips != 0)
        throw Error(ErrorKind::Project,
                    sentence("{} devices cannot be shared out to {} strips of the VAE: the total number of "
                             "devices must be a multiple of vae_spatial",
                             devices, vaeSpatial),
                    "vae_spatial", sentence("Use -1 for all devices, or a divisor of {}", devices));
    return strips;
}

Communicator& chooseMembers(const VaeMesh& mesh, Communicator& everyone, std::int64_t latentColumns) {
    std::vector<int> positions(static_cast<std::size_t>(mesh.workingStrips(latentColumns)));
    std::iota(positions.begin(), positions.end(), everyone.position() / mesh.strips() * mesh.strips());
    return everyone.subgroup(positions);
}

std::int64_t bytesPerPixel(const Tensor& features) {
    return features.extent(3) * static_cast<std::int64_t>(byteSize(features.dtype()));
}

Block wholeBlock(Tensor& tensor) {
    return {.data = tensor.raw(), .rowBytes = static_cast<std::int64_t>(tensor.bytes())};
}

/// One column of all rows of all frames of [T, H, W, C].
ConstBlock findColumn(const Tensor& features, std::int64_t column) {
    const std::int64_t pixelBytes = bytesPerPixel(features);
    return {.data = features.raw() + column * pixelBytes,
            .rowBytes = pixelBytes,
            .rows = features.extent(0) * features.extent(1),
            .rowStride = features.extent(2) * pixelBytes};
}

}  // namespace

VaeMesh::VaeMesh(int devices, int vaeSpatial)
    : m_groups(devices / countStrips(devices, vaeSpatial)), m_strips(countStrips(devices, vaeSpatial)) {}

int VaeMesh::workingStrips(std::int64_t latentColumns) const {
    return static_cast<int>(std::min<std::int64_t>(m_strips, latentColumns));
}

ShardRange VaeMesh::columns(int device, std::int64_t latentColumns) const {
    const int working = workingStrips(latentColumns);
    const int strip = device % m_strips;
    return strip < working ? balancedShard(latentColumns, working, strip)
                           : ShardRange{latentColumns, latentColumns};
}

std::int64_t VaeMesh::rounds(std::int64_t batch) const {
    return shardRange(batch, m_groups, 0).size();
}

std::optional<std::int64_t> VaeMesh::sample(int device, std::int64_t batch, std::int64_t round) const {
    const ShardRange samples = shardRange(batch, m_groups, device / m_strips);
    return round < samples.size() ? std::optional(samples.begin + round) : std::nullopt;
}

StripInTurn stripInTurn(std::int64_t latentColumns, int strips, int index, std::int64_t reach) {
    const ShardRange own = balancedShard(latentColumns, strips, index);
    return {.own = own,
            .seen = {std::max<std::int64_t>(0, own.begin - reach), std::min(latentColumns, own.end + reach)}};
}

std::int64_t widestStripInTurn(std::int64_t latentColumns, int strips, std::int64_t reach) {
    std::int64_t widest = 0;
    for (int index = 0; index < strips; ++index)
        widest = std::max(widest, stripInTurn(latentColumns, strips, index, reach).seen.size());
    return widest;
}

WidthStrips::WidthStrips(const VaeMesh& mesh, Communicator& everyone, std::int64_t latentColumns)
    : m_members(chooseMembers(mesh, everyone, latentColumns)), m_latentColumns(latentColumns) {}

StripFeatures WidthStrips::withNeighbours(const Tensor& features, bool left, bool right) {
    StripFeatures strip{features};
    const Shape columnShape{features.extent(0), features.extent(1), features.extent(3)};
    Pending fromLeft;
    Pending fromRight;
    if (left) {
        if (m_members.position() > 0)
            strip.left = Tensor::empty(columnShape, features.dtype());
        fromLeft = m_members.startShift(1, Communicator::Shape::Line,
                                        findColumn(features, features.extent(2) - 1), wholeBlock(strip.left));
    }
    if (right) {
        if (!isLast())
            strip.right = Tensor::empty(columnShape, features.dtype());
        fromRight = m_members.startShift(-1, Communicator::Shape::Line, findColumn(features, 0),
                                         wholeBlock(strip.right));
    }
    fromLeft.wait();
    fromRight.wait();
    return strip;
}

Tensor WidthStrips::wholeFrames(const Tensor& features, std::int64_t firstChannel) {
    const std::int64_t frames = features.extent(0);
    const std::int64_t height = features.extent(1);
    const std::int64_t channels = features.extent(3) - firstChannel;
    const auto typeBytes = static_cast<std::int64_t>(byteSize(features.dtype()));
    Tensor whole = Tensor::empty({frames, height, m_latentColumns, channels}, features.dtype());
    const std::int64_t pixelBytes = channels * typeBytes;
    std::vector<Block> parts;
    for (int position = 0; position < m_members.size(); ++position) {
        const ShardRange columns = columnsAt(position);
        parts.push_back({.data = whole.raw() + columns.begin * pixelBytes,
                         .rowBytes = columns.size() * pixelBytes,
                         .rows = frames * height,
                         .rowStride = m_latentColumns * pixelBytes});
    }
    m_members.allGather({.data = features.raw() + firstChannel * typeBytes,
                         .rowBytes = pixelBytes,
                         .rows = frames * height * features.extent(2),
                         .rowStride = bytesPerPixel(features)},
                        parts);
    return whole;
}

}  // namespace meshreel
