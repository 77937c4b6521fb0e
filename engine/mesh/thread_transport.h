// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/base/worker_pool.h"
#include "engine/mesh/endpoint.h"
#include "engine/mesh/mpi/message_board.h"
#include "engine/mesh/mpi/remote_link.h"

namespace meshreel {

/// The endpoint of a device of this process: talks to the others of this process through `board`, to those of
/// other processes through `remote` (which may be null when there are none). Large copies are shared out to
/// `workers`. All three must outlive it. `remote` is never asked to add: what a sum gets from other processes
/// is received into a buffer and added here in its turn.
std::unique_ptr<Endpoint> makeThreadEndpoint(int device, MessageBoard& board, WorkerPool& workers,
                                             RemoteLink* remote);

}  // namespace meshreel
