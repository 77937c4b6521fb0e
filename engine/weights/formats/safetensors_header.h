// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// One tensor of a safetensors file, checked: begin <= end <= size of the file, and end - begin is what dtype
/// and shape need (for the dtypes whose size is known).
struct SafetensorsEntry {
    std::string name;
    std::string dtype;  ///< as the file spells it; may be one that Meshreel cannot read
    Shape shape;
    std::size_t begin = 0;  ///< bytes from the start of the file
    std::size_t end = 0;
};

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;  ///< sorted by name
    std::map<std::string, std::string> metadata;
};

/// The longest header that the reference implementation accepts.
inline constexpr std::size_t maxSafetensorsHeaderBytes = 100'000'000;

/// Bytes in front of the header: its length, little endian.
inline constexpr std::size_t safetensorsLengthBytes = 8;

/// Reads and checks the header of a whole safetensors file: 8 bytes of length, a JSON object {name: {dtype,
/// shape, data_offsets}, "__metadata__": {text: text}}, then data without holes or overlaps up to the end of
/// the file. Throws Error{Input} whose `where` starts with `file` and, where one is at fault, names the
/// tensor.
SafetensorsHeader parseSafetensorsHeader(std::span<const std::byte> bytes, const std::string& file);

/// Nothing for a dtype that Meshreel cannot compute with.
std::optional<DType> dtypeFromSafetensors(std::string_view name);

/// "FILE, tensor 'NAME'", NAME cut to a readable length: the `where` of errors about one tensor.
std::string tensorPlace(std::string_view file, std::string_view tensor);

}  // namespace meshreel
