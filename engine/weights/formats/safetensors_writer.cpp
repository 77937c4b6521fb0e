// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/atomic_file.h"
#include "engine/weights/formats/safetensors.h"
#include "engine/weights/formats/safetensors_layout.h"

namespace meshreel {

void writeSafetensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors,
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
