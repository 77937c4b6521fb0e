// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "engine/mesh/mesh_failure.h"

namespace meshreel {

/// Tells mpirun's own messages from what ranks write to the stderr that they share, and reads in them which
/// rank died.
class MpirunMessages {
  public:
    /// `mpirun`: its process id.
    explicit MpirunMessages(pid_t mpirun) : m_mpirun(mpirun) {}

    /// Returns whether the line is mpirun's.
    bool take(const std::string& line);

    /// Returns the rank that mpirun saw die.
    [[nodiscard]] std::optional<MeshFailure> death() const;

    /// Returns the host, as mpirun was given it, that it lost the connection to.
    [[nodiscard]] std::optional<std::string> lostHost() const;

    /// Returns its messages in one line, as a last resort; empty when there are none.
    [[nodiscard]] std::string text() const;

  private:
    pid_t m_mpirun;
    bool m_insideBlock = false;  // its messages stand between lines of dashes
    std::string m_text;
};

}  // namespace meshreel
