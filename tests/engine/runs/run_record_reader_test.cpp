// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_record_reader.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "engine/attention/block_sizes.h"
#include "engine/base/files.h"
#include "tests/support/made_run.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

const nlohmann::json environment = {{"isa", "avx2"}, {"mesh", {{"context", 2}, {"fsdp", 1}}}, {"ranks", 1}};

RunSettings changed(const std::function<void(Project&)>& change) {
    Project project;
    change(project);
    return collectRunSettings(project, environment);
}

const RunSettings usual = changed([](Project&) {});

TEST(RunSettings, WhatChangesTheTaskOfAStepIsInTheTask) {
    EXPECT_NE(changed([](Project& p) { p.guidanceScale = 1; }).task, usual.task);
    EXPECT_NE(changed([](Project& p) { p.guidanceScaleHigh = 1; }).task, usual.task);
    EXPECT_NE(changed([](Project& p) { p.batchSeeds = "1,2,3,4"; }).task, usual.task);
    EXPECT_NE(changed([](Project& p) { p.model = "wan2.1-t2v-1.3b"; }).task, usual.task);
    EXPECT_NE(changed([](Project& p) { p.image = "start.png"; }).task, usual.task);
    EXPECT_NE(changed([](Project& p) { p.referenceImages = "a.png, b.png"; }).task,
              changed([](Project& p) { p.referenceImages = "a.png"; }).task);
    EXPECT_NE(changed([](Project& p) { p.tracks = "tracks.json"; }).task, usual.task);
    EXPECT_EQ(changed([](Project& p) { p.guidanceScaleImage = 1; }).task, usual.task) << "without pictures";
    EXPECT_NE(changed([](Project& p) {
                  p.referenceImages = "a.png";
                  p.guidanceScaleImage = 1;
              }).task,
              changed([](Project& p) { p.referenceImages = "a.png"; }).task);
}

TEST(RunSettings, TheWayOfComputingIsInTheMeans) {
    for (const auto& change : std::vector<std::function<void(Project&)>>{
             [](Project& p) { p.weightsDtype = "bfloat16"; }, [](Project& p) { p.useMagcache = true; },
             [](Project& p) { p.memoryBudget = 2; }}) {
        const RunSettings settings = changed(change);
        EXPECT_NE(settings.means, usual.means);
        EXPECT_EQ(settings.task, usual.task);
    }
    nlohmann::json elsewhere = environment;
    elsewhere["isa"] = "avx512";
    EXPECT_NE(collectRunSettings(Project(), elsewhere).means, usual.means);
}

TEST(RunSettings, MeshAndAttentionStandByThemselves) {
    nlohmann::json elsewhere = environment;
    elsewhere["mesh"]["fsdp"] = 2;
    const RunSettings ofOtherMesh = collectRunSettings(Project(), elsewhere);
    EXPECT_NE(ofOtherMesh.mesh, usual.mesh);
    EXPECT_EQ(ofOtherMesh.means, usual.means);
    EXPECT_NE(changed([](Project& p) { p.blockKvCompute = 128; }).attention, usual.attention);
}

TEST(RunSettings, WhatChangesNoWorkIsNowhere) {
    const RunSettings other = changed([](Project& p) {
        p.seed = 7;
        p.prompt = "a boat";
        p.guidanceScale = 5;
        p.name = "again";
        p.numInferenceSteps = 8;
        p.vaeDtype = "bfloat16";
        p.magcacheK = 4;
    });
    EXPECT_EQ(other, usual);
    EXPECT_EQ(changed([](Project& p) { p.batchSeeds = "5"; }), usual) << "one video as well";
    EXPECT_EQ(changed([](Project& p) { p.image = "a.png"; }), changed([](Project& p) { p.image = "b.png"; }));
}

TEST(RunSettings, ARunWithoutAnEnvironmentSaysNothingOfIt) {
    const RunSettings settings = collectRunSettings(Project(), nlohmann::json::object());
    EXPECT_TRUE(settings.mesh.empty());
    EXPECT_EQ(settings.task, usual.task);
}

/// The record of a made run whose environment.json is this.
RunRecord recordWith(const nlohmann::json& environment) {
    const testing::TemporaryFolder folder;
    testing::makeRun(folder / "run", 0);
    writeFileAtomically(folder / "run" / run_file::environment, environment.dump());
    return readRunRecord(folder / "run");
}

TEST(RunRecordReader, ReadsWhatThePlanDecided) {
    const RunRecord record =
        recordWith({{"attention", {{"block_q", 96}, {"block_kv", 48}, {"ring", 2}, {"ulysses", 4}}},
                    {"mesh", {{"context", 8}}}});
    EXPECT_EQ(record.blockQ, 96);
    EXPECT_EQ(record.blockKv, 48);
    EXPECT_EQ(record.ring, 2);
    EXPECT_EQ(record.ulysses, 4);
}

TEST(RunRecordReader, WorksOutWhatAnOlderRunDidNotRecord) {
    const RunRecord record = recordWith({{"mesh", {{"context", 4}}}});
    EXPECT_EQ(record.ring * record.ulysses, 4);
    EXPECT_EQ(record.blockQ, resolveFlashBlocks({}).blockQ);
}

}  // namespace
}  // namespace meshreel
