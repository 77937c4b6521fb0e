// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/mesh/host_file.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/project/project.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/run_sources.h"

namespace meshreel {

/// What a machine says of itself and of a project's model on its disks.
struct HostFacts {
    RankIdentity program;
    std::string cpu;
    int cpus = 1;                        ///< that a process may use
    double freeMemory = 0;               ///< bytes
    double clock = 0;                    ///< seconds since 1970, when it spoke
    std::vector<SourceFile> model = {};  ///< files of the model and adapters
    Sentence modelProblem = {};          ///< why they cannot be read there; empty: they can
};

/// Returns the facts of this machine. The project is that of the run, with the paths that it has on every
/// host.
HostFacts thisHostFacts(const Project& project);

/// Returns one line of JSON, and back; nothing for a line that is none.
std::string hostFactsLine(const HostFacts& facts);
std::optional<HostFacts> parseHostFacts(const std::string& line);

/// A host of a file, as it answered.
struct HostAnswer {
    Host host;
    std::optional<HostFacts> facts = {};
    Sentence silence = {};        ///< why there are no facts
    bool programMissing = false;  ///< that is because the program is not there
    double clockAhead = 0;        ///< seconds of its clock before this machine's
    bool programSent = false;     ///< this machine's program was copied there
};

enum class ProgramCopies { Never, WhereMissing };

/// Asks every host, through the remote shell, what it says of itself. `program` has the same path
/// everywhere; where a host has none there, this machine's can be sent, which brings no libraries. A host has
/// hostPatience() for an answer.
std::vector<HostAnswer> askHosts(std::span<const Host> hosts, const Project& project,
                                 const std::filesystem::path& program, ProgramCopies copies);

/// Returns a row a host: ranks, program, CPU, CPUs, instruction set, free memory, clock, model compared with
/// that of the first host, answer.
DataTable hostTable(std::span<const HostAnswer> answers);

/// Throws Error{Device} for a host that gave no answer or has another program than the first one, and
/// Error{Input} for one whose model differs from the first one's or is missing, unless the project sends the
/// weights.
void requireAlike(std::span<const HostAnswer> answers, const Project& project);

}  // namespace meshreel
