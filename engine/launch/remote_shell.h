// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/mesh/host_file.h"

namespace meshreel {

/// Returns the program that calls another host and its options: $MESHREEL_RSH, else the one that Open MPI's
/// own variable names, else ssh, with options that keep it from asking questions.
std::vector<std::string> remoteShell();

/// Quotes it as one word for the shell of a host.
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
