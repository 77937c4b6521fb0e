// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// Whether this process was started as an MPI rank: by mpirun, or by a scheduler that speaks PMIx. Only then
/// may MPI be touched at all.
bool underMpirun();

/// The rank that the starter gave to this process; 0 when it was not started as a rank.
int rankByEnvironment();

}  // namespace meshreel
