// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"

namespace meshreel {

/// Returns whether this process was started as an MPI rank: by mpirun, or by a scheduler that speaks PMIx.
/// Only then may MPI be touched at all.
bool underMpirun();

/// Returns how many processes a launcher started that does not speak Open MPI's language, so that each is a
/// program by itself; 0 where none did.
int lonelyTasks();

/// Returns the rank that the starter gave to this process; 0 when it was not started as a rank.
int rankByEnvironment();

/// Returns whether a variable of the environment holds a rank.
bool isRankVariable(std::string_view name);

/// Returns whether the starter says that all ranks run on this machine.
bool allRanksAreHere();

/// Returns how long to wait for another host, or for ranks to begin and meet: two minutes, or
/// $MESHREEL_HOST_TIMEOUT seconds. Throws Error{Project} when that is not a number of seconds.
std::chrono::seconds hostPatience();

/// Open MPI's ways between processes that lead to other hosts, and the messaging layers that know such ways
/// only: without them ranks on one machine listen to no network. As values of "btl" and "pml".
inline constexpr const char* localTransports = "^tcp,openib,uct,ofi,usnic,portals4,ugni";
inline constexpr const char* localMessaging = "ob1";

/// Returns whether the system lets a process read the memory of another one of the same user; containers and
/// hardened kernels often do not. Tried with a short-lived child process.
bool mayCopyBetweenProcesses();

/// What a rank reports about itself before anything else. Ranks whose programs differ would misread each
/// other, or compute replicated values that drift apart.
struct RankIdentity {
    std::string host;
    std::string version;    ///< Meshreel's version, with its commit
    std::string buildId;    ///< id of the program (programBuildId)
    std::string isa;        ///< widest instruction set in use
    std::string products;   ///< what multiplies: matmulLibrary()
    std::string byteOrder;  ///< "little" or "big"
    int pointerBits = 0;
    int protocol = 0;  ///< version of the protocol between ranks
    std::string cpus;  ///< that it may use: a '1' for each, the first CPU last
    int cpuQuota = 0;  ///< how many of them its cgroup pays for; 0: all

    friend bool operator==(const RankIdentity&, const RankIdentity&) = default;
};

/// Returns the identity of this process.
RankIdentity thisRankIdentity();

/// JSON of at most `identityBytes` bytes, and back.
inline constexpr std::size_t identityBytes = 4096;
std::string encodeIdentity(const RankIdentity& identity);
RankIdentity decodeIdentity(const std::string& text);

/// Returns the CPUs that the ranks on a host may use together, at most the largest of their quotas, which
/// ranks of one cgroup share; at least 1.
int cpusOfHost(std::span<const RankIdentity> ranks, const std::string& host);

/// Throws Error{Device} naming both hosts and what differs when a rank's program is unlike rank 0's.
void requireSameProgram(std::span<const RankIdentity> ranks);

/// Returns a sentence for each rank whose instruction set, or core of OpenBLAS, is not rank 0's. Such ranks
/// understand each other, but round differently.
std::vector<Sentence> isaDifferences(std::span<const RankIdentity> ranks);

}  // namespace meshreel
