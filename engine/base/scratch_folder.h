// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace meshreel {

/// The system's place for temporary files. Throws Error{Input} when it is missing or cannot be written to.
std::filesystem::path temporaryFilesFolder();

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
