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

    /// Whether the line is mpirun's.
    bool take(const std::string& line);

    /// The rank that mpirun saw die.
    [[nodiscard]] std::optional<MeshFailure> death() const;

    /// The host, as mpirun was given it, that it lost the connection to.
    [[nodiscard]] std::optional<std::string> lostHost() const;

    /// Its messages in one line, for want of anything better; empty when it said nothing.
    [[nodiscard]] std::string text() const;

  private:
    pid_t m_mpirun;
    bool m_insideBlock = false;  // its messages stand between lines of dashes
    std::string m_text;
};

}  // namespace meshreel
