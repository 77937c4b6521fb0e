// SPDX-License-Identifier: GPL-3.0-or-later
// Files of weights as converters and trainers leave them: in sets without an index, under wrapped names, with
// scales of their own kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors_writer.h"
#include "engine/weights/tensor_names.h"
#include "engine/weights/weight_files.h"
#include "tests/support/refusal.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Names;
using testing::Refusal;

void writeOne(const fs::path& file, const std::string& name, float value) {
    writeSafetensors(file, std::vector<NamedTensor>{{name, Tensor::from<float>({1}, {value})}});
}

Refusal refusedOpening(const fs::path& path) {
    return testing::refusalOf(ErrorKind::Input, [&path] { Checkpoint::open(path); });
}

TEST(SetOfFiles, IsOneCheckpointByAnyOfThemAndByTheirFolder) {
    const testing::TemporaryFolder folder;
    const fs::path first = folder / "wan-00001-of-00002.safetensors";
    const fs::path second = folder / "wan-00002-of-00002.safetensors";
    writeOne(first, "a", 1);
    writeOne(second, "b", 2);
    for (const fs::path& path : {first, second, folder.path()}) {
        const Checkpoint checkpoint = Checkpoint::open(path);
        EXPECT_THAT(checkpoint.names(), ElementsAre("a", "b")) << path;
        EXPECT_EQ(checkpoint.get("b").data<float>()[0], 2.0F);
        EXPECT_EQ(checkpoint.bytes(), 8U);
    }
}

TEST(SetOfFiles, IsFoundBesideWhatALinkLeadsTo) {
    const testing::TemporaryFolder folder;
    fs::create_directories(folder / "models");
    fs::create_directories(folder / "links");
    writeOne(folder / "models/wan-00001-of-00002.safetensors", "a", 1);
    writeOne(folder / "models/wan-00002-of-00002.safetensors", "b", 2);
    fs::create_symlink(folder / "models/wan-00001-of-00002.safetensors",
                       folder / "links/wan-00001-of-00002.safetensors");
    EXPECT_THAT(Checkpoint::open(folder / "links/wan-00001-of-00002.safetensors").names(),
                ElementsAre("a", "b"));
}

TEST(SetOfFiles, NamesThoseThatAreMissing) {
    const testing::TemporaryFolder folder;
    writeOne(folder / "wan-00002-of-00003.safetensors", "b", 2);
    EXPECT_THAT(refusedOpening(folder / "wan-00002-of-00003.safetensors"),
                Names("3", "wan-00001-of-00003.safetensors, wan-00003-of-00003.safetensors"));
}

TEST(SetOfFiles, OtherNumbersInANameAreNone) {
    for (const char* name :
         {"wan-00000-of-00002.gguf", "wan-00003-of-00002.gguf", "wan-1-of-2.gguf", "wan-00001-of-00001.gguf",
          "wan-0000a-of-00002.gguf", "wan00001-of-00002.gguf", "-00001-of-00002.gguf", "wan.gguf"})
        EXPECT_EQ(filesOfSet(name).size(), 1U) << name;
    EXPECT_EQ(filesOfSet("/nowhere/wan-480p.safetensors").front(), "/nowhere/wan-480p.safetensors");
}

TEST(WrappedNames, AreThoseOfTheNetwork) {
    EXPECT_EQ(withoutWrappers("_orig_mod.blocks.0._fsdp_wrapped_module.ffn.0.weight"),
              "blocks.0.ffn.0.weight");
    EXPECT_EQ(withoutWrappers("blocks.0._checkpoint_wrapped_module"), "blocks.0.");
    for (const char* plain : {"blocks.0.ffn.0.weight", "a", "", "orig_mod.a", "a._orig_modulation.b"})
        EXPECT_EQ(withoutWrappers(plain), plain);
    const testing::TemporaryFolder folder;
    writeSafetensors(folder / "x.safetensors",
                     std::vector<NamedTensor>{{"_orig_mod.time_projection.1.weight", Tensor::zeros({1, 1})},
                                              {"_orig_mod.blocks.0._checkpoint_wrapped_module.ffn.0.weight",
                                               Tensor::from<float>({1, 1}, {5})}});
    const Checkpoint checkpoint = Checkpoint::open(folder / "x.safetensors");
    EXPECT_EQ(checkpoint.get("blocks.0.ffn.net.0.proj.weight", Shape{1, 1}).data<float>()[0], 5.0F);
}

/// A file with an fp8 or int8 matrix [2, 2] and these bytes beside it.
class ScaledMatrix : public ::testing::Test {
  protected:
    Refusal refusalOf(const std::string& type, const std::string& name, const std::string& beside,
                      const std::string& besideType, std::size_t besideBytes) {
        const std::string stem = "blocks.0.self_attn.q";
        const std::string header =
            R"({")" + stem + beside + R"(":{"dtype":")" + besideType + R"(","shape":[)" +
            (besideType == "U8" ? std::to_string(besideBytes) : "") + R"(],"data_offsets":[4,)" +
            std::to_string(4 + besideBytes) + R"(]},")" + stem + name + R"(":{"dtype":")" + type +
            R"(","shape":[2,2],"data_offsets":[0,4]},)" +
            R"("time_projection.1.weight":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})";
        std::string data(4, '\x30');
        data += besideType == "U8" ? m_description : std::string(besideBytes, '\0');
        writeFileAtomically(m_folder / "x.safetensors", testing::safetensorsBytes(header, data));
        return testing::refusalOf(ErrorKind::Input, [&] {
            Checkpoint::open(m_folder / "x.safetensors").require("blocks.0.attn1.to_q.weight", Shape{2, 2});
        });
    }

    const std::string m_description = R"({"format":"float8_e4m3fn"})";
    testing::TemporaryFolder m_folder;
};

TEST_F(ScaledMatrix, IsRefusedWhereItsScaleHasANameThatNobodyKnows) {
    for (const char* beside : {".weight_quantizer._scale", ".weight_quantizer._amax", ".w_scale_fp32"})
        EXPECT_TRUE(refusalOf("F8_E4M3", ".weight", beside, "F32", 4)) << beside;
    EXPECT_FALSE(refusalOf("F8_E4M3", ".weight", ".input_quantizer._amax", "F32", 4)) << "of activations";
    EXPECT_FALSE(refusalOf("F8_E4M3", ".weight", ".input_scale", "F32", 4));
}

TEST_F(ScaledMatrix, IsRefusedWithoutTheScaleThatItsDescriptionPromises) {
    const Refusal missing = refusalOf("F8_E4M3", ".weight", ".comfy_quant", "U8", m_description.size());
    EXPECT_THAT(missing, Names("comfy_quant"));
    EXPECT_THAT(missing, testing::At(HasSubstr("blocks.0.self_attn.q.weight")));
}

TEST_F(ScaledMatrix, OfTorchaoIsRefusedByName) {
    EXPECT_THAT(refusalOf("I8", "._weight_qdata", "._weight_scale", "F32", 4), Names("numbers of torchao"));
}

}  // namespace
}  // namespace meshreel
