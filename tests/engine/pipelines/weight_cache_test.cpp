// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "engine/kernels/linear/linear_candidates.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "engine/weights/cache/packed_weights.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

class WeightCacheTest : public ::testing::Test {
  protected:
    Tensor latentsOf(const Project& project, const Caches* kept) {
        return latentsOf(*makePlan(project, {.workers = 2}), kept);
    }

    Tensor latentsOf(const RunPlan& plan, const Caches* kept) {
        DeviceMesh mesh(meshOptions(plan));
        return generate({mesh, {}, nullptr, kept}, plan, {},
                        [this](const RunEvent& event) {
                            handle(event, [this](const RunMessage& message) {
                                if (message.level == MessageLevel::Warning)
                                    warnings.push_back(message.text);
                            });
                        })
            .latents;
    }

    static Project projectIn(const std::string& type) {
        Project project = testing::smallProject();
        project.numInferenceSteps = 1;
        project.weightsDtype = project.activationsDtype = type;
        return project;
    }

    static bool equal(const Tensor& a, const Tensor& b) {
        return std::ranges::equal(a.data<float>(), b.data<float>());
    }

    testing::TemporaryFolder temporary;
    Caches caches{.prompts = CacheFolder(temporary / "prompts", ".safetensors", 1 << 20),
                  .weights = CacheFolder(temporary / "weights", ".packed", 1 << 30),
                  .previews = CacheFolder(temporary / "previews", ".safetensors", 1 << 20)};
    std::vector<std::string> warnings;
};

TEST_F(WeightCacheTest, PackedWeightsAreTheSameBitsFromTheFile) {
    const Project project = projectIn("float32");
    const Tensor without = latentsOf(project, nullptr);
    EXPECT_TRUE(equal(latentsOf(project, &caches), without));
    ASSERT_EQ(caches.weights.entries().size(), 1U);
    const auto made = std::filesystem::last_write_time(caches.weights.entries()[0].file);
    EXPECT_TRUE(equal(latentsOf(project, &caches), without));
    EXPECT_EQ(caches.weights.entries().size(), 1U);
    EXPECT_EQ(std::filesystem::last_write_time(caches.weights.entries()[0].file), made);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(WeightCacheTest, LayersThatDoNotStayInMemoryAreMapped) {
    const PlanPtr held = makePlan(projectIn("bfloat16"), {.workers = 2});
    RunTask task = *held;
    task.precision.transformer.weights = Arithmetic::Int8;
    const PlanPtr plan = withPlacement(task, placedAs(task, held->placement.withResidentLayers(3)));
    const Tensor without = latentsOf(*plan, nullptr);
    EXPECT_TRUE(equal(latentsOf(*plan, &caches), without));
    ASSERT_EQ(caches.weights.entries().size(), 1U);
    const std::size_t packed = PackedWeightsFile::open(caches.weights.entries()[0].file)->tensors();
    EXPECT_TRUE(equal(latentsOf(*plan, &caches), without));
    // A run without a budget finds the whole of it.
    const PlanPtr whole = withPlacement(task, placedAs(task, held->placement));
    EXPECT_TRUE(equal(latentsOf(*whole, &caches), without));
    ASSERT_EQ(caches.weights.entries().size(), 1U);
    EXPECT_EQ(PackedWeightsFile::open(caches.weights.entries()[0].file)->tensors(), packed);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(WeightCacheTest, DamageIsToldAndMended) {
    const Project project = projectIn("float32");
    const Tensor first = latentsOf(project, &caches);
    ASSERT_EQ(caches.weights.entries().size(), 1U);
    const std::filesystem::path file = caches.weights.entries()[0].file;
    {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file) / 2));
        const std::string damage(2 * packedDataAlignment, '!');  // over the beginning of some tensor
        stream.write(damage.data(), static_cast<std::streamsize>(damage.size()));
    }
    EXPECT_TRUE(equal(latentsOf(project, &caches), first));
    EXPECT_THAT(warnings, ::testing::Contains(HasSubstr("damaged")));
    EXPECT_TRUE(equal(latentsOf(project, &caches), first));
    ASSERT_EQ(caches.weights.entries().size(), 1U);
    EXPECT_NO_THROW(PackedWeightsFile::open(file)->verify());
}

TEST_F(WeightCacheTest, WeightsThatAreUsedWhereTheyAreMappedAreNotCopied) {
    if (!linearCandidate(Arithmetic::BF16).sharesWeight)
        GTEST_SKIP() << "bf16 weights are laid out anew for this CPU";
    static_cast<void>(latentsOf(projectIn("bfloat16"), &caches));
    EXPECT_TRUE(caches.weights.entries().empty()) << "the embedded model is stored as bf16";
}

}  // namespace
}  // namespace meshreel
