// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/plan_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/planning/model/model_library.h"
#include "tests/support/random_adapter.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t plentyForFindings = std::uint64_t{1} << 40;

auto warnsAt(const std::string& key, const std::string& words) {
    return Contains(AllOf(Field(&ProjectProblem::key, key), Field(&ProjectProblem::message, HasSubstr(words)),
                          Field(&ProjectProblem::severity, Severity::Warning)));
}

TEST(PlanFindings, WarningsStandAtTheirKeys) {
    RunPlan plan = makePlan(testing::smallProject(), {.workers = 8, .memoryBytes = plentyForFindings});
    EXPECT_THAT(planWarnings(plan, 8), IsEmpty());
    EXPECT_THAT(planWarnings(plan, 4), warnsAt("workers", "8 workers share 4 CPUs"));

    plan.memory.available = plan.memory.peak() + 1;
    EXPECT_THAT(planWarnings(plan, 8), warnsAt("memory_budget", "are available"));

    plan.project.fps = Project().fps;
    ModelFamily other = *plan.model.family;
    other.defaults.fps = 24;
    plan.model.family = &other;
    EXPECT_THAT(planWarnings(plan, 8), warnsAt("fps", "makes 24 frames a second"));
    const std::vector<ProjectProblem> found = planWarnings(plan, 8);
    EXPECT_EQ(found.front().cures, (std::vector<KeyChanges>{{{.key = "fps", .value = "24"}}}));
}

TEST(PlanFindings, AdaptersWarnOfKeysThatFitNothing) {
    const testing::TemporaryFolder folder;
    const auto file = folder / "half.safetensors";
    Project project = testing::smallProject();
    testing::writeRandomAdapter(file, Checkpoint::open(findModel(project.model) / "transformer"));
    project.lora = {{.file = file.string()}};
    const AdapterFindings findings = adapterFindings(makePlan(project, {.memoryBytes = plentyForFindings}));
    EXPECT_THAT(findings.notes, IsEmpty());
    ASSERT_EQ(findings.warnings.size(), 1U);
    EXPECT_EQ(findings.warnings[0].key, "lora");
    EXPECT_THAT(findings.warnings[0].message, HasSubstr("1 keys fit nothing"));
    EXPECT_THAT(findings.warnings[0].hint,
                AllOf(HasSubstr("Changes blocks.0.attn1.to_q.weight; fits nothing: "), HasSubstr("77")));
}

TEST(PlanFindings, AdaptersThatFitAreNotes) {
    Project project = testing::smallProject();
    project.preset = "distill-4";
    const AdapterFindings findings = adapterFindings(makePlan(project, {.memoryBytes = plentyForFindings}));
    EXPECT_THAT(findings.warnings, IsEmpty());
    ASSERT_EQ(findings.notes.size(), 1U);
    EXPECT_EQ(findings.notes[0].key, "preset");
    EXPECT_THAT(findings.notes[0].message, HasSubstr("every key fits"));
    EXPECT_THAT(findings.notes[0].detail, AllOf(HasSubstr("Changes "), Not(HasSubstr("fits nothing"))));
}

}  // namespace
}  // namespace meshreel
