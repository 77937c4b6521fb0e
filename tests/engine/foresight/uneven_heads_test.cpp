// SPDX-License-Identifier: GPL-3.0-or-later
// Heads that the devices which exchange them do not divide, on hardware that is not here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/foresight/accelerator_case.h"
#include "engine/foresight/foresight_check.h"
#include "engine/foresight/foresight_model.h"
#include "engine/foresight/foresight_text.h"
#include "engine/foresight/mesh_foresight.h"
#include "published_v7x.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

const Foresight& publishedForesight() {
    static const Foresight foresight = readForesight();
    return foresight;
}

/// Wan 2.2 A14B (40 heads) at 720p on a GPU, run by this program.
AcceleratorCase caseOfProgram(std::string_view program) {
    AcceleratorCase of =
        statedCase(testing::v7xStep({.data = 1, .ulysses = 8}), publishedForesight().profiles).found.value();
    of.hardware = *std::ranges::find_if(publishedForesight().profiles,
                                        [](const Hardware& profile) { return profile->id == "h100"; });
    of.program = &requireProgram(program);
    of.kernel = &kernelFor(*of.hardware, *of.program, AttentionKernel::Flash);
    of.blockQ = of.blockKv = 0;
    return of;
}

AcceleratorCase splitInto(AcceleratorCase of, int ulysses, int ring = 1) {
    of.mesh = {.ring = ring, .ulysses = ulysses};
    return of;
}

TEST(UnevenForesight, CountsTheDeviceWithMostHeads) {
    const AcceleratorCase of = caseOfProgram("other");
    EXPECT_EQ(mostHeads(splitInto(of, 3)), 14);
    EXPECT_NEAR(headEfficiency(splitInto(of, 3)), 40.0 / 42, 1e-12);
    EXPECT_EQ(mostHeads(splitInto(of, 8)), 5);
    EXPECT_EQ(headEfficiency(splitInto(of, 8)), 1);
    EXPECT_NEAR(headEfficiency(splitInto(of, 16)), 40.0 / 48, 1e-12);

    const EfficiencyValues values;
    const StepCauses uneven = foreseeSeconds(splitInto(of, 3), values).step;
    const StepCauses ring = foreseeSeconds(splitInto(of, 1, 3), values).step;
    EXPECT_NEAR(uneven.attention / ring.attention, 42.0 / 40, 1e-9) << "a ring shares out the tokens";
    EXPECT_EQ(uneven.matrix, ring.matrix) << "linear layers are of tokens";
    const double memory = foreseeMemory(splitInto(of, 3)).exchange;
    EXPECT_NEAR(memory / foreseeMemory(splitInto(of, 1, 3)).exchange, 42.0 / 40 / 2, 1e-9);
}

TEST(UnevenForesight, ExchangesTheHeadsOfTheDeviceWithMost) {
    AcceleratorCase of = caseOfProgram("other");
    // With as many heads as fill twelve devices evenly, the bytes of a device are those of 4 of 48 heads.
    auto model = std::make_shared<ModelFacts>(*of.model);
    const StepCauses uneven = foreseeSeconds(splitInto(of, 12), EfficiencyValues()).step;
    model->transformer.heads = 48;
    of.model = model;
    const StepCauses filled = foreseeSeconds(splitInto(of, 12), EfficiencyValues()).step;
    EXPECT_NEAR(uneven.exchange / filled.exchange, 1, 1e-9);
    EXPECT_NEAR(uneven.attention / filled.attention, 1, 1e-9);
}

TEST(UnevenForesight, FollowsWhatTheProgramDoes) {
    struct Case {
        std::string_view program;
        std::int64_t heads;
        int devices;
        bool exchanges;
    };
    for (const Case& test : {Case{"maxdiffusion", 40, 8, true}, Case{"maxdiffusion", 40, 3, false},
                             Case{"wan", 40, 6, false}, Case{"diffusers", 40, 3, true},
                             Case{"diffusers", 30, 16, false},  // the last one would have no head
                             Case{"vllm-omni", 40, 6, true}, Case{"other", 30, 16, true},
                             Case{"other", 12, 8, true}, Case{"other", 12, 16, false}})
        EXPECT_EQ(exchangesHeads(requireProgram(test.program), test.heads, test.devices), test.exchanges)
            << test.program << ", " << test.heads << " heads on " << test.devices;
}

TEST(UnevenForesight, IsRankedBesideTheOtherSplits) {
    const MeshForesight meshes = foreseeMeshes(caseOfProgram("other"), 6, publishedForesight());
    const auto found = [&](std::string_view label) {
        const auto mesh = std::ranges::find_if(
            meshes.meshes, [&](const ForeseenMesh& other) { return other.of.mesh.label() == label; });
        return mesh == meshes.meshes.end() ? nullptr : &*mesh;
    };
    for (const char* label : {"dp1-cp6-U6R1", "dp1-cp6-U3R2", "dp1-cp6-U2R3", "dp1-cp6-U1R6"})
        EXPECT_NE(found(label), nullptr) << label;
    const ForeseenMesh* const uneven = found("dp1-cp6-U6R1");
    ASSERT_NE(uneven, nullptr);
    EXPECT_THAT(adviceFor(*uneven), ::testing::Contains(testing::Names("40", "6", "7", "95")));
    EXPECT_THAT(
        describeMeshForesight(meshes, 6, caseOfProgram("other"), {.price = {}, .own = nullptr, .most = 100}),
        ::testing::HasSubstr("heads even to 95 %"));
    EXPECT_NEAR(foreseenMeshJson(*uneven).at("head_efficiency").get<double>(), 40.0 / 42, 1e-12);
}

TEST(UnevenForesight, RefusesWhatTheProgramDoesNotExchange) {
    const auto reasons = [](std::string_view program, int devices) {
        std::vector<std::vector<std::string>> found;
        const MeshForesight meshes = foreseeMeshes(caseOfProgram(program), devices, publishedForesight());
        for (const RefusedMesh& refused : meshes.refused)
            if (refused.what == "dp1-cp" + std::to_string(devices) + " ulysses")
                found.push_back(testing::valuesOf(refused.why));
        for (const ForeseenMesh& mesh : meshes.meshes)
            EXPECT_TRUE(exchangesHeads(*mesh.of.program, 40, mesh.of.mesh.ulysses * mesh.of.mesh.tensor))
                << mesh.of.mesh.label();
        return found;
    };
    EXPECT_THAT(reasons("wan", 3), ::testing::ElementsAre(::testing::ElementsAre("wan", "40", "3")));
    EXPECT_THAT(reasons("other", 3), ::testing::IsEmpty());
    EXPECT_THAT(reasons("other", 64), ::testing::ElementsAre(::testing::ElementsAre("40", "64")));
}

}  // namespace
}  // namespace meshreel
