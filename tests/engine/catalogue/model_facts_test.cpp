// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/model_offers.h"
#include "engine/catalogue/offered_model.h"
#include "engine/planning/run_plan.h"
#include "engine/project/presets.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

constexpr const char* released = "Wan-AI/Wan2.1-T2V-1.3B-Diffusers";

ProjectModel modelNamed(const std::string& name) {
    Project project = testing::smallProject();
    project.model = name;
    return readProjectModel(project);
}

TEST(ProjectModel, ThatIsHereIsRead) {
    const ProjectModel model = readProjectModel(testing::smallProject());
    ASSERT_TRUE(model.facts);
    EXPECT_TRUE(model.onDisk);
    EXPECT_FALSE(model.refused);
    EXPECT_FALSE(model.isReleased());
}

TEST(ProjectModel, ThatIsNotHereIsKnownByItsRelease) {
    const ProjectModel model = modelNamed(released);
    ASSERT_TRUE(model.isReleased());
    EXPECT_FALSE(model.onDisk);
    EXPECT_EQ(model.facts->transformer.layers, 30);
    EXPECT_NE(model.refused->hint().text().find(downloadCommand(released)), std::string::npos);
}

TEST(ProjectModel, OfADownloadIsKnownBeforeIt) {
    for (const ModelOffer& offer : modelOffers()) {
        SCOPED_TRACE(offer.id);
        const ProjectModel model = modelNamed(offer.id);
        ASSERT_EQ(model.isReleased(), offer.kind == OfferKind::Model);
        if (model.isReleased()) {
            EXPECT_EQ(model.facts->family, offeredModelFacts(offer)->family);
            EXPECT_NE(model.refused->hint().text().find("meshreel get " + offer.id), std::string::npos);
        }
    }
}

TEST(ProjectModel, ThatIsDamagedIsKnownByItsReleaseToo) {
    const testing::TemporaryFolder models;
    const std::filesystem::path folder = models / "Wan-AI" / "Wan2.1-T2V-1.3B-Diffusers";
    std::filesystem::create_directories(folder);
    writeFileAtomically(folder / "model_index.json", "{}");
    setenv("MESHREEL_MODELS", models.path().c_str(), 1);
    const ProjectModel model = modelNamed(released);
    unsetenv("MESHREEL_MODELS");
    EXPECT_TRUE(model.isReleased());
    EXPECT_TRUE(model.onDisk);
}

TEST(ProjectModel, OfWhichNothingIsKnownHasNoFacts) {
    const ProjectModel model = modelNamed("Somebody/Else");
    EXPECT_FALSE(model.facts);
    EXPECT_TRUE(model.refused);
    EXPECT_FALSE(model.isReleased());
}

constexpr std::uint64_t plenty = std::uint64_t{1} << 50;
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

std::string familyOf(const char* name) {
    const std::optional<ModelFacts> facts = releasedModelFacts(name);
    return facts ? std::string(facts->family->name) : std::string();
}

TEST(ReleasedModel, IsKnownByItsHuggingFaceIdOrName) {
    EXPECT_EQ(familyOf("Wan-AI/Wan2.1-T2V-1.3B-Diffusers"), "wan2.1-t2v");
    EXPECT_EQ(familyOf("Wan-AI/Wan2.1-FLF2V-14B-720P-diffusers"), "wan2.1-flf2v");
    EXPECT_EQ(familyOf("lightx2v/Wan2.1-T2V-14B-StepDistill-CfgDistill-Diffusers"), "wan2.1-t2v");
    EXPECT_EQ(familyOf("wan2.2-ti2v-5b"), "wan2.2-ti2v");
    for (const char* name : {"", "tiny-wan-t2v", "Wan-AI/Wan2.1-T2V-14", "Wan-AI/Wan2.1-T2V-14Bx", "umt5-xxl",
                             "/models/wan2.1-t2v-14b", "~/wan2.1-t2v-14b"})
        EXPECT_EQ(familyOf(name), "") << name;
}

TEST(ReleasedModel, HasTheShapesThatWerePublished) {
    const ModelFacts small = releasedModelFacts("Wan-AI/Wan2.1-T2V-1.3B-Diffusers").value();
    EXPECT_EQ(small.transformerWeights.parameters, 1'418'996'800U);
    EXPECT_EQ(small.transformer.heads, 12);
    ASSERT_TRUE(small.transformerLayers);
    EXPECT_EQ(small.experts(), 1);
    // umt5-xxl: a layer of it is in memory at a time, and no more.
    EXPECT_LT(small.textEncoderWeights.memory, small.textEncoderWeights.parameters * sizeof(float) / 20);
    EXPECT_GT(small.textEncoderWeights.memory, small.textEncoderWeights.parameters * sizeof(float) / 40);

    const ModelFacts two = releasedModelFacts("Wan-AI/Wan2.2-I2V-A14B-Diffusers").value();
    EXPECT_EQ(two.experts(), 2);
    EXPECT_EQ(two.boundaryRatio, 0.9);
    EXPECT_FALSE(two.imageEncoder);
    const ModelFacts image = releasedModelFacts("Wan-AI/Wan2.1-I2V-14B-720P-Diffusers").value();
    EXPECT_EQ(image.imageEncoder.value().hiddenSize, image.transformer.imageDim);
    const ModelFacts dense = releasedModelFacts("Wan-AI/Wan2.2-TI2V-5B-Diffusers").value();
    EXPECT_EQ(dense.vae.zDim, 48);
    EXPECT_TRUE(dense.tokenTimesteps());
}

TEST(ReleasedModel, EveryShippedProjectCanBePlannedBeforeItsModelIsThere) {
    int planned = 0;
    for (const PresetProject& preset : presetProjects(presetFolder())) {
        Project project = loadProject(preset.file).project;
        if (project.prompt.empty())
            project.prompt = "-";
        const auto facts = releasedModelFacts(project.model);
        ASSERT_TRUE(facts) << preset.file;
        try {
            const PlanPtr plan = makePlan(
                project, {.memoryBytes = plenty, .model = std::make_shared<const ModelFacts>(*facts)});
            EXPECT_GT(plan->tokens, 0) << preset.file;
            EXPECT_GT(plan->memory.peak(), gibibyte) << preset.file;
            EXPECT_TRUE(plan->modelFolder.empty());
            ++planned;
        } catch (const ProjectError& refused) {
            for (const Problem& problem : refused.problems())
                if (problem.severity == Severity::Error &&
                    problem.key != "task")  // its inputs are the user's
                    ADD_FAILURE() << preset.file << ": " << problem.text();
        }
    }
    EXPECT_GE(planned, 30);
}

}  // namespace

}  // namespace meshreel
