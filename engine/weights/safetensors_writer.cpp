// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/weights/safetensors.h"

namespace meshreel {
namespace {

constexpr std::size_t headerAlignment = 8;

std::vector<const NamedTensor*> inFileOrder(std::span<const NamedTensor> tensors) {
    std::vector<const NamedTensor*> order;
    for (const NamedTensor& tensor : tensors)
        order.push_back(&tensor);
    std::sort(order.begin(), order.end(), [](const NamedTensor* a, const NamedTensor* b) {
        const std::size_t sizeA = sizeOf(a->second.dtype());
        const std::size_t sizeB = sizeOf(b->second.dtype());
        return sizeA != sizeB ? sizeA > sizeB : a->first < b->first;
    });
    return order;
}

std::string headerText(const std::vector<const NamedTensor*>& order, const SafetensorsMetadata& metadata) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty())
        header["__metadata__"] = metadata;
    std::set<std::string_view> names;
    std::size_t offset = 0;
    for (const NamedTensor* entry : order) {
        const auto& [name, tensor] = *entry;
        if (!names.insert(name).second || name == "__metadata__")
            throw Error(ErrorKind::Internal,
                        "the tensor name '" + name + "' cannot be written (twice, or reserved)");
        header[name] = {{"dtype", nameOf(tensor.dtype())},
                        {"shape", tensor.shape().extents()},
                        {"data_offsets", {offset, offset + tensor.bytes()}}};
        offset += tensor.bytes();
    }
    std::string text = header.dump();
    text.append((headerAlignment - text.size() % headerAlignment) % headerAlignment, ' ');
    return text;
}

std::string littleEndian(std::uint64_t value) {
    std::string bytes;
    for (std::size_t i = 0; i < safetensorsLengthBytes; ++i, value >>= 8)
        bytes += static_cast<char>(value & 0xFF);
    return bytes;
}

}  // namespace

void writeSafetensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors,
                      const SafetensorsMetadata& metadata) {
    const std::vector<const NamedTensor*> order = inFileOrder(tensors);
    std::string bytes = headerText(order, metadata);
    bytes.insert(0, littleEndian(bytes.size()));
    for (const NamedTensor* entry : order)
        bytes.append(reinterpret_cast<const char*>(entry->second.raw()), entry->second.bytes());
    writeFileAtomically(file, bytes);
}

}  // namespace meshreel
