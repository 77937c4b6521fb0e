// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/safetensors_layout.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string_view>

#include "engine/base/error.h"

namespace meshreel {
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
        const std::size_t sizeA = infoOf(tensors[a].type).blockBytes;
        const std::size_t sizeB = infoOf(tensors[b].type).blockBytes;
        return sizeA != sizeB ? sizeA > sizeB : tensors[a].name < tensors[b].name;
    });
    return order;
}

}  // namespace

SafetensorsLayout layoutSafetensors(std::span<const TensorSpec> tensors,
                                    const SafetensorsMetadata& metadata) {
    std::vector<StoredSpec> stored;
    for (const TensorSpec& tensor : tensors)
        stored.push_back({tensor.name, storedTypeOf(tensor.dtype), tensor.shape});
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
        if (infoOf(tensor.type).blockElements != 1)
            throw Error(ErrorKind::Project, sentence("safetensors has no type {}", infoOf(tensor.type).name),
                        tensor.name, sentence("Write a file whose name ends in .gguf"));
        if (!names.insert(tensor.name).second || tensor.name == "__metadata__")
            throw Error(ErrorKind::Internal,
                        "the tensor name '" + tensor.name + "' cannot be written (twice, or reserved)");
        const std::size_t end = layout.dataBytes + tensor.bytes();
        header.push_back({tensor.name,
                          {{"dtype", infoOf(tensor.type).name},
                           {"shape", tensor.shape.extents()},
                           {"data_offsets", {layout.dataBytes, end}}}});
        layout.dataBytes = end;
    }
    std::string text = header.dump();
    text.append((headerAlignment - text.size() % headerAlignment) % headerAlignment, ' ');
    layout.head = littleEndian(text.size()) + text;
    return layout;
}

}  // namespace meshreel
