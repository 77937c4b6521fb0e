// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/timing/trace.h"

namespace meshreel {

/// What a process traced of a run on several ranks, and when it began to, so that the ranks can be put on one
/// time line. Hosts count steady time from their own boots: gatherTraces() measures how far they are apart.
struct RankTrace {
    explicit RankTrace(const std::string& process) : trace(process) {}

    Trace::Clock::time_point begin = Trace::Clock::now();  ///< within a microsecond where its times are 0
    Trace trace;
};

/// What another rank traced.
struct ForeignTrace {
    std::string json;   ///< Trace::chromeJson()
    double offset = 0;  ///< seconds from the beginning of rank 0's trace to that of this one
};

/// Returns how viewers call a rank: "meshreel, rank 1 on HOST".
std::string rankTitle(const MpiSession& ranks);

/// Collective of all ranks of a run, after its last common work: rank 0 gets the traces of the others, by
/// rank. Clocks are aligned as NTP does it: each rank notes when a message of rank 0 arrives, and rank 0
/// takes that for the middle between sending it and receiving all answers. The shortest of several rounds
/// counts; the error is at most half its length, some 10 µs on one host and some 100 µs over a network.
/// Throws as DeviceMesh::run() does.
std::vector<ForeignTrace> gatherTraces(DeviceMesh& mesh, const RankTrace& own);

/// Returns one Chrome trace of rank 0's and the others', which are of ranks 1 and on: a process for each
/// rank, with the process id rank + 1, in order of rank. Rows of devices keep the device's number as thread
/// id; all other rows follow the devices, and no two rows share an id.
std::string joinTraces(const std::string& ofRank0, const std::vector<ForeignTrace>& others);

}  // namespace meshreel
