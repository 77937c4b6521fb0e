// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/mpirun_helpers.h"

#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <string>

#include "engine/base/files.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Process;
using testing::ProcessOptions;
using testing::ProcessResult;

const std::string helper = MESHREEL_LAUNCHED_PROGRAM;
const std::string secret(64, 'a');

/// A shell's command, whose standard input is `input`.
ProcessResult runShell(const std::string& input, const std::string& command,
                       const ProcessOptions& options = {}) {
    return Process({"/bin/sh", "-c", "printf '" + input + "' | " + command}, options).wait();
}

TEST(MpirunHelpers, HaveTheNamesOfTheVersion) {
    const MpirunHelpers helpers("/opt/my programs/meshreel");
    const auto old = helpers.settings({.path = "mpirun", .major = 4});
    EXPECT_THAT(old, Contains("plm_rsh_agent"));
    EXPECT_THAT(old, Contains("/opt/my\\ programs/meshreel mpirun-daemon orted"));
    EXPECT_THAT(old, Contains(EndsWith("mpirun-remote-shell ssh -o BatchMode=yes -o ConnectTimeout=10 -x")));
    const auto recent = helpers.settings({.path = "mpirun", .major = 5});
    EXPECT_THAT(recent, Contains("plm_ssh_agent"));
    EXPECT_THAT(recent, Contains(EndsWith("mpirun-daemon prted")));
}

TEST(MpirunHelpers, OtherCommandsAreNone) {
    std::array<std::string, 3> words{"meshreel", "run", "p.yaml"};
    std::array<char*, 4> line{words[0].data(), words[1].data(), words[2].data(), nullptr};
    EXPECT_FALSE(runMpirunHelper(3, line.data()));
    EXPECT_FALSE(runMpirunHelper(1, line.data()));
}

TEST(MpirunHelpers, TheRemoteShellHearsTheSecretAndHasNoneOfTheGuard) {
    const testing::TemporaryFolder folder;
    const fs::path shell = folder / "shell";
    writeFileAtomically(shell, "#!/bin/sh\necho \"words $*\"\ncat\nenv\n");
    fs::permissions(shell, fs::perms::owner_all);
    ProcessOptions options;
    options.environment = {{"MESHREEL_RUN_SECRET", secret}};
    const ProcessResult result =
        Process({helper, "mpirun-remote-shell", shell.string(), "-4", "beta", "orted x"}, options).wait();
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("words -4 beta orted x\n" + secret + "\n"));
    EXPECT_THAT(result.out, Not(HasSubstr("RUN_SECRET")));
}

TEST(MpirunHelpers, TheDaemonIsGuardedByTheSecretThatComes) {
    const std::string look = " mpirun-daemon sh -c 'echo is $MESHREEL_RUN_SECRET; cat; cat /proc/$$/maps'";
    const ProcessResult guarded = runShell(secret + "\\nmore", helper + look);
    EXPECT_EQ(guarded.exitCode, 0) << guarded.err;
    EXPECT_THAT(guarded.out, AllOf(HasSubstr("is " + secret), HasSubstr("meshreel-socket-guard")));
    EXPECT_THAT(guarded.out, Not(HasSubstr("more")));

    const ProcessResult open = runShell("none\\n", helper + look);
    EXPECT_EQ(open.exitCode, 0) << open.err;
    EXPECT_THAT(open.out, Not(HasSubstr("meshreel-socket-guard")));

    const ProcessResult deaf = runShell("", helper + look);
    EXPECT_EQ(deaf.exitCode, 5);
    EXPECT_THAT(deaf.err, HasSubstr("MESHREEL_RSH"));
}

}  // namespace
}  // namespace meshreel
