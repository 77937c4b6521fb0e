// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layers/layer_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/function_ref.h"
#include "engine/base/number_types.h"
#include "engine/base/numbers.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {
namespace {

constexpr std::int64_t granule = 64;  // a cache line, which is what tensors are aligned to

/// What is unpacked or converted at a time: 1 MiB as f32.
constexpr std::int64_t tileElements = std::int64_t{1} << 18;

// Calls body(first, count) for tiles of rows [begin, end), always the same ones.
void forEachTile(const Execution* execution, std::int64_t begin, std::int64_t end, std::int64_t width,
                 FunctionRef<void(std::int64_t, std::int64_t)> body) {
    const std::int64_t rows = std::max<std::int64_t>(1, tileElements / std::max<std::int64_t>(width, 1));
    const std::int64_t firstTile = begin / rows;
    const std::int64_t tiles = (end + rows - 1) / rows - firstTile;
    const auto some = [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t tile = firstTile + from; tile < firstTile + to; ++tile) {
            const std::int64_t first = std::max(begin, tile * rows);
            body(first, std::min(end, (tile + 1) * rows) - first);
        }
    };
    if (execution != nullptr)
        execution->workers.parallelFor(tiles, some);
    else
        some(0, tiles);
}

/// Bytes of an element of a packed matrix.
constexpr std::size_t packedBytes(Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::F32:
            return sizeof(float);
        case Arithmetic::BF16:
            return sizeof(BFloat16);
        case Arithmetic::Int8:
            return sizeof(std::int8_t);
    }
    return 0;
}

std::int64_t widthOf(const Shape& shape) {
    return shape.rank() == 0 || shape[0] == 0 ? 1 : shape.elements() / shape[0];
}

// Without a copy in between where f32 is wanted: large ones would leave holes in the heap.
void convertInto(const Tensor& tile, Tensor held) {
    if (held.dtype() == DType::F32) {
        copyAsF32(tile, held.data<float>());
        return;
    }
    const Tensor converted = tile.to(held.dtype());
    std::memcpy(held.raw(), converted.raw(), converted.bytes());
}

// What two ranges of bytes have in common, as offsets into both.
struct Overlap {
    std::int64_t inFirst = 0;
    std::int64_t inSecond = 0;
    std::int64_t bytes = 0;

    Overlap(std::int64_t first, std::int64_t firstBytes, std::int64_t second, std::int64_t secondBytes) {
        const std::int64_t begin = std::max(first, second);
        bytes = std::max<std::int64_t>(0, std::min(first + firstBytes, second + secondBytes) - begin);
        inFirst = begin - first;
        inSecond = begin - second;
    }
};

}  // namespace

void FlatLayout::add(std::string name, Shape shape, DType type) {
    m_entries.push_back({std::move(name), std::move(shape), type, m_end});
    m_tensorBytes += m_entries.back().bytes();
    m_end = roundUp(m_end + m_entries.back().bytes(), granule);
}

std::int64_t FlatLayout::shardBytes(int parts) const {
    return roundUp(ceilDivide(m_end, parts), granule);
}

LayerSource::LayerSource(WanLayer layer, std::shared_ptr<const Checkpoint> checkpoint,
                         const WeightShard& shard, const WanPrecision& precision)
    : m_layer(std::move(layer)), m_checkpoint(std::move(checkpoint)), m_shard(shard), m_precision(precision) {
    std::erase_if(m_layer.parameters, [&](const WanParameter& parameter) {
        return parameter.optional && !m_checkpoint->has(nameOf(parameter));
    });
    for (const WanParameter& parameter : m_layer.parameters)
        m_checkpoint->require(nameOf(parameter), parameter.shape);
}

bool LayerSource::staysQuantised(const WanParameter& parameter) const {
    return keptQuantised(parameter, m_precision, m_shard.fsdpDevices) &&
           m_checkpoint->hasStoredParts(nameOf(parameter));
}

// The columns of tensors of other ranks than two are what lies behind the outermost axis.
MatrixPart LayerSource::partOf(const WanParameter& parameter) const {
    const std::int64_t rows = parameter.shape.rank() == 0 ? 1 : parameter.shape[0];
    MatrixPart part{.rows = rows, .columns = widthOf(parameter.shape)};
    if (parameter.split == TensorSplit::Rows) {
        part.rows /= m_shard.tensorDevices;
        part.firstRow = part.rows * m_shard.tensorIndex;
    } else if (parameter.split == TensorSplit::Columns) {
        part.columns /= m_shard.tensorDevices;
        part.firstColumn = part.columns * m_shard.tensorIndex;
    }
    return part;
}

// Reads them as the checkpoint gives them.
Tensor LayerSource::readRows(const WanParameter& parameter, std::int64_t first, std::int64_t count) const {
    const MatrixPart rows = partOf(parameter).slice(first, count);
    return parameter.split == TensorSplit::Columns
               ? m_checkpoint->getPart(nameOf(parameter), rows)
               : m_checkpoint->getRows(nameOf(parameter), rows.firstRow, rows.rows);
}

bool LayerSource::isInPlace(const WanParameter& parameter) const {
    const std::string name = nameOf(parameter);
    const bool cut = parameter.split == TensorSplit::Columns && m_shard.tensorDevices > 1;
    return !cut && m_checkpoint->isInPlace(name) &&
           storedTypeInfo(m_checkpoint->storedType(name)).direct == heldType(parameter, m_precision);
}

Tensor LayerSource::read(const WanParameter& parameter, const Execution* execution) const {
    const DType type = heldType(parameter, m_precision);
    const MatrixPart part = partOf(parameter);
    if (isInPlace(parameter))
        return readRows(parameter, 0, part.rows);
    Tensor held = Tensor::empty(shapeOfPart(parameter, m_shard.tensorDevices), type);
    forEachTile(execution, 0, part.rows, part.columns, [&](std::int64_t first, std::int64_t count) {
        convertInto(readRows(parameter, first, count), held.slice(first, first + count));
    });
    return held;
}

Tensor LayerSource::unpack(const WanParameter& parameter, std::span<const std::byte> packed,
                           const Execution* execution) const {
    const MatrixPart part = partOf(parameter);
    const std::size_t rowBytes = packed.size() / static_cast<std::size_t>(part.rows);
    Tensor held = Tensor::empty({part.rows, part.columns}, heldType(parameter, m_precision));
    forEachTile(execution, 0, part.rows, part.columns, [&](std::int64_t first, std::int64_t count) {
        const auto rows = packed.subspan(static_cast<std::size_t>(first) * rowBytes,
                                         static_cast<std::size_t>(count) * rowBytes);
        convertInto(m_checkpoint->unpack(nameOf(parameter), part.slice(first, count), rows),
                    held.slice(first, first + count));
    });
    return held;
}

FlatLayout LayerSource::flatLayout() const {
    FlatLayout layout;
    for (const WanParameter& parameter : m_layer.parameters) {
        if (staysQuantised(parameter))
            layout.add(
                parameter.name,
                {static_cast<std::int64_t>(m_checkpoint->partBytes(nameOf(parameter), partOf(parameter)))},
                DType::U8);
        else
            layout.add(parameter.name, shapeOfPart(parameter, m_shard.tensorDevices),
                       heldType(parameter, m_precision));
    }
    return layout;
}

// Bytes of a part that is held as numbers: only the rows that hold them are read.
void LayerSource::copyElements(const WanParameter& parameter, std::int64_t firstByte,
                               std::span<std::byte> out, const Execution* execution) const {
    const std::int64_t width = partOf(parameter).columns;
    const DType type = heldType(parameter, m_precision);
    const auto rowBytes = width * static_cast<std::int64_t>(byteSize(type));
    const std::int64_t endByte = firstByte + std::ssize(out);
    forEachTile(execution, firstByte / rowBytes, (endByte + rowBytes - 1) / rowBytes, width,
                [&](std::int64_t first, std::int64_t count) {
                    const Tensor tile = readRows(parameter, first, count).to(type);
                    const Overlap common(first * rowBytes, count * rowBytes, firstByte, std::ssize(out));
                    std::memcpy(out.data() + common.inSecond, tile.raw() + common.inFirst,
                                static_cast<std::size_t>(common.bytes));
                });
}

void LayerSource::copyFlat(const FlatLayout& layout, std::int64_t first, std::span<std::byte> out,
                           const Execution* execution) const {
    std::ranges::fill(out, std::byte{});
    for (std::size_t index = 0; index < m_layer.parameters.size(); ++index) {
        const WanParameter& parameter = m_layer.parameters[index];
        const FlatLayout::Entry& entry = layout.entries()[index];
        const Overlap common(entry.offset, entry.bytes(), first, std::ssize(out));
        if (common.bytes == 0)
            continue;
        const auto part =
            out.subspan(static_cast<std::size_t>(common.inSecond), static_cast<std::size_t>(common.bytes));
        if (staysQuantised(parameter))
            m_checkpoint->copyStored(nameOf(parameter), partOf(parameter),
                                     static_cast<std::size_t>(common.inFirst), part);
        else
            copyElements(parameter, common.inFirst, part, execution);
    }
}

bool LayerSource::packsWithoutGrowing(const WanParameter& parameter) const {
    const std::string name = nameOf(parameter);
    const auto elements = static_cast<std::size_t>(m_checkpoint->shape(name).elements());
    return elements * packedBytes(m_precision.linears()) <= m_checkpoint->storedBytes(name).size();
}

}  // namespace meshreel
