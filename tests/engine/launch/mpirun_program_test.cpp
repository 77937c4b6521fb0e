// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/mpirun_program.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder of programs that stands alone in PATH, with what its scripts need.
class MpirunPrograms : public ::testing::Test {
  protected:
    MpirunPrograms() : m_path(::getenv("PATH")) {
        for (const char* program : {"sh", "echo", "sleep"})
            fs::create_symlink(fs::path("/bin") / program, m_folder / program);
        ::setenv("PATH", m_folder.path().c_str(), 1);
    }
    ~MpirunPrograms() override {
        ::setenv("PATH", m_path.c_str(), 1);
        ::unsetenv("MESHREEL_MPIRUN");
    }

    /// A program that answers so to --version.
    fs::path add(const std::string& name, const std::string& answer) const {
        return addScript(name, "echo '" + answer + "'");
    }
    [[nodiscard]] fs::path addScript(const std::string& name, const std::string& script) const {
        const fs::path file = m_folder / name;
        writeFileAtomically(file, "#!/bin/sh\n" + script + "\n");
        fs::permissions(file, fs::perms::owner_all);
        return file;
    }
    static testing::Refusal refusal() {
        return testing::refusalOf(ErrorKind::Input, [] { findMpirun(); });
    }

  private:
    testing::TemporaryFolder m_folder;
    std::string m_path;
};

TEST_F(MpirunPrograms, OpenMpiIsKnownByItsVersion) {
    add("mpirun", "mpirun (Open MPI) 4.1.4");
    EXPECT_EQ(findMpirun().version, "4.1.4");
    EXPECT_FALSE(findMpirun().isPrrte());
    add("mpirun", "mpirun (Open MPI) 5.0.7rc1");
    EXPECT_EQ(findMpirun().version, "5.0.7rc1");
    EXPECT_TRUE(findMpirun().isPrrte());
}

TEST_F(MpirunPrograms, AWrapperMaySayOtherThingsFirst) {
    static_cast<void>(addScript("mpirun", "echo loading modules >&2; echo; echo 'mpirun (Open MPI) 4.0.3'"));
    EXPECT_EQ(findMpirun().version, "4.0.3");
}

TEST_F(MpirunPrograms, OtherMpisAreNamedWithWhatTheySay) {
    for (const char* other : {"HYDRA build details:", "Intel(R) MPI Library for Linux* OS, Version 2021.8",
                              "prterun (PRRTE) 3.0.2", "mpirun (IBM Spectrum MPI) 10.3"}) {
        const fs::path program = add("mpirun", other);
        EXPECT_THAT(refusal(), testing::Names(program.string(), other));
        EXPECT_THAT(refusal().problem.hint().text(), HasSubstr("openmpi-bin"));
    }
    const testing::Refusal other = refusal();
    static_cast<void>(addScript("mpirun", "exit 0"));
    const testing::Refusal silent = refusal();
    add("mpirun", "mpirun (Open MPI) 3.1.6");
    EXPECT_THAT(refusal(), testing::Names("3.1.6"));
    testing::expectFaults({{"another", other}, {"silent", silent}, {"too old", refusal()}});
}

TEST_F(MpirunPrograms, OneThatIsNearIsNamed) {
    add("mpirun", "HYDRA build details:");
    const fs::path right = add("mpirun.openmpi", "mpirun.openmpi (OpenRTE) 4.1.4");
    EXPECT_THAT(refusal().problem.hint().text(), HasSubstr("MESHREEL_MPIRUN=" + right.string()));
    ::setenv("MESHREEL_MPIRUN", right.c_str(), 1);
    EXPECT_EQ(findMpirun().path, right);
}

TEST_F(MpirunPrograms, OneThatDoesNotAnswerIsNotWaitedForForEver) {
    const fs::path program = addScript("mpirun", "exec sleep 60");
    EXPECT_THAT(refusal(), testing::Names(program.string(), "10"));
}

TEST_F(MpirunPrograms, WhereThereIsNoneItSaysWhatToInstall) {
    EXPECT_THAT(refusal().problem.hint().text(), HasSubstr("openmpi-bin"));
}

TEST(WithheldVariables, AreThoseThatPlaceRanks) {
    const std::vector<const char*> withheld{"OMPI_MCA_ras", "OMPI_MCA_rmaps_base_mapping_policy",
                                            "OMPI_MCA_plm", "PRTE_MCA_rmaps_default_mapping_policy",
                                            "OMPI_MCA_orte_default_hostfile"};
    const std::vector<const char*> kept{"OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_oob_tcp_if_include",
                                        "OMPI_MCA_plm_rsh_agent"};
    const std::vector<const char*> listening{"PMIX_MCA_ptl_tcp_if_include"};
    for (const auto& names : {withheld, kept, listening})
        for (const char* name : names)
            ::setenv(name, "x", 1);
    const std::vector<std::string> here = withheldVariables(true);
    const std::vector<std::string> elsewhere = withheldVariables(false);
    for (const auto& names : {withheld, kept, listening})
        for (const char* name : names)
            ::unsetenv(name);
    for (const char* name : withheld) {
        EXPECT_THAT(here, Contains(name));
        EXPECT_THAT(elsewhere, Contains(name));
    }
    for (const char* name : kept)
        EXPECT_THAT(here, Not(Contains(name)));
    EXPECT_THAT(here, Contains(listening.front()));
    EXPECT_THAT(elsewhere, Not(Contains(listening.front())));
}

}  // namespace
}  // namespace meshreel
