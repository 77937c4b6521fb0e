// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace meshreel {

std::string_view versionNumber() {
    return MESHREEL_VERSION;
}

std::string_view versionCommit() {
    return MESHREEL_COMMIT;
}

std::string_view versionPreset() {
    return MESHREEL_PRESET;
}

std::string_view versionCompiler() {
    return MESHREEL_COMPILER;
}

namespace {

constexpr std::string_view gnuOwner{"GNU\0", 4};  // with its final zero, as notes store it

using Bytes = std::span<const std::byte>;

constexpr std::size_t paddedSize(std::size_t size) {
    constexpr std::size_t alignment = 4;
    return (size + alignment - 1) / alignment * alignment;
}

/// The description of the build-id note in an ELF note segment; empty when it has none.
Bytes findBuildId(Bytes notes) {
    ElfW(Nhdr) header{};
    while (notes.size() >= sizeof header) {
        std::memcpy(&header, notes.data(), sizeof header);
        const std::size_t description = sizeof header + paddedSize(header.n_namesz);
        const std::size_t next = description + paddedSize(header.n_descsz);
        if (next > notes.size())
            return {};
        const bool isGnu = header.n_namesz == gnuOwner.size() &&
                           std::memcmp(notes.data() + sizeof header, gnuOwner.data(), gnuOwner.size()) == 0;
        if (isGnu && header.n_type == NT_GNU_BUILD_ID)
            return notes.subspan(description, header.n_descsz);
        notes = notes.subspan(next);
    }
    return {};
}

/// dl_iterate_phdr shows the program itself first.
int readFirstObject(dl_phdr_info* object, std::size_t /*size*/, void* result) {
    for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
        if (segment.p_type != PT_NOTE)
            continue;
        // The loader tells addresses as integers. NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* start = reinterpret_cast<const std::byte*>(object->dlpi_addr + segment.p_vaddr);
        if (const Bytes id = findBuildId({start, segment.p_memsz}); !id.empty())
            *static_cast<std::string*>(result) = fmt::format("{:02x}", fmt::join(id, ""));
    }
    return 1;  // stops
}

}  // namespace

std::string programBuildId() {
    std::string id;
    dl_iterate_phdr(readFirstObject, &id);
    return id;
}

}  // namespace meshreel
