// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
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

/// Returns whether the name is one of this machine's names; `name` in lower case.
bool isThisMachine(const std::string& name);

/// How many ranks the hosts may be asked to carry (cpu_placement.h).
struct HostLimits {
    int localCpus = availableCpus();  ///< CPUs of this machine, which is recognised by its names
    bool oversubscribe = false;       ///< allows any number of ranks that a mesh supports
};

/// Parses one host a line, "name [slots=N]", with # comments; names in lower case. Throws Error{Project} with
/// `file`:line and the fix for any other line and for more ranks than the limits allow.
std::vector<Host> parseHosts(std::string_view text, const std::string& file, const HostLimits& limits = {});

/// parseHosts() of a file of at most 1 MiB; Error{Project} as well when it cannot be read.
std::vector<Host> readHosts(const std::filesystem::path& file, const HostLimits& limits = {});

/// Returns the ranks that each host takes, in order.
std::vector<int> ranksByHost(const std::vector<Host>& hosts);

/// Returns the ranks that the hosts take together.
int countSlots(const std::vector<Host>& hosts);

/// Index of the host that takes a rank, below countSlots(): the hosts are filled in order.
std::size_t hostOfRank(const std::vector<Host>& hosts, int rank);

}  // namespace meshreel
