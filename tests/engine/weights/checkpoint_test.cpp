// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Names;

constexpr const char* indexName = "diffusion_pytorch_model.safetensors.index.json";

void writeOne(const fs::path& file, const std::string& name, float value) {
    writeSafetensors(file, std::vector<NamedTensor>{{name, Tensor::from<float>(Shape{1}, {value})}});
}

void writeIndex(const fs::path& folder, const std::string& weightMap) {
    writeFileAtomically(folder / indexName,
                        R"({"metadata":{"total_size":8},"weight_map":)" + weightMap + "}");
}

testing::Refusal refusedOpening(const fs::path& path) {
    return testing::refusalOf(ErrorKind::Input, [&path] { static_cast<void>(Checkpoint::open(path)); });
}

TEST(Checkpoint, ASingleFileIsFoundByFolderOrByItself) {
    const testing::TemporaryFolder folder;
    writeOne(folder / "model.safetensors", "shared.weight", 3);
    for (const fs::path& path : {folder.path(), folder / "model.safetensors"}) {
        const Checkpoint checkpoint = Checkpoint::open(path);
        EXPECT_TRUE(checkpoint.has("shared.weight"));
        EXPECT_EQ(checkpoint.bytes(), 4U);
        EXPECT_EQ(checkpoint.get("shared.weight", Shape{1}).data<float>()[0], 3.0F);
    }
}

TEST(Checkpoint, ShardsAreOneCheckpoint) {
    const testing::TemporaryFolder folder;
    writeOne(folder / "part-1.safetensors", "a", 1);
    writeOne(folder / "part-2.safetensors", "b", 2);
    writeIndex(folder.path(), R"({"b":"part-2.safetensors","a":"part-1.safetensors"})");
    const Checkpoint checkpoint = Checkpoint::open(folder.path());
    EXPECT_THAT(checkpoint.names(), ElementsAre("a", "b"));
    EXPECT_EQ(checkpoint.get("a").data<float>()[0], 1.0F);
    EXPECT_EQ(checkpoint.get("b").data<float>()[0], 2.0F);
    EXPECT_EQ(checkpoint.bytes(), 8U);
}

TEST(Checkpoint, MissingShardsAreAllNamed) {
    const testing::TemporaryFolder folder;
    writeOne(folder / "part-1.safetensors", "a", 1);
    writeIndex(folder.path(),
               R"({"a":"part-1.safetensors","b":"part-2.safetensors","c":"part-3.safetensors"})");
    EXPECT_THAT(refusedOpening(folder.path()), Names("2", "3", "part-2.safetensors, part-3.safetensors"));
}

TEST(Checkpoint, AnIndexDoesNotLeadOutOfItsFolder) {
    const testing::TemporaryFolder folder;
    fs::create_directory(folder / "inner");
    writeOne(folder / "secret.safetensors", "a", 1);
    const std::string absolute = (folder / "secret.safetensors").string();
    for (const std::string& shard :
         {std::string("../secret.safetensors"), absolute, std::string("x\\\\y.safetensors"),
          std::string("/etc/passwd"), std::string("")}) {
        writeIndex(folder / "inner", R"({"a":")" + shard + R"("})");
        const testing::Refusal refused = refusedOpening(folder / "inner");
        EXPECT_THAT(refused, AllOf(At(HasSubstr(indexName)), At(HasSubstr("'a'")))) << shard;
        EXPECT_EQ(testing::valuesOf(refused).size(), 1U) << shard;
    }
}

TEST(Checkpoint, AnIndexAtOddsWithItsShardsIsRefused) {
    const testing::TemporaryFolder folder;
    writeOne(folder / "part-1.safetensors", "a", 1);
    writeIndex(folder.path(), R"({"a":"part-1.safetensors","b":"part-1.safetensors"})");
    const testing::Refusal odds = refusedOpening(folder.path());
    EXPECT_THAT(odds, AllOf(At(HasSubstr("tensor 'b'")), Names("part-1.safetensors")));
    writeIndex(folder.path(), "[]");
    const testing::Refusal none = refusedOpening(folder.path());
    EXPECT_THAT(none, At((folder / indexName).string()));
    testing::expectFaults({{"at odds", odds}, {"no map", none}});
}

TEST(Checkpoint, MissingWeightsAreExplained) {
    const testing::TemporaryFolder folder;
    const testing::Refusal absent = refusedOpening(folder / "absent");
    const testing::Refusal empty = refusedOpening(folder.path());
    EXPECT_THAT(empty, At(folder.path().string()));
    EXPECT_THAT(testing::valuesOf(empty).front(), HasSubstr("diffusion_pytorch_model.safetensors"));
    writeFileAtomically(folder / "pytorch_model.bin", "pickle");
    const testing::Refusal text = refusedOpening(folder.path());
    EXPECT_THAT(text, At((folder / "pytorch_model.bin").string()));
    fs::rename(folder / "pytorch_model.bin", folder / "weights.bin");
    writeFileAtomically(folder / "b.gguf", "GGUF");
    EXPECT_THAT(refusedOpening(folder.path()), Names("b.gguf, weights.bin"));
    const testing::Refusal truncated = refusedOpening(folder / "b.gguf");
    EXPECT_THAT(truncated, At((folder / "b.gguf").string()));
    testing::expectFaults(
        {{"absent", absent}, {"empty", empty}, {"no checkpoint", text}, {"truncated", truncated}});
}

TEST(Checkpoint, VariantsAreFoundWhereThereAreNoOthers) {
    const testing::TemporaryFolder folder;
    writeOne(folder / "part-1.bf16.safetensors", "a", 1);
    writeFileAtomically(folder / "model.safetensors.index.bf16.json",
                        R"({"weight_map": {"a": "part-1.bf16.safetensors"}})");
    EXPECT_THAT(Checkpoint::open(folder.path()).names(), ElementsAre("a"));
    writeOne(folder / "diffusion_pytorch_model.fp16.safetensors", "b", 1);
    EXPECT_THAT(Checkpoint::open(folder.path()).names(), ElementsAre("b"));
    writeOne(folder / "model.safetensors", "c", 1);
    EXPECT_THAT(Checkpoint::open(folder.path()).names(), ElementsAre("c"));
}

TEST(Checkpoint, MissingTensorsAndWrongShapesAreExplained) {
    const testing::TemporaryFolder folder;
    writeOne(folder / "model.safetensors", "encoder.block.0.weight", 1);
    const Checkpoint checkpoint = Checkpoint::open(folder.path());
    EXPECT_THAT(testing::refusalOf(ErrorKind::Input,
                                   [&] { static_cast<void>(checkpoint.get("encoder.block.1.weight")); }),
                AllOf(At(HasSubstr("tensor 'encoder.block.1.weight'")), Names("encoder.block.0.weight")));
    EXPECT_THAT(
        testing::refusalOf(ErrorKind::Input,
                           [&] {
                               static_cast<void>(checkpoint.get("encoder.block.0.weight", Shape{2, 2}));
                           }),
        AllOf(At(HasSubstr("model.safetensors")), Names("[1]", "[2, 2]")));
}

}  // namespace
}  // namespace meshreel
