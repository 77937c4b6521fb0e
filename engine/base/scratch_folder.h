// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace meshreel {

/// A folder in the system's place for temporary files that is gone with the object.
class ScratchFolder {
  public:
    /// Throws Error{Input} when none can be made.
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] std::filesystem::path path() const { return m_path; }

  private:
    std::string m_path;
};

}  // namespace meshreel
