// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a checkpoint's matrices, as devices of a mesh want them.
#include <algorithm>
#include <cstring>

#include "engine/base/error.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors_header.h"

namespace meshreel {
namespace {

/// Of each row of a matrix the blocks that cover some of its columns.
struct CoveringBlocks {
    std::size_t rowBytes = 0;   ///< of a whole row in the file
    std::size_t firstByte = 0;  ///< in a row
    std::size_t bytes = 0;      ///< of each row
    std::size_t skipped = 0;    ///< elements of the first block in front of the columns

    CoveringBlocks(const StoredTypeInfo& info, std::int64_t width, const MatrixPart& part) {
        const auto firstColumn = static_cast<std::size_t>(part.firstColumn);
        const std::size_t firstBlock = firstColumn / info.blockElements;
        const std::size_t endBlock =
            (firstColumn + static_cast<std::size_t>(part.columns) + info.blockElements - 1) /
            info.blockElements;
        rowBytes = static_cast<std::size_t>(width) / info.blockElements * info.blockBytes;
        firstByte = firstBlock * info.blockBytes;
        bytes = (endBlock - firstBlock) * info.blockBytes;
        skipped = firstColumn - firstBlock * info.blockElements;
    }
};

Tensor cutColumns(const Tensor& rows, const MatrixPart& part) {
    if (part.columns == rows.extent(1))
        return rows;
    Tensor cut = Tensor::empty({part.rows, part.columns}, rows.dtype());
    const std::size_t element = sizeOf(rows.dtype());
    const std::size_t rowBytes = static_cast<std::size_t>(rows.extent(1)) * element;
    const std::size_t cutBytes = static_cast<std::size_t>(part.columns) * element;
    const std::byte* from = rows.raw() + static_cast<std::size_t>(part.firstColumn) * element;
    std::byte* to = cut.raw();
    for (std::int64_t row = 0; row < part.rows; ++row, from += rowBytes, to += cutBytes)
        std::memcpy(to, from, cutBytes);
    return cut;
}

}  // namespace

bool Checkpoint::hasStoredParts(std::string_view name) const {
    const Entry& found = entry(name);
    const FileTensor& tensor = stored(found.place);
    const auto block = static_cast<std::int64_t>(infoOf(tensor.type).blockElements);
    const bool rowsAsStored =
        found.how.reshaping == Reshaping::None || found.how.reshaping == Reshaping::Rows;
    return isQuantised(tensor.type) && rowsAsStored && found.shape.rank() == 2 && tensor.strides.empty() &&
           found.shape[1] % block == 0;
}

std::span<const std::byte> Checkpoint::storedRowsOf(const Entry& found, const MatrixPart& part) const {
    const Shape& shape = found.shape;
    if (part.firstRow < 0 || part.rows < 0 || part.firstRow > shape[0] - part.rows || part.firstColumn < 0 ||
        part.columns < 0 || part.firstColumn > shape[1] - part.columns)
        throw Error(ErrorKind::Internal, "a part lies outside a matrix of shape " + shape.text(),
                    tensorPlace(m_path.string(), stored(found.place).name));
    const CoveringBlocks blocks(infoOf(stored(found.place).type), shape[1], part);
    const std::int64_t inFile = found.how.reshaping == Reshaping::Rows ? found.how.part * shape[0] : 0;
    return m_files[found.place.file]
        .bytes(stored(found.place))
        .subspan(static_cast<std::size_t>(inFile + part.firstRow) * blocks.rowBytes,
                 static_cast<std::size_t>(part.rows) * blocks.rowBytes);
}

std::size_t Checkpoint::partBytes(std::string_view name, const MatrixPart& part) const {
    const Entry& found = entry(name);
    const CoveringBlocks blocks(infoOf(stored(found.place).type), found.shape[1], part);
    return static_cast<std::size_t>(part.rows) * blocks.bytes;
}

void Checkpoint::copyStored(std::string_view name, const MatrixPart& part, std::size_t first,
                            std::span<std::byte> out) const {
    const Entry& found = entry(name);
    const CoveringBlocks blocks(infoOf(stored(found.place).type), found.shape[1], part);
    const std::span<const std::byte> rows = storedRowsOf(found, part);
    for (std::size_t done = 0; done < out.size();) {
        const std::size_t row = (first + done) / blocks.bytes;
        const std::size_t inRow = (first + done) % blocks.bytes;
        const std::size_t count = std::min(blocks.bytes - inRow, out.size() - done);
        const auto from = rows.subspan(row * blocks.rowBytes + blocks.firstByte + inRow, count);
        std::ranges::copy(from, out.begin() + static_cast<std::ptrdiff_t>(done));
        done += count;
    }
}

Tensor Checkpoint::unpack(std::string_view name, const MatrixPart& part,
                          std::span<const std::byte> packed) const {
    const Entry& found = entry(name);
    const StoredTypeInfo& info = infoOf(stored(found.place).type);
    const CoveringBlocks blocks(info, found.shape[1], part);
    Tensor rows = Tensor::empty({part.rows, part.columns});
    const auto columns = static_cast<std::size_t>(part.columns);
    for (std::size_t row = 0; row < static_cast<std::size_t>(part.rows); ++row)
        unpackElements(info, packed.subspan(row * blocks.bytes, blocks.bytes), blocks.skipped,
                       rows.data<float>().subspan(row * columns, columns));
    return withAdditions(
        found, name, {.firstRow = part.firstRow, .firstColumn = part.firstColumn, .width = found.shape[1]},
        std::move(rows));
}

Tensor Checkpoint::getPart(std::string_view name, const MatrixPart& part) const {
    const Entry& found = entry(name);
    if (part.columns == found.shape[1])
        return getRows(name, part.firstRow, part.rows);
    if (hasStoredParts(name)) {
        std::vector<std::byte> packed(partBytes(name, part));
        copyStored(name, part, 0, packed);
        return unpack(name, part, packed);
    }
    return withAdditions(
        found, name, {.firstRow = part.firstRow, .firstColumn = part.firstColumn, .width = found.shape[1]},
        cutColumns(storedRows(found, part.firstRow, part.rows), part));
}

bool Checkpoint::isInPlace(std::string_view name) const {
    return !entry(name).scale && !isPatched(name) && infoOf(storedType(name)).direct &&
           stored(entry(name).place).strides.empty() && entry(name).how.reshaping != Reshaping::Transpose;
}

}  // namespace meshreel
