// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/safetensors_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/number_types.h"
#include "engine/base/write_failure.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/stored_type.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t headerAlignment = 8;

std::string littleEndian(std::uint64_t value) {
    std::string bytes;
    for (std::size_t i = 0; i < safetensorsLengthBytes; ++i, value >>= 8)
        bytes += static_cast<char>(value & 0xFF);
    return bytes;
}

std::vector<std::size_t> fileOrder(std::span<const StoredSpec> tensors) {
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        const std::size_t sizeA = storedTypeInfo(tensors[a].type).blockBytes;
        const std::size_t sizeB = storedTypeInfo(tensors[b].type).blockBytes;
        return sizeA != sizeB ? sizeA > sizeB : tensors[a].name < tensors[b].name;
    });
    return order;
}

constexpr std::int64_t pieceElements = std::int64_t{1} << 22;

[[noreturn]] void throwNotWritten(const fs::path& file, int code) {
    throw writeFailure(sentence("the weights could not be written ({})", std::strerror(code)), file.string(),
                       code);
}

/// A file that grows by what is appended.
class Appender {
  public:
    explicit Appender(const fs::path& file) : m_file(file), m_out(file, std::ios::binary) { check(); }

    void append(const char* bytes, std::size_t count) {
        m_out.write(bytes, static_cast<std::streamsize>(count));
        check();
    }

    void append(std::span<const float> values, DType dtype) {
        if (dtype == DType::F32)
            append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
        else if (dtype == DType::BF16)
            appendConverted(values, m_brains, toBFloat16);
        else if (dtype == DType::F16)
            appendConverted(values, m_halves, toHalf);
        else
            throw Error(ErrorKind::Internal,
                        "weights of dtype " + std::string(nameOf(dtype)) + " cannot be streamed");
    }

    void close() {
        m_out.close();
        check();
    }

  private:
    template <typename Number>
    void appendConverted(std::span<const float> values, std::vector<Number>& converted,
                         Number (*convertOne)(float)) {
        converted.resize(values.size());
        std::ranges::transform(values, converted.begin(), convertOne);
        append(reinterpret_cast<const char*>(converted.data()), converted.size() * sizeof(Number));
    }

    void check() {
        if (!m_out)
            throwNotWritten(m_file, errno);
    }

    fs::path m_file;
    std::ofstream m_out;
    std::vector<BFloat16> m_brains;
    std::vector<Half> m_halves;
};

void appendTensor(Appender& out, const TensorSpec& tensor, std::size_t index, const TensorFiller& fill,
                  std::vector<float>& piece) {
    const std::int64_t elements = tensor.shape.elements();
    for (std::int64_t first = 0; first < elements; first += pieceElements) {
        piece.resize(static_cast<std::size_t>(std::min(pieceElements, elements - first)));
        fill(index, first, piece);
        out.append(piece, tensor.dtype);
    }
}

}  // namespace

SafetensorsLayout layoutSafetensors(std::span<const TensorSpec> tensors,
                                    const SafetensorsMetadata& metadata) {
    std::vector<StoredSpec> stored;
    for (const TensorSpec& tensor : tensors)
        stored.push_back({tensor.name, toStoredType(tensor.dtype), tensor.shape});
    return layoutSafetensors(stored, metadata);
}

SafetensorsLayout layoutSafetensors(std::span<const StoredSpec> tensors,
                                    const SafetensorsMetadata& metadata) {
    SafetensorsLayout layout{.head = {}, .order = fileOrder(tensors)};
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty())
        header["__metadata__"] = metadata;
    std::set<std::string_view> names;
    for (const std::size_t index : layout.order) {
        const StoredSpec& tensor = tensors[index];
        if (storedTypeInfo(tensor.type).blockElements != 1)
            throw Error(ErrorKind::Project,
                        sentence("safetensors has no type {}", storedTypeInfo(tensor.type).name), tensor.name,
                        sentence("Write a file whose name ends in .gguf"));
        if (!names.insert(tensor.name).second || tensor.name == "__metadata__")
            throw Error(ErrorKind::Internal,
                        "the tensor name '" + tensor.name + "' cannot be written (twice, or reserved)");
        const std::size_t end = layout.dataBytes + tensor.bytes();
        header.push_back({tensor.name,
                          {{"dtype", storedTypeInfo(tensor.type).name},
                           {"shape", tensor.shape.extents()},
                           {"data_offsets", {layout.dataBytes, end}}}});
        layout.dataBytes = end;
    }
    std::string text = header.dump();
    text.append((headerAlignment - text.size() % headerAlignment) % headerAlignment, ' ');
    layout.head = littleEndian(text.size()) + text;
    return layout;
}

void streamSafetensorsInPlace(const fs::path& file, std::span<const TensorSpec> tensors,
                              const TensorFiller& fill, const SafetensorsMetadata& metadata) {
    const SafetensorsLayout layout = layoutSafetensors(tensors, metadata);
    Appender out(file);
    out.append(layout.head.data(), layout.head.size());
    std::vector<float> piece;
    if (fill)
        for (const std::size_t index : layout.order)
            appendTensor(out, tensors[index], index, fill, piece);
    out.close();
    std::error_code failure;
    fs::resize_file(file, layout.head.size() + layout.dataBytes, failure);
    if (failure)
        throwNotWritten(file, failure.value());
}

void streamSafetensors(const fs::path& file, std::span<const TensorSpec> tensors, const TensorFiller& fill,
                       const SafetensorsMetadata& metadata) {
    writeFileAtomically(file, [&](const fs::path& temporary) {
        streamSafetensorsInPlace(temporary, tensors, fill, metadata);
    });
}

void writeSafetensors(const fs::path& file, std::span<const NamedTensor> tensors,
                      const SafetensorsMetadata& metadata) {
    std::vector<TensorSpec> specs;
    for (const auto& [name, tensor] : tensors)
        specs.push_back({.name = name, .dtype = tensor.dtype(), .shape = tensor.shape()});
    const SafetensorsLayout layout = layoutSafetensors(specs, metadata);
    std::string bytes = layout.head;
    bytes.reserve(layout.head.size() + layout.dataBytes);
    for (const std::size_t index : layout.order) {
        const Tensor& tensor = tensors[index].second;
        bytes.append(reinterpret_cast<const char*>(tensor.raw()), tensor.bytes());
    }
    writeFileAtomically(file, bytes);
}

}  // namespace meshreel
