// SPDX-License-Identifier: GPL-3.0-or-later
// Runs whose VAE is a small decoder (TAEHV), and runs that it makes the previews of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "engine/base/error.h"
#include "engine/checks/project_check.h"
#include "engine/estimates/run_work.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

using ::testing::Contains;
using ::testing::Field;

std::string smallDecoder() {
    return (testing::testData() / "golden" / "taehv" / "weights.safetensors").string();
}

/// A run with previews.
struct PreviewedRun {
    GenerationResult result;
    std::vector<Tensor> previews;
};

PreviewedRun runWithPreviews(const Project& project, int devices = 1) {
    PlanOptions options;
    options.devices = devices;
    options.workers = 1;
    const PlanPtr plan = makePlan(project, options);
    DeviceMesh mesh(meshOptions(*plan));
    PreviewedRun run;
    const EventSink keep = [&run](const RunEvent& event) {
        if (const auto* preview = std::get_if<Preview>(&event))
            run.previews.push_back(preview->frames.clone());
    };
    run.result = generate({mesh, {}}, *plan, {.previews = Previews::Yes}, keep);
    return run;
}

bool sameBytes(const Tensor& one, const Tensor& other) {
    return one.shape() == other.shape() &&
           std::ranges::equal(one.data<std::uint8_t>(), other.data<std::uint8_t>());
}

/// In levels of 255.
int levelsApart(const Tensor& one, const Tensor& other) {
    int largest = 0;
    for (std::int64_t i = 0; i < one.elements(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        largest = std::max(largest, std::abs(one.data<std::uint8_t>()[at] - other.data<std::uint8_t>()[at]));
    }
    return largest;
}

TEST(TinyDecoder, TakesThePlaceOfTheVae) {
    Project project = testing::smallProject();
    const PreviewedRun own = runWithPreviews(project);
    project.vaeFile = smallDecoder();
    const PreviewedRun small = runWithPreviews(project);
    EXPECT_EQ(small.result.frames.shape(), own.result.frames.shape());
    EXPECT_FALSE(sameBytes(small.result.frames, own.result.frames));
    EXPECT_TRUE(std::ranges::equal(small.result.latents.data<float>(), own.result.latents.data<float>()));
    ASSERT_EQ(small.previews.size(), 4U);
    EXPECT_EQ(small.previews.front().shape(), (Shape{2, 16, 16, 3}))
        << "four pixels a latent, one frame each";
    // Two devices add in another order, which may round a pixel otherwise.
    EXPECT_LE(levelsApart(runWithPreviews(project, 2).result.frames, small.result.frames), 1);
}

TEST(TinyDecoder, PreviewsAreInThePlansMemoryAndTime) {
    Project project = testing::smallProject();
    const PlanPtr without = makePlan(project);
    project.previewFile = smallDecoder();
    const PlanPtr with = makePlan(project);
    const auto layersOf = [](const RunPlan& plan) {
        return measureWork(plan)[RunStage::Denoising][WorkClass::VaeLayers];
    };
    EXPECT_EQ(layersOf(*without), 0);
    EXPECT_GT(layersOf(*with), 0);
    project.numInferenceSteps *= 2;
    EXPECT_DOUBLE_EQ(layersOf(*makePlan(project)), 2 * layersOf(*with));
    const std::uintmax_t weights = std::filesystem::file_size(smallDecoder());
    EXPECT_GE(with->memory.denoising.packed, without->memory.denoising.packed + weights / 2);
    EXPECT_GT(with->memory.denoising.activations, without->memory.denoising.activations);
}

TEST(TinyDecoder, MakesThePreviewsAlone) {
    Project project = testing::smallProject();
    const PreviewedRun own = runWithPreviews(project);
    project.previewFile = smallDecoder();
    const PreviewedRun previewed = runWithPreviews(project);
    EXPECT_TRUE(sameBytes(previewed.result.frames, own.result.frames)) << "the VAE decodes";
    ASSERT_EQ(previewed.previews.size(), own.previews.size());
    EXPECT_EQ(previewed.previews.front().shape(), (Shape{2, 16, 16, 3}));
    EXPECT_FALSE(sameBytes(previewed.previews.front(), own.previews.front()));
    project.vaeFile = smallDecoder();
    EXPECT_TRUE(sameBytes(runWithPreviews(project).previews.back(), previewed.previews.back()));
}

TEST(TinyDecoder, ThatDoesNotFitIsRefused) {
    Project project = testing::smallProject();
    const auto refusal = [&] {
        return testing::refusalOf(ErrorKind::Input, [&] { static_cast<void>(makePlan(project, {})); });
    };
    project.previewFile = (testing::testData() / "golden" / "taehv_22" / "weights.safetensors").string();
    const testing::Refusal wide = refusal();
    EXPECT_THAT(wide, testing::Names("12", "16"));
    project.previewFile =
        (testing::sourceFolder() / "resources/models/tiny-wan-t2v/vae/diffusion_pytorch_model.safetensors")
            .string();
    testing::expectFaults({{"other latents", wide}, {"no small decoder", refusal()}});
}

TEST(TinyDecoder, EncodesNothing) {
    const testing::TemporaryFolder folder;
    testing::makeTinyModel(folder / "model", testing::tinyModelOf("wan2.2-i2v-one"));
    Project project = testing::smallProject();
    project.model = (folder / "model").string();
    project.vaeFile = smallDecoder();
    project.image = (folder / "first.png").string();
    EXPECT_THAT(problemsOnInstalledModel(project), Contains(Field(&Problem::key, "parts.vae")));
}

}  // namespace
}  // namespace meshreel
