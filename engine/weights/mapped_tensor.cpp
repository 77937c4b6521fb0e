// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/mapped_tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engine/base/error.h"

namespace meshreel {
namespace {

void checkBooleans(std::span<const std::byte> bytes, const std::string& where) {
    const auto wrong = std::ranges::find_if(bytes, [](std::byte value) { return value > std::byte{1}; });
    if (wrong != bytes.end())
        throw Error(ErrorKind::Input,
                    sentence("a BOOL is neither 0 nor 1 but {}", std::to_integer<int>(*wrong)), where,
                    sentence("The file is damaged: download it again"));
}

}  // namespace

Tensor mappedTensor(const std::shared_ptr<const MappedFile>& map, std::span<const std::byte> data,
                    const Shape& shape, DType type, const std::string& where) {
    if (type == DType::Bool)
        checkBooleans(data, where);
    if (reinterpret_cast<std::uintptr_t>(data.data()) % sizeOf(type) == 0)
        return Tensor::view(data.data(), shape, type, map);
    Tensor aligned = Tensor::empty(shape, type);
    std::memcpy(aligned.raw(), data.data(), data.size());
    return aligned;
}

}  // namespace meshreel
