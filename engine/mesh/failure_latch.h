// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <mutex>

#include "engine/base/stop_token.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/message_board.h"

namespace meshreel {

/// Keeps the first failure of a mesh and ends everybody else by it: those who wait and, through the stop
/// token, those who compute. Usable from any thread.
class FailureLatch {
  public:
    explicit FailureLatch(MessageBoard& board) : m_board(board) {}

    /// Returns whether this was the first.
    bool keep(const MeshFailure& failure, std::exception_ptr exception);

    /// A failure of another process.
    void keep(const MeshFailure& failure);

    /// Throws what was kept, if anything.
    void rethrow() const;

    /// Stopped once something failed.
    [[nodiscard]] StopToken stop() const { return m_stop.get_token(); }

  private:
    MessageBoard& m_board;
    mutable std::mutex m_mutex;
    std::exception_ptr m_exception;
    StopSource m_stop;
};

}  // namespace meshreel
