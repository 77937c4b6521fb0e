// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// A machine that takes ranks of a run.
struct Host {
    std::string name;
    int ranks = 1;  ///< its slots: those it takes before the next host gets one

    friend bool operator==(const Host&, const Host&) = default;
};

/// One host a line, "name [slots=N]", with # comments. Throws Error{Project} with `file`:line and the cure.
std::vector<Host> parseHosts(std::string_view text, const std::string& file);

/// The same from a file; Error{Project} as well when it cannot be read.
std::vector<Host> readHosts(const std::filesystem::path& file);

/// The ranks that the hosts take together.
int slotsOf(const std::vector<Host>& hosts);

/// Index of the host that takes a rank, below slotsOf(): the hosts are filled in order.
std::size_t hostOfRank(const std::vector<Host>& hosts, int rank);

}  // namespace meshreel
