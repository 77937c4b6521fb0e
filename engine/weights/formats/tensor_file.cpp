// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/base/error.h"
#include "engine/weights/formats/gguf.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/torch_file.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {

void ByteReader::fail(Sentence message) const {
    throw Error(ErrorKind::Input, std::move(message), m_where,
                sentence("The file is damaged or incomplete: download it again"));
}

void ByteReader::moveTo(std::uint64_t position) {
    if (position > m_bytes.size())
        fail(sentence("something is said to lie at byte {}, but there are only {} bytes (truncated)",
                      position, m_bytes.size()));
    m_position = position;
}

std::span<const std::byte> ByteReader::take(std::uint64_t length) {
    if (length > left())
        fail(sentence("{} bytes are wanted at byte {}, but only {} are left (truncated)", length, m_position,
                      left()));
    const auto bytes = m_bytes.subspan(m_position, length);
    m_position += length;
    return bytes;
}

namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 6> extensions = {".safetensors", ".gguf", ".pth",
                                                        ".pt",          ".bin",  ".ckpt"};

/// Refuses a file with another name, saying what it is not.
void requireSafetensorsName(const fs::path& file) {
    const std::string extension = file.extension().string();
    if (extension == ".safetensors" || !hasTensorFileName(file))
        return;
    throw Error(ErrorKind::Input,
                extension == ".gguf" ? sentence("this is not a GGUF file: it does not start with \"GGUF\"")
                                     : sentence("this is not a checkpoint that torch.save() wrote"),
                file.string(),
                sentence("It may be a Git LFS pointer or the page of an error: download the file again"));
}

TensorDirectory readSafetensorsDirectory(std::span<const std::byte> bytes, const fs::path& file) {
    requireSafetensorsName(file);
    SafetensorsHeader header = parseSafetensorsHeader(bytes, file.string());
    TensorDirectory directory{.format = "safetensors", .tensors = {}, .metadata = std::move(header.metadata)};
    for (SafetensorsEntry& entry : header.entries) {
        const StoredTypeInfo* type = findStoredType(entry.dtype);
        directory.tensors.push_back({.name = std::move(entry.name),
                                     .shape = std::move(entry.shape),
                                     .type = type == nullptr ? StoredType::Other : type->type,
                                     .typeName = std::move(entry.dtype),
                                     .begin = entry.begin,
                                     .end = entry.end});
    }
    return directory;
}

/// Copies the elements of a strided tensor into row-major order, innermost axis in a loop of its own.
void gather(const std::byte* from, std::size_t elementBytes, const Shape& shape,
            const std::vector<std::int64_t>& strides, std::byte* to) {
    const std::size_t rank = shape.rank();
    std::vector<std::int64_t> index(rank, 0);
    std::int64_t offset = 0;
    for (std::int64_t done = 0; done < shape.elements(); ++done, to += elementBytes) {
        std::memcpy(to, from + static_cast<std::size_t>(offset) * elementBytes, elementBytes);
        for (std::size_t axis = rank; axis-- > 0;) {
            offset += strides[axis];
            if (++index[axis] < shape[axis])
                break;
            offset -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
}

}  // namespace

TensorFile TensorFile::open(const fs::path& file) {
    std::shared_ptr<const MappedFile> map = MappedFile::open(file);
    TensorDirectory directory;
    if (isGguf(map->bytes()))
        directory = readGgufDirectory(map->bytes(), file.string());
    else if (isTorchFile(map->bytes()))
        directory = readTorchDirectory(map->bytes(), file.string());
    else
        directory = readSafetensorsDirectory(map->bytes(), file);
    return {std::move(map), std::move(directory)};
}

const FileTensor* TensorFile::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(
        tensors(), name, {}, [](const FileTensor& tensor) { return std::string_view(tensor.name); });
    return found == tensors().end() || found->name != name ? nullptr : &*found;
}

std::span<const std::byte> TensorFile::bytes(const FileTensor& tensor) const {
    m_map->throwIfShrunk();
    return m_map->bytes().subspan(tensor.begin, tensor.end - tensor.begin);
}

std::span<const std::byte> TensorFile::headerBytes() const {
    std::size_t begin = fileBytes();
    std::size_t end = 0;
    for (const FileTensor& tensor : tensors()) {
        begin = std::min(begin, tensor.begin);
        end = std::max(end, tensor.end);
    }
    return isTorchFile(m_map->bytes()) ? m_map->bytes().subspan(end) : m_map->bytes().first(begin);
}

Tensor TensorFile::read(const FileTensor& tensor) const {
    if (tensor.shape.rank() == 0) {
        FileTensor row = tensor;
        row.shape = Shape{1};
        row.strides.clear();
        return readRows(row, 0, 1).reshaped(Shape());
    }
    return readRows(tensor, 0, tensor.shape[0]);
}

Tensor TensorFile::readRows(const FileTensor& tensor, std::int64_t first, std::int64_t count) const {
    const std::string where = tensorPlace(path().string(), tensor.name);
    const StoredTypeInfo& info = storedTypeInfo(tensor.type);
    if (tensor.shape.rank() == 0 || first < 0 || count < 0 || first > tensor.shape[0] - count)
        throw Error(
            ErrorKind::Internal,
            fmt::format("rows {} to {} lie outside shape {}", first, first + count, tensor.shape.text()),
            where);
    if (!info.direct && info.unpack == nullptr)
        throw Error(ErrorKind::Input, sentence("its type {:.40} is not supported", tensor.typeName), where,
                    useReadableType());
    const Shape shape = tensor.shape.with(0, count);
    const std::span<const std::byte> all = bytes(tensor);
    if (!tensor.strides.empty())
        return readStrided(tensor, first, shape);
    const auto elements = static_cast<std::size_t>(shape.elements());
    const std::size_t begin =
        static_cast<std::size_t>(first) * (count == 0 ? 0 : elements / static_cast<std::size_t>(count));
    if (info.unpack != nullptr) {
        Tensor unpacked = Tensor::empty(shape);
        unpackElements(info, all, begin, unpacked.data<float>());
        return unpacked;
    }
    return mappedTensor(m_map, all.subspan(begin * info.blockBytes, elements * info.blockBytes), shape,
                        *info.direct, where);
}

Tensor TensorFile::readStrided(const FileTensor& tensor, std::int64_t first, const Shape& shape) const {
    const StoredTypeInfo& info = storedTypeInfo(tensor.type);
    Tensor gathered = Tensor::empty(shape, info.direct.value_or(DType::U8));
    const std::size_t start = static_cast<std::size_t>(first * tensor.strides[0]) * info.blockBytes;
    gather(bytes(tensor).data() + start, info.blockBytes, shape, tensor.strides, gathered.raw());
    if (info.direct)
        return gathered;
    Tensor unpacked = Tensor::empty(shape);
    info.unpack(std::as_bytes(std::as_const(gathered).data<std::uint8_t>()), unpacked.data<float>());
    return unpacked;
}

bool hasTensorFileName(const fs::path& file) {
    return std::ranges::find(extensions, file.extension().string()) != extensions.end();
}

}  // namespace meshreel
