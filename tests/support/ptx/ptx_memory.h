// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace meshreel::testing {

/// Tensors that a kernel may reach. Every access is held to them.
class PtxMemory {
  public:
    struct Region {
        std::string name;
        std::uint64_t address = 0;
        std::size_t bytes = 0;
        std::byte* data = nullptr;  ///< null: reads give zeros, and writes are counted alone
        std::size_t written = 0;    ///< bytes written so far
        /// The lowest and the end of the highest address written.
        std::uint64_t writtenFrom = ~0ULL;
        std::uint64_t writtenTo = 0;
    };

    /// Adds bytes at the address at which they lie. They must outlive this.
    std::uint64_t add(std::string name, std::span<std::byte> bytes);
    /// Adds so many bytes that nobody holds, for kernels of which only addresses are asked. Begins at a
    /// multiple of 256, as allocations do.
    std::uint64_t addAddresses(std::string name, std::size_t bytes);
    void remove(std::uint64_t address);

    [[nodiscard]] const Region& region(std::uint64_t address) const;

    /// Return why not, or nothing.
    std::optional<std::string> read(std::uint64_t address, std::span<std::byte> into) const;
    std::optional<std::string> write(std::uint64_t address, std::span<const std::byte> from);

  private:
    /// The region of an access; null with a reason.
    const Region* find(std::uint64_t address, std::size_t bytes, std::string& why) const;

    std::vector<Region> m_regions;
    std::uint64_t m_next = 1ULL << 60U;  // where nothing of the host lies
};

}  // namespace meshreel::testing
