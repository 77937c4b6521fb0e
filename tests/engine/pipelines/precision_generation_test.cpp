// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/pipelines/generation.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

constexpr double allowedPsnr = 35;  // dB

GenerationResult generated(const Project& project) {
    PlanOptions options;
    options.workers = 2;
    const PlanPtr plan = makePlan(project, options);
    DeviceMesh mesh(meshOptions(*plan));
    return generate({mesh, StopToken()}, *plan, {}, ignoreEvent);
}

/// Peak signal-to-noise ratio of u8 frames, in dB.
double psnr(const Tensor& found, const Tensor& expected) {
    EXPECT_EQ(found.shape(), expected.shape());
    constexpr double peak = 255;
    const auto a = found.data<std::uint8_t>();
    const auto b = expected.data<std::uint8_t>();
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        squares += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    return 10 * std::log10(peak * peak * static_cast<double>(a.size()) /
                           std::max(squares, std::numeric_limits<double>::min()));
}

/// What the demo makes, in fewer steps.
Project demoProject() {
    Project project;
    project.prompt = "a big yellow star growing on a navy background";
    project.seed = 1;
    project.numInferenceSteps = 12;
    return project;
}

TEST(PrecisionGeneration, Bf16VideosAreThoseOfF32) {
    Project project = demoProject();
    const GenerationResult single = generated(project);
    project.weightsDtype = "bfloat16";
    project.activationsDtype = "bfloat16";
    project.textEncoderDtype = "bfloat16";
    project.vaeDtype = "bfloat16";
    project.vaeWeightsDtype = "bfloat16";
    const GenerationResult half = generated(project);
    const double found = psnr(half.frames, single.frames);
    RecordProperty("psnr", std::to_string(found));
    EXPECT_GE(found, allowedPsnr);
    EXPECT_FALSE(std::ranges::equal(half.latents.data<float>(), single.latents.data<float>()));
}

TEST(PrecisionGeneration, Bf16OnAMeshIsBf16OnOneDevice) {
    Project project = demoProject();
    project.numInferenceSteps = 4;
    project.weightsDtype = "bfloat16";
    project.activationsDtype = "bfloat16";
    const GenerationResult one = generated(project);
    for (const int axis : {0, 1, 2, 3}) {
        Project onMesh = project;
        (axis == 0   ? onMesh.iciDataParallelism
         : axis == 1 ? onMesh.iciFsdpParallelism
         : axis == 2 ? onMesh.iciContextParallelism
                     : onMesh.iciTensorParallelism) = 2;
        onMesh.devices = 2;
        EXPECT_GE(psnr(generated(onMesh).frames, one.frames), allowedPsnr) << "axis " << axis;
    }
}

TEST(PrecisionGeneration, TheSchedulerRoundsToItsType) {
    Project project = testing::smallProject();
    project.numInferenceSteps = 2;
    project.schedulerDtype = "bfloat16";
    const Tensor latents = generated(project).latents;
    for (const float value : latents.data<float>())
        ASSERT_EQ(value, toFloat(toBFloat16(value)));
}

TEST(PrecisionGeneration, Int8NeedsBf16Activations) {
    Project project = testing::smallProject();
    project.weightsDtype = "int8";
    EXPECT_THROW(makePlan(project), Error);
}

}  // namespace
}  // namespace meshreel
