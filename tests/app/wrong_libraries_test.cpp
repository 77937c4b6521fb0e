// SPDX-License-Identifier: GPL-3.0-or-later
// What a library does not compute right is refused, and what takes its place is right.
// tests/support/stand_ins are found in the libraries' place. They are no OpenBLAS, so the variable that
// chooses its core, which a machine may need, is set for them alone.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/files.h"
#include "engine/kernels/dispatch/blas_cores.h"
#include "runner.h"
#include "tests/support/instrumented.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class WrongLibraries : public testing::RunnerTest {
  protected:
    void SetUp() override {
        if (testing::isInstrumented)
            GTEST_SKIP() << "a sanitizer's runtime comes first among libraries";
    }

    /// In front of OpenBLAS, asked for `core` by the user.
    [[nodiscard]] testing::ProcessOptions withBlas(const std::string& name,
                                                   const std::string& core = "") const {
        testing::ProcessOptions result = options();
        result.environment["LD_LIBRARY_PATH"] =
            (testing::programFolder().parent_path() / "tests/stand_ins" / name).string();
        result.environment[blasCoreVariable] = core;
        return result;
    }

    [[nodiscard]] static nlohmann::json isa(const testing::ProcessOptions& surroundings) {
        const testing::ProcessResult told = meshreel({"isa", "--json"}, surroundings);
        EXPECT_EQ(told.exitCode, Done) << told.err;
        return nlohmann::json::parse(told.out, nullptr, false);
    }

    /// A case of the reference's numbers.
    static void expectRightNumbers(const testing::ProcessOptions& surroundings) {
        const testing::ProcessResult verified =
            meshreel({"verify", (testing::testData() / "golden/dit_t2v").string()}, surroundings);
        EXPECT_EQ(verified.exitCode, Done) << verified.out << verified.err;
    }

    static nlohmann::json candidates(const nlohmann::json& isa, const std::string& operation) {
        for (const nlohmann::json& each : isa.at("operations"))
            if (each.at("name") == operation)
                return each.at("candidates");
        return nlohmann::json::array();
    }

    /// The candidate's name, in its table of `isa`.
    static std::string takenOf(const nlohmann::json& isa, const std::string& operation) {
        for (const nlohmann::json& candidate : candidates(isa, operation))
            if (candidate.at("taken").get<bool>())
                return candidate.at("name");
        return {};
    }
};

TEST_F(WrongLibraries, ARightOneIsTakenWithoutAWord) {
    const nlohmann::json told = isa(withBlas("right"));
    EXPECT_EQ(told.at("refusals").size(), 0U) << told;
    EXPECT_EQ(told.at("notes").size(), 0U) << told;
    EXPECT_THAT(told.at("blas").get<std::string>(), HasSubstr("OpenBLAS 0.0.0 "));
    expectRightNumbers(withBlas("right"));
}

TEST_F(WrongLibraries, WhereTheWideCoresAreWrongTheNextNarrowerIsTaken) {
    const auto surroundings = withBlas("wrong_when_wide");
    const nlohmann::json told = isa(surroundings);
    EXPECT_EQ(told.at("blas_core"), "Sandybridge");
    EXPECT_THAT(told.at("refusals").back().get<std::string>(),
                AllOf(HasSubstr("Haswell"), HasSubstr("Sandybridge")));
    EXPECT_EQ(takenOf(told, "f32 matmul"), "OpenBLAS, core Sandybridge");
    EXPECT_THAT(candidates(told, "f32 matmul")[1].at("why").get<std::string>(), HasSubstr("wrong"));
    EXPECT_THAT(meshreel({"isa"}, surroundings).out,
                HasSubstr(told.at("refusals").back().get<std::string>()));
    expectRightNumbers(surroundings);
}

TEST_F(WrongLibraries, WhereAllCoresAreWrongOwnLoopsMultiply) {
    const auto surroundings = withBlas("wrong");
    const nlohmann::json told = isa(surroundings);
    EXPECT_EQ(told.at("blas_core"), "");
    EXPECT_THAT(told.at("blas").get<std::string>(), HasSubstr("own loops"));
    EXPECT_EQ(takenOf(told, "f32 matmul"), "own loops");
    expectRightNumbers(surroundings);
}

TEST_F(WrongLibraries, ACoreThatCrashesIsPassedOver) {
    const auto surroundings = withBlas("crashing_when_wide");
    const nlohmann::json told = isa(surroundings);
    EXPECT_EQ(told.at("blas_core"), "Sandybridge");
    EXPECT_THAT(told.at("refusals").back().get<std::string>(), HasSubstr("crashes"));
    expectRightNumbers(surroundings);
}

TEST_F(WrongLibraries, PlanAndLogSayIt) {
    const auto surroundings = withBlas("wrong_when_wide");
    const std::string refusal = isa(surroundings).at("refusals").back();
    const std::string small = project(testing::smallRun());
    const testing::ProcessResult planned = meshreel({"plan", small}, surroundings);
    EXPECT_THAT(planned.out, HasSubstr("OpenBLAS, core Sandybridge"));
    EXPECT_THAT(planned.err, HasSubstr(refusal));
    const testing::ProcessResult ran = meshreel({"run", small, "--out", file("run").string()}, surroundings);
    ASSERT_EQ(ran.exitCode, Done) << ran.err;
    EXPECT_THAT(readFile(file("run/log.txt")),
                AllOf(HasSubstr("OpenBLAS 0.0.0 Sandybridge"), HasSubstr(refusal)));
    const auto environment = nlohmann::json::parse(readFile(file("run/environment.json")));
    EXPECT_EQ(environment.at("libraries").at("openblas"), "OpenBLAS 0.0.0 Sandybridge");
    EXPECT_EQ(environment.at("precision").at("products_by"), "OpenBLAS, core Sandybridge");
}

TEST_F(WrongLibraries, ACoreNarrowerThanTheCpuIsSaidWithTheVariableThatChoseIt) {
    const auto surroundings = withBlas("right", "Nehalem");
    const nlohmann::json told = isa(surroundings);
    EXPECT_EQ(told.at("blas_core"), "Nehalem");
    ASSERT_EQ(told.at("notes").size(), 1U);
    EXPECT_THAT(told.at("notes")[0].get<std::string>(),
                AllOf(HasSubstr("Nehalem"), HasSubstr("OPENBLAS_CORETYPE=Nehalem")));
    EXPECT_EQ(candidates(told, "f32 matmul")[1].at("why"), "OPENBLAS_CORETYPE=Nehalem");
    EXPECT_THAT(meshreel({"plan", project(testing::smallRun())}, surroundings).out,
                HasSubstr("OPENBLAS_CORETYPE=Nehalem"));
}

TEST_F(WrongLibraries, ACoreThatThereIsNotIsIgnoredAndSaid) {
    const nlohmann::json told = isa(withBlas("right", "Pentium"));
    EXPECT_EQ(told.at("blas_core"), isa(withBlas("right")).at("blas_core"));
    EXPECT_THAT(told.at("notes")[0].get<std::string>(), HasSubstr("OPENBLAS_CORETYPE=Pentium"));
}

TEST_F(WrongLibraries, ARunGoesOnWithAnotherCoreOnlyIfAllowed) {
    testing::ProjectKeys keys = testing::smallRun();
    keys["num_inference_steps"] = "500";
    const std::filesystem::path run = file("run");
    testing::Process begun(commandLine({"run", project(keys), "--out", run.string()}),
                           withBlas("right", "Haswell"));
    ASSERT_TRUE(testing::waitUntil(begun, [&] { return testing::stepRows(run) > 0; }));
    begun.send(SIGINT);
    static_cast<void>(begun.wait());
    const testing::ProcessResult refused =
        meshreel({"run", "--resume", run.string()}, withBlas("right", "Nehalem"));
    EXPECT_EQ(refused.exitCode, BadInput) << refused.out;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("0.0.0 Haswell"), HasSubstr("0.0.0 Nehalem")));
}

TEST_F(WrongLibraries, OneDnnThatIsWrongIsPassedOver) {
    testing::ProcessOptions surroundings = options();
    surroundings.environment["LD_PRELOAD"] =
        (testing::programFolder().parent_path() / "tests/stand_ins/libwrong_dnnl.so").string();
    const nlohmann::json told = isa(surroundings);
    const nlohmann::json usual = isa(options());
    bool refused = false;
    for (const std::string operation : {"bf16 matmul", "int8 matmul"}) {
        EXPECT_THAT(takenOf(told, operation), ::testing::Not(HasSubstr("oneDNN")));
        refused = refused || takenOf(usual, operation) != takenOf(told, operation);
    }
    if (!refused)
        GTEST_SKIP() << "this CPU takes nothing of oneDNN";
    EXPECT_THAT(told.at("refusals").back().get<std::string>(), HasSubstr("oneDNN"));
}

}  // namespace
}  // namespace meshreel
