// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/checkpoint_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/catalogue/model_facts.h"
#include "engine/weights/checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CheckpointMaker : public ::testing::Test {
  protected:
    MadeCheckpoint make(const CheckpointOrder& order, const std::string& name) {
        return makeCheckpoint({m_workers, {}}, order, folder / name);
    }
    MadeCheckpoint makeWhole(const CheckpointOrder& order, const std::vector<std::string>& parts,
                             const std::string& name) {
        return makeModel({m_workers, {}}, order, parts, folder / name);
    }
    static std::string refusal(const std::function<void()>& call, ErrorKind kind = ErrorKind::Project) {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), kind);
            return error.what();
        }
        return "no error";
    }

    const testing::TemporaryFolder folder;
    const Architecture* clip = &requireArchitecture("clip-vit-h");
    const Architecture* t2v = &requireArchitecture("wan2.1-t2v-1.3b");

  private:
    WorkerPool m_workers{{.workers = 2}};
};

TEST_F(CheckpointMaker, RandomWeightsAreReadBackAndRepeatWithTheirSeed) {
    const MadeCheckpoint made = make({.architecture = clip, .layers = 1}, "a");
    EXPECT_EQ(made.files, 1U);
    const Checkpoint checkpoint = Checkpoint::open(folder / "a");
    EXPECT_EQ(checkpoint.names().size(), made.tensors);
    EXPECT_EQ(checkpoint.bytes(), made.bytes);
    const Tensor projection = checkpoint.get("visual_projection.weight", {1024, 1280});
    EXPECT_EQ(projection.dtype(), DType::F16);
    EXPECT_NE(toFloat(projection.data<Half>()[5]), 0.0F);
    EXPECT_EQ(readJsonObject(folder / "a" / "config.json").at("num_hidden_layers"), 1);

    make({.architecture = clip, .layers = 1}, "b");
    make({.architecture = clip, .layers = 1, .seed = 1}, "c");
    const auto weights = [this](const char* name) {
        std::ifstream file(folder / name / "model.safetensors", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_TRUE(weights("a") == weights("b"));
    EXPECT_FALSE(weights("a") == weights("c"));
}

TEST_F(CheckpointMaker, LargeOnesAreShardedWithAnIndex) {
    const MadeCheckpoint made =
        make({.architecture = &requireArchitecture("umt5-xxl"), .dtype = DType::F32, .sparse = true}, "umt5");
    EXPECT_EQ(made.files, 5U);
    const nlohmann::json index = readJsonObject(folder / "umt5" / "model.safetensors.index.json");
    EXPECT_EQ(index.at("metadata").at("total_size"), made.bytes);
    EXPECT_EQ(index.at("weight_map").size(), made.tensors);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "umt5"))
        EXPECT_LE(entry.file_size(), 5'001'000'000U) << entry.path();
    const Checkpoint checkpoint = Checkpoint::open(folder / "umt5");
    EXPECT_EQ(checkpoint.names().size(), made.tensors);
    EXPECT_EQ(checkpoint.bytes(), made.bytes);
}

TEST_F(CheckpointMaker, AWholeModelIsOneThatPlansRead) {
    makeWhole({.architecture = t2v, .sparse = true}, {"transformer", "vae", "text_encoder"}, "model");
    const ModelFacts facts = readModelFacts(folder / "model");
    EXPECT_EQ(facts.transformer.layers, 30);
    EXPECT_EQ(facts.transformerWeights.parameters, 1418996800U);
    EXPECT_EQ(facts.textEncoderWeights.parameters, 5680910336U);
    EXPECT_EQ(facts.vaeWeights.parameters, 126892531U);
}

TEST_F(CheckpointMaker, PartsThatAreLeftOutAreNamedAsAbsent) {
    makeWhole({.architecture = t2v, .layers = 1, .sparse = true}, {"transformer"}, "model");
    const nlohmann::json index = readJsonObject(folder / "model" / "model_index.json");
    EXPECT_EQ(index.at("transformer").at(1), "WanTransformer3DModel");
    EXPECT_TRUE(index.at("vae").at(1).is_null());
    EXPECT_FALSE(fs::exists(folder / "model" / "vae"));
}

TEST_F(CheckpointMaker, NothingIsOverwritten) {
    fs::create_directory(folder / "full");
    std::ofstream(folder / "full" / "note") << "mine";
    EXPECT_THAT(refusal([&] { make({.architecture = clip, .sparse = true}, "full"); }),
                HasSubstr("there already"));
    EXPECT_EQ(readFile(folder / "full" / "note"), "mine");
    fs::create_directory(folder / "empty");
    EXPECT_EQ(make({.architecture = clip, .sparse = true}, "empty").tensors, 520U);
}

TEST_F(CheckpointMaker, WhatCannotBeMadeIsRefusedAndLeavesNothing) {
    const Architecture* i2v = &requireArchitecture("wan2.1-i2v-14b");
    EXPECT_THAT(refusal([&] { makeWhole({.architecture = i2v, .sparse = true}, {"transformer"}, "x"); }),
                HasSubstr("--parts"));
    EXPECT_THAT(refusal([&] { makeWhole({.architecture = t2v, .sparse = true}, {"brain"}, "x"); }),
                HasSubstr("text_encoder"));
    EXPECT_THAT(refusal([&] { make({.architecture = clip, .layers = 33, .sparse = true}, "x"); }),
                HasSubstr("1 to 32"));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(CheckpointMaker, AStopLeavesNothing) {
    WorkerPool workers({.workers = 1});
    StopSource stop;
    stop.request_stop();
    EXPECT_THROW(
        makeCheckpoint({workers, stop.get_token()}, {.architecture = clip, .layers = 1}, folder / "x"),
        Error);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace meshreel
