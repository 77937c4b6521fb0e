// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/worker_pool.h"

namespace meshreel {

/// A machine that takes ranks of a run.
struct Host {
    std::string name;
    int ranks = 1;  ///< its slots: those it takes before the next host gets one

    friend bool operator==(const Host&, const Host&) = default;
};

/// By its name, however many it has; `name` in small letters.
bool isThisMachine(const std::string& name);

/// How many ranks the hosts may be asked to carry (cpu_placement.h).
struct HostLimits {
    int localCpus = availableCpus();  ///< of this machine, which is known by its names
    bool oversubscribe = false;       ///< as many as the user wants, as far as a mesh goes
};

/// One host a line, "name [slots=N]", with # comments; names in small letters. Throws Error{Project} with
/// `file`:line and the fix for what is no such line and for more ranks than the limits allow.
std::vector<Host> parseHosts(std::string_view text, const std::string& file, const HostLimits& limits = {});

/// parseHosts() of a file of at most 1 MiB; Error{Project} as well when it cannot be read.
std::vector<Host> readHosts(const std::filesystem::path& file, const HostLimits& limits = {});

/// The ranks that each host takes, in order.
std::vector<int> ranksByHost(const std::vector<Host>& hosts);

/// The ranks that the hosts take together.
int slotsOf(const std::vector<Host>& hosts);

/// Index of the host that takes a rank, below slotsOf(): the hosts are filled in order.
std::size_t hostOfRank(const std::vector<Host>& hosts, int rank);

/// The program that calls another host and its options: $MESHREEL_RSH, else what Open MPI was told to take by
/// its own variable, else ssh, which then asks for nothing.
std::vector<std::string> remoteShell();

/// As one word for the shell of a host.
std::string quotedWord(const std::string& word);

/// A host that ranks cannot be started on, and the last line that the remote shell or the host said.
struct SilentHost {
    Host host;
    Sentence reason;
};

/// Calls every host but this machine and looks for Open MPI's daemon and `program` there: what mpirun needs,
/// and does not name when it fails. The first that does not answer so; nothing when all do. Takes 15 seconds
/// at most.
std::optional<SilentHost> findSilentHost(std::span<const Host> hosts, const std::filesystem::path& program);

}  // namespace meshreel
