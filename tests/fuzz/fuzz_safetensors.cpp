// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/error.h"
#include "engine/weights/formats/safetensors.h"
#include "require.h"

using namespace meshreel;

/// Whatever the bytes, a header is refused with Error{Input}, or every tensor lies inside the file with as
/// many bytes as its type and shape need, and they cover the data without overlap.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const SafetensorsHeader header = parseSafetensorsHeader(std::as_bytes(std::span(data, size)), "fuzz");
        std::size_t covered = 0;
        for (const SafetensorsEntry& entry : header.entries) {
            testing::require(entry.begin <= entry.end && entry.end <= size);
            covered += entry.end - entry.begin;
            for (const std::int64_t extent : entry.shape.extents())
                testing::require(extent >= 0);
            if (const auto type = dtypeFromSafetensors(entry.dtype))
                testing::require(static_cast<std::size_t>(entry.shape.elements()) * byteSize(*type) ==
                                 entry.end - entry.begin);
        }
        testing::require(covered <= size);
    } catch (const Error& error) {
        testing::require(error.kind() == ErrorKind::Input);
    }
    return 0;
}
