// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace meshreel::testing {

std::uint64_t PtxMemory::add(std::string name, std::span<std::byte> bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(bytes.data());
    m_regions.push_back(
        {.name = std::move(name), .address = address, .bytes = bytes.size(), .data = bytes.data()});
    return address;
}

std::uint64_t PtxMemory::addAddresses(std::string name, std::size_t bytes) {
    constexpr std::uint64_t step = 256;
    const std::uint64_t address = m_next;
    m_next += (bytes + 2 * step) / step * step;
    m_regions.push_back({.name = std::move(name), .address = address, .bytes = bytes});
    return address;
}

void PtxMemory::remove(std::uint64_t address) {
    std::erase_if(m_regions, [&](const Region& region) { return region.address == address; });
}

const PtxMemory::Region& PtxMemory::region(std::uint64_t address) const {
    const auto found = std::ranges::find(m_regions, address, &Region::address);
    if (found == m_regions.end())
        throw std::logic_error("no region begins there");
    return *found;
}

const PtxMemory::Region* PtxMemory::find(std::uint64_t address, std::size_t bytes, std::string& why) const {
    if (address % bytes != 0) {
        why = fmt::format("the address {:#x} is no multiple of {} bytes", address, bytes);
        return nullptr;
    }
    const Region* nearest = nullptr;
    for (const Region& region : m_regions) {
        if (address >= region.address && address + bytes <= region.address + region.bytes)
            return &region;
        if (region.address <= address && (nearest == nullptr || region.address > nearest->address))
            nearest = &region;
    }
    why = nearest == nullptr ? fmt::format("no tensor lies at {:#x}", address)
                             : fmt::format("the address {:#x} is byte {} of {}, which has {}", address,
                                           address - nearest->address, nearest->name, nearest->bytes);
    return nullptr;
}

std::optional<std::string> PtxMemory::read(std::uint64_t address, std::span<std::byte> into) const {
    std::string why;
    const Region* region = find(address, into.size(), why);
    if (region == nullptr)
        return why;
    if (region->data == nullptr)
        std::ranges::fill(into, std::byte{0});
    else
        std::memcpy(into.data(), region->data + (address - region->address), into.size());
    return std::nullopt;
}

std::optional<std::string> PtxMemory::write(std::uint64_t address, std::span<const std::byte> from) {
    std::string why;
    const Region* found = find(address, from.size(), why);
    if (found == nullptr)
        return why;
    Region& region = m_regions[static_cast<std::size_t>(found - m_regions.data())];
    if (region.data != nullptr)
        std::memcpy(region.data + (address - region.address), from.data(), from.size());
    region.written += from.size();
    region.writtenFrom = std::min(region.writtenFrom, address);
    region.writtenTo = std::max(region.writtenTo, address + from.size());
    return std::nullopt;
}

}  // namespace meshreel::testing
