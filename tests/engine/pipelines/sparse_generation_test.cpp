// SPDX-License-Identifier: GPL-3.0-or-later
// Block-sparse attention in whole runs of the embedded model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/pipelines/generation.h"
#include "engine/timing/sparse_counts.h"
#include "tests/support/generated.h"
#include "tests/support/small_project.h"

namespace meshreel::sparse_generation_cases {
namespace {

using testing::generateOn;
using testing::GenerationRecorder;
using testing::rowValues;

/// Of 9 blocks of 64 tokens.
Project projectOf(const std::string& method) {
    Project project = testing::smallProject();
    project.width = 128;
    project.height = 128;
    project.numFrames = 33;
    project.numInferenceSteps = 4;
    project.sparseAttention = method;
    project.sparseMinTokens = 0;
    project.sparseStartPercent = 0;
    return project;
}

/// Relative L2 difference of the latents of two runs.
double differenceOf(const GenerationResult& found, const GenerationResult& exact) {
    const auto a = rowValues(found.latents);
    const auto b = rowValues(exact.latents);
    double difference = 0;
    double reference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
        reference += std::pow(static_cast<double>(b[i]), 2);
    }
    return std::sqrt(difference / reference);
}

TEST(SparseGeneration, LeavesBlocksOutAndSaysSo) {
    GenerationRecorder recorder;
    const GenerationResult dense = generateOn(projectOf("none"), 1, recorder);
    EXPECT_FALSE(dense.timings.sparse);
    for (const char* method : {"sol", "radial", "svg"}) {
        GenerationRecorder other;
        const GenerationResult sparse = generateOn(projectOf(method), 1, other);
        ASSERT_TRUE(sparse.timings.sparse) << method;
        EXPECT_LT(sparse.timings.sparse->keptShare(), 1) << method;
        EXPECT_TRUE(sparse.timings.sparse->error()) << method;
        EXPECT_NE(rowValues(sparse.latents), rowValues(dense.latents)) << method;
        EXPECT_LT(differenceOf(sparse, dense), 1) << method << " still makes a video";
    }
}

TEST(SparseGeneration, DenseLayersAndDenseStepsAreDense) {
    GenerationRecorder recorder;
    const GenerationResult dense = generateOn(projectOf("none"), 1, recorder);
    Project everyLayer = projectOf("sol");
    for (int layer = 0; layer < 40; ++layer)
        everyLayer.sparseDenseLayers += (layer == 0 ? "" : ",") + std::to_string(layer);
    GenerationRecorder ofLayers;
    EXPECT_EQ(rowValues(generateOn(everyLayer, 1, ofLayers).latents), rowValues(dense.latents));
    Project shortVideo = projectOf("sol");
    shortVideo.sparseMinTokens = 100000;
    GenerationRecorder ofShort;
    const GenerationResult result = generateOn(shortVideo, 1, ofShort);
    EXPECT_EQ(rowValues(result.latents), rowValues(dense.latents));
    EXPECT_FALSE(result.timings.sparse);
}

TEST(SparseGeneration, UlyssesMakesTheVideoOfOneDevice) {
    Project project = projectOf("sol");
    project.attention = "ulysses_custom";
    GenerationRecorder one;
    GenerationRecorder two;
    const GenerationResult alone = generateOn(project, 1, one);
    const GenerationResult onMesh = generateOn(project, 2, two);
    EXPECT_LT(differenceOf(onMesh, alone), 1e-3);
    EXPECT_NEAR(onMesh.timings.sparse.value().keptShare(), alone.timings.sparse.value().keptShare(), 0.01);
}

}  // namespace
}  // namespace meshreel::sparse_generation_cases
