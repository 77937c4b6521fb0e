// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/mesh/host_file.h"
#include "engine/mesh/transport.h"
#include "engine/runs/launch/mpirun_program.h"

namespace meshreel {

/// Tells mpirun's own messages from what ranks write to the stderr that they share, and reads in them which
/// rank died.
class MpirunMessages {
  public:
    /// `mpirun`: its process id.
    explicit MpirunMessages(pid_t mpirun) : m_mpirun(mpirun) {}

    /// Whether the line is mpirun's.
    bool take(const std::string& line);

    /// The rank that mpirun saw die.
    [[nodiscard]] std::optional<MeshFailure> death() const;

    /// The host, as mpirun was given it, that it lost the connection to.
    [[nodiscard]] std::optional<std::string> lostHost() const;

    /// Its messages in one line, for want of anything better; empty when it said nothing.
    [[nodiscard]] std::string text() const;

  private:
    pid_t m_mpirun;
    bool m_insideBlock = false;  // its messages stand between lines of dashes
    std::string m_text;
};

/// What a rank that ends otherwise than well writes to stderr for the program that launched it.
struct RankReport {
    int rank = 0;
    int exitCode = 0;
    MeshFailure failure;  ///< why the ranks gave up, as this rank knows it

    /// Whether the rank speaks of itself.
    [[nodiscard]] bool isOwn() const { return failure.rank == rank; }
};

/// The report as one line, without the newline.
std::string rankReportLine(const RankReport& report);

/// Nothing for a line that holds no report. What stands before it on the line is passed over: ranks share
/// stderr.
std::optional<RankReport> parseRankReport(std::string_view line);

/// "device 3 of rank 1 on host b failed: why".
Sentence toSentence(const MeshFailure& failure);

/// Whether launchRanks() started this process: then rank 0 stops when its standard input says so, and ranks
/// report failures by rankReportLine() in place of a sentence.
bool startedByLauncher();

struct LaunchRequest {
    std::vector<Host> hosts;
    int ranks = 0;                            ///< 0: all slots of the hosts
    std::vector<std::string> arguments = {};  ///< of `meshreel`, its sub-command first
    std::filesystem::path program = {};  ///< `meshreel` on every host; empty: the one beside this program
};

/// What the ranks write, line by line, on the calling thread.
struct LaunchOutput {
    std::function<void(const std::string& line)> out;  ///< stdout of rank 0
    std::function<void(const std::string& line)> err;  ///< stderr of all, without mpirun's remarks
};

struct LaunchEnd {
    int exitCode = 0;  ///< of rank 0; that of ErrorKind::Device when a rank died or a device failed
    std::optional<MeshFailure> failure = {};  ///< who and why, when it is not 0
};

/// The command that launchRanks() gives to the system; `settings`: more words for mpirun.
std::vector<std::string> mpirunLine(const LaunchRequest& request, const MpirunProgram& mpirun,
                                    const std::vector<std::string>& settings = {});

/// Runs `meshreel` as MPI ranks on the hosts and returns when all have ended. A stop asks rank 0 to cancel;
/// ranks that do not end then, or after a failure, are ended; so are those that do not begin and meet within
/// hostPatience(). Throws Error{Input} when mpirun cannot be started, or is none of Open MPI's.
LaunchEnd launchRanks(const LaunchRequest& request, const LaunchOutput& output, const StopToken& stop);

/// The error that a launch ended with; of the kind that exitCode belongs to.
Error toError(const LaunchEnd& end);

}  // namespace meshreel
