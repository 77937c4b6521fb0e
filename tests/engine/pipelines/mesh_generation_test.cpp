// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/pipelines/generation.h"
#include "engine/project/project_keys.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

constexpr int mostDevices = 8;

/// Odd in every axis: 2 latent frames of 3 × 5 patches.
Project oddProject() {
    Project project = testing::smallProject();
    project.height = 48;
    project.width = 80;
    project.numInferenceSteps = 2;
    return project;
}

PlanPtr planOf(const Project& project) {
    PlanOptions options;
    options.workers = 1;
    options.memoryBytes = std::uint64_t{1} << 40;  // whatever else runs here
    return makePlan(project, options);
}

GenerationResult generateOn(const RunPlan& plan) {
    DeviceMesh mesh(meshOptions(plan));
    return generate({mesh, {}}, plan, {}, ignoreEvent);
}

int largestDifference(const Tensor& a, const Tensor& b) {
    EXPECT_EQ(a.shape(), b.shape());
    const auto left = a.data<std::uint8_t>();
    const auto right = b.data<std::uint8_t>();
    int largest = 0;
    for (std::size_t i = 0; i < left.size(); ++i)
        largest = std::max(largest, std::abs(int{left[i]} - int{right[i]}));
    return largest;
}

bool sameBits(const Tensor& a, const Tensor& b) {
    return std::ranges::equal(a.data<float>(), b.data<float>());
}

template <typename T, std::size_t N>
T drawn(std::mt19937& random, const std::array<T, N>& values) {
    return values[random() % N];
}

/// A mesh that need not be legal.
Project drawnProject(std::mt19937& random, Project project) {
    project.iciDataParallelism = drawn(random, std::array{1, 1, 2, 3});
    project.iciFsdpParallelism = drawn(random, std::array{1, 1, 2, 3});
    project.iciContextParallelism = drawn(random, std::array{1, 2, 3, 4, 6, 8});
    project.iciTensorParallelism = drawn(random, std::array{1, 1, 2, 4, 8});
    project.dcnContextParallelism = drawn(random, std::array{1, 1, 2});
    project.attention = std::string(attentionModes()[random() % attentionModes().size()].name);
    project.ulyssesShards = drawn(random, std::array{1, 2, 3, 4, 8});
    project.ulyssesAttentionChunks = drawn(random, std::array{1, 2, 3});
    project.vaeSpatial = drawn(random, std::array{-1, 1, 2, 3});
    project.replicateVae = random() % 2 == 0;
    project.useBase2Exp = random() % 2 == 0;
    return project;
}

std::string describe(const RunPlan& plan) {
    return plan.layout.shape().text() + ", " + plan.project.attention + ", ulysses_shards " +
           std::to_string(plan.project.ulyssesShards) + ", chunks " +
           std::to_string(plan.project.ulyssesAttentionChunks) + ", vae strips " +
           std::to_string(plan.placement.vaeStrips());
}

/// A legal plan of 2 to mostDevices devices.
PlanPtr drawnPlan(std::mt19937& random, const Project& project = oddProject()) {
    while (true) {
        try {
            const PlanPtr plan = planOf(drawnProject(random, project));
            if (plan->layout.devices() > 1 && plan->layout.devices() <= mostDevices)
                return plan;
        } catch (const Error& refused) {
            EXPECT_EQ(refused.kind(), ErrorKind::Project) << refused.what();
        }
    }
}

TEST(MeshGeneration, AnyLegalMeshMakesTheVideoOfOneDevice) {
    const GenerationResult one = generateOn(*planOf(oddProject()));
    constexpr unsigned meshes = 12;
    for (unsigned seed = 0; seed < meshes; ++seed) {
        std::mt19937 random(seed);
        const PlanPtr plan = drawnPlan(random);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(*plan));
        EXPECT_LE(largestDifference(generateOn(*plan).frames, one.frames), 1);
    }
}

TEST(MeshGeneration, AnyLegalMeshHearsATimedPromptAsOneDeviceDoes) {
    Project project = oddProject();
    project.prompt = "on black [0:50%] a red ball [50%:] a blue square";
    const GenerationResult one = generateOn(*planOf(project));
    constexpr unsigned meshes = 8;
    for (unsigned seed = 100; seed < 100 + meshes; ++seed) {
        std::mt19937 random(seed);
        const PlanPtr plan = drawnPlan(random, project);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(*plan));
        EXPECT_LE(largestDifference(generateOn(*plan).frames, one.frames), 1);
    }
}

TEST(MeshGeneration, LayoutsThatKeepEveryReductionsOrderGiveTheSameBits) {
    const GenerationResult one = generateOn(*planOf(oddProject()));
    const auto agrees = [&one](int data, int fsdp) {
        Project project = oddProject();
        project.iciDataParallelism = data;
        project.iciFsdpParallelism = fsdp;
        const GenerationResult other = generateOn(*planOf(project));
        // OpenBLAS for AVX2 gives a row other last bits when it is computed with other rows.
        return rowsOfProductsAreIndependent() ? sameBits(other.latents, one.latents)
                                              : largestDifference(other.frames, one.frames) <= 1;
    };
    EXPECT_TRUE(agrees(2, 1));
    EXPECT_TRUE(agrees(1, 2));
    EXPECT_TRUE(agrees(2, 2));
    EXPECT_TRUE(agrees(3, 1));
}

TEST(MeshGeneration, StepsAreToldOnceWhateverTheMesh) {
    Project project = oddProject();
    project.iciDataParallelism = 2;
    project.iciContextParallelism = 2;
    project.attention = "ulysses";
    const PlanPtr plan = planOf(project);
    DeviceMesh mesh(meshOptions(*plan));
    std::vector<StepRecord> records;
    std::vector<StepDeviceTimes> times;
    const auto count = [&](const RunEvent& event) {
        handle(
            event, [&](const StepRecord& record) { records.push_back(record); },
            [&](const StepDeviceTimes& told) {
                EXPECT_EQ(told.step, records.back().step);
                times.push_back(told);
            });
    };
    const GenerationResult result = generate({mesh, {}}, *plan, {}, count);
    EXPECT_EQ(records.size(), 2U);
    EXPECT_EQ(result.steps.size(), 2U);
    ASSERT_EQ(times.size(), 2U);
    for (std::size_t step = 0; step < times.size(); ++step) {
        const std::vector<DeviceTime>& devices = times[step].devices;
        ASSERT_EQ(devices.size(), 4U);
        EXPECT_NEAR(devices[0].seconds(), records[step].seconds, 1e-9);
        for (const DeviceTime& device : devices) {
            EXPECT_GT(device.computing, 0);
            EXPECT_GE(device.exchanging, 0);
            EXPECT_GE(device.waiting, 0);
            EXPECT_GT(device.bytesReceived, 0);
        }
    }
}

TEST(MeshGeneration, WhatIsDoneBetweenStepsIsNoTimeOfAnyDevice) {
    static constexpr std::chrono::seconds pause(1);
    Project project = oddProject();
    project.iciContextParallelism = 4;
    project.attention = "tokamax_ring";
    const PlanPtr plan = planOf(project);
    DeviceMesh mesh(meshOptions(*plan));
    std::vector<StepDeviceTimes> times;
    generate({mesh, {}}, *plan, {}, [&](const RunEvent& event) {
        handle(
            event, [](const RunCheckpoint&) { std::this_thread::sleep_for(pause); },
            [&](const StepDeviceTimes& told) { times.push_back(told); });
    });
    ASSERT_EQ(times.size(), 2U);
    for (const StepDeviceTimes& step : times)
        for (const DeviceTime& device : step.devices)
            EXPECT_LT(device.seconds(), std::chrono::duration<double>(pause).count());
}

TEST(MeshGeneration, ADeviceThatIsAloneOnlyComputes) {
    const PlanPtr plan = planOf(oddProject());
    DeviceMesh mesh(meshOptions(*plan));
    std::vector<StepDeviceTimes> times;
    generate({mesh, {}}, *plan, {}, [&](const RunEvent& event) {
        handle(event, [&](const StepDeviceTimes& told) { times.push_back(told); });
    });
    ASSERT_EQ(times.size(), 2U);
    for (const StepDeviceTimes& step : times) {
        ASSERT_EQ(step.devices.size(), 1U);
        EXPECT_GT(step.devices[0].computing, 0);
        EXPECT_EQ(step.devices[0].seconds(), step.devices[0].computing);
        EXPECT_EQ(step.devices[0].bytesReceived, 0);
    }
}

TEST(MeshGeneration, ASinkThatThrowsEndsAllDevices) {
    Project project = oddProject();
    project.iciContextParallelism = 4;
    project.attention = "tokamax_ring";
    const PlanPtr plan = planOf(project);
    DeviceMesh mesh(meshOptions(*plan));
    const auto refuse = [](const RunEvent& event) {
        if (std::holds_alternative<StepRecord>(event))
            throw Error(ErrorKind::Resources, "the disk is full");
    };
    try {
        generate({mesh, {}}, *plan, {}, refuse);
        FAIL() << "went on";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::Resources);
    }
}

}  // namespace
}  // namespace meshreel
