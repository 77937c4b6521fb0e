// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "engine/base/atomic_file.h"

namespace meshreel {

/// Writes a file of packed weights tensor by tensor, holding none of them, under a temporary name; finish()
/// gives it its own. Unfinished, nothing is left. One writer at a time for a file.
class PackedWeightsWriter {
  public:
    /// Throws Error{Resources} (disk full) or Error{Input} (folder missing or not writable), as do all
    /// others.
    PackedWeightsWriter(std::filesystem::path file, std::string key);
    ~PackedWeightsWriter() = default;
    PackedWeightsWriter(const PackedWeightsWriter&) = delete;
    PackedWeightsWriter& operator=(const PackedWeightsWriter&) = delete;

    /// Bytes written so far.
    [[nodiscard]] std::uint64_t bytes() const { return m_end; }

    void add(const std::string& name, const std::string& format, std::span<const std::byte> bytes);
    void finish();

  private:
    void writeAt(std::uint64_t offset, std::span<const std::byte> bytes);

    std::filesystem::path m_file;
    TemporaryBeside m_temporary;
    std::uint64_t m_end = 0;
    nlohmann::json m_directory;
};

}  // namespace meshreel
