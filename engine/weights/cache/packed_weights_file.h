// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/tensor/tensor.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {

/// A weight in the form that some kernel wants: its bytes, and the kernel's own description of them.
struct StoredTensor {
    std::string format;
    Tensor bytes;  ///< u8 [n], aligned to 64 bytes
};

/// A file of packed weights, mapped. Written by PackedWeightsWriter.
class PackedWeightsFile {
  public:
    /// Checks prefix, size and directory, not the data. Throws Error{Input} saying what is wrong.
    static std::shared_ptr<const PackedWeightsFile> open(const std::filesystem::path& file);

    [[nodiscard]] const std::string& key() const { return m_key; }
    [[nodiscard]] std::size_t tensors() const { return m_entries.size(); }

    /// A view into the map, which it keeps alive. The first call for a name reads all of its bytes to check
    /// their hash. Nothing for an unknown name; throws Error{Input} for damaged bytes.
    [[nodiscard]] std::optional<StoredTensor> find(std::string_view name) const;

    /// Checks every hash again. Throws Error{Input} naming the first damaged tensor.
    void verify() const;

  private:
    struct Entry {
        std::string format;
        std::span<const std::byte> bytes;
        std::uint64_t hash = 0;
        mutable std::atomic<bool> checked = false;
    };

    explicit PackedWeightsFile(std::shared_ptr<const MappedFile> map) : m_map(std::move(map)) {}
    void readDirectory(std::span<const std::byte> directory);
    void check(const std::string& name, const Entry& entry) const;

    std::shared_ptr<const MappedFile> m_map;
    std::string m_key;
    std::map<std::string, Entry, std::less<>> m_entries;
};

}  // namespace meshreel
