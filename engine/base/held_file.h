// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/error.h"

namespace meshreel {

enum class Links : std::uint8_t { Follow, Refuse };

/// A file or folder that others may replace at any time, held open, so that what is checked is what is read.
class HeldFile {
  public:
    /// Throws Error{Input} naming the file when it is missing, a link that is refused, or neither a regular
    /// file nor a folder.
    HeldFile(std::filesystem::path file, Links links);

    /// What is in a folder under this name; a link is followed as long as it ends at another file of that
    /// very folder.
    HeldFile(const HeldFile& folder, const std::string& name);

    HeldFile(HeldFile&& other) noexcept;
    HeldFile& operator=(HeldFile&& other) = delete;
    HeldFile(const HeldFile&) = delete;
    HeldFile& operator=(const HeldFile&) = delete;
    ~HeldFile();

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    [[nodiscard]] bool isFolder() const { return m_isFolder; }

    /// Returns the path as it was requested.
    [[nodiscard]] const std::filesystem::path& name() const { return m_name; }

    /// Returns a name under which the system opens this very file or folder; its own name where /proc is
    /// missing.
    [[nodiscard]] std::filesystem::path path() const;

    /// Returns its path, with links resolved.
    [[nodiscard]] std::filesystem::path realPath() const;

    /// read(path()); what an Error says about path(), it says about name().
    template <typename Read>
    auto readWith(const Read& read) const {
        try {
            return read(path());
        } catch (const Error& failure) {
            throw asNamed(failure);
        }
    }

  private:
    void look();
    [[nodiscard]] Error asNamed(const Error& failure) const;

    std::filesystem::path m_name;
    int m_descriptor;
    bool m_isFolder = false;
};

}  // namespace meshreel
