// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/number_types.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/gguf.h"
#include "tests/support/refusal.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_bytes.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Tensor matrix = Tensor::from<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
const Tensor vector = Tensor::from<float>({4}, {-1, -2, -3, -4});

std::vector<NamedTensor> originalTensors(const std::string& prefix) {
    return {{prefix + "time_projection.1.weight", matrix},
            {prefix + "blocks.0.self_attn.q.weight", matrix},
            {prefix + "blocks.0.norm3.bias", vector},
            {prefix + "head.modulation", Tensor::from<float>({1, 2, 2}, {1, 2, 3, 4})},
            {prefix + "face_adapter.fuser_blocks.0.linear1_kv.weight", matrix},
            {prefix + "face_adapter.fuser_blocks.0.linear1_kv.bias", vector}};
}

void expectDiffusersNames(const Checkpoint& checkpoint) {
    EXPECT_EQ(checkpoint.layout().part, ModelPart::Transformer);
    EXPECT_THAT(checkpoint.names(),
                ElementsAre("blocks.0.attn1.to_q.weight", "blocks.0.norm2.bias",
                            "condition_embedder.time_proj.weight", "face_adapter.0.to_k.bias",
                            "face_adapter.0.to_k.weight", "face_adapter.0.to_v.bias",
                            "face_adapter.0.to_v.weight", "scale_shift_table"));
    EXPECT_THAT(checkpoint.get("blocks.0.attn1.to_q.weight", {4, 2}).data<float>(),
                ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_EQ(checkpoint.shape("face_adapter.0.to_v.weight"), Shape({2, 2}));
    EXPECT_THAT(checkpoint.get("face_adapter.0.to_k.weight").data<float>(), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(checkpoint.get("face_adapter.0.to_v.weight").data<float>(), ElementsAre(5, 6, 7, 8));
    EXPECT_THAT(checkpoint.getRows("face_adapter.0.to_v.weight", 1, 1).data<float>(), ElementsAre(7, 8));
    EXPECT_THAT(checkpoint.get("face_adapter.0.to_v.bias").data<float>(), ElementsAre(-3, -4));
}

TEST(CheckpointLayout, OriginalNamesInEveryFormatAndWithEveryPrefix) {
    const testing::TemporaryFolder folder;
    for (const std::string prefix : {"", "model.diffusion_model.", "diffusion_model."}) {
        const std::vector<NamedTensor> tensors = originalTensors(prefix);
        writeSafetensors(folder / "one.safetensors", tensors);
        writeFileAtomically(folder / "one.pth", testing::torchBytes(tensors));
        std::vector<GgufTensor> packed;
        for (const auto& [name, tensor] : tensors)
            packed.push_back({name, tensor.shape(), StoredType::F32, {tensor.raw(), tensor.bytes()}});
        writeGguf(folder / "one.gguf", packed, {});
        for (const char* file : {"one.safetensors", "one.pth", "one.gguf"}) {
            SCOPED_TRACE(prefix + file);
            expectDiffusersNames(Checkpoint::open(folder / file));
        }
    }
}

TEST(CheckpointLayout, AFolderWithOneFileOfAnyNameIsItsFile) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "Wan2.1_VAE.pth", testing::torchBytes(originalTensors("")));
    writeFileAtomically(folder / "README.md", "words");
    EXPECT_EQ(Checkpoint::open(folder.path()).path(), folder / "Wan2.1_VAE.pth");
}

TEST(CheckpointLayout, ImageEncoderTensorsAreTurnedAndSplit) {
    const testing::TemporaryFolder folder;
    const Tensor qkv = Tensor::from<float>({6, 1}, {1, 2, 3, 4, 5, 6});
    writeSafetensors(
        folder / "clip.safetensors",
        std::vector<NamedTensor>{{"visual.cls_embedding", Tensor::from<float>({1, 1, 2}, {1, 2})},
                                 {"visual.pos_embedding", Tensor::from<float>({1, 2, 2}, {1, 2, 3, 4})},
                                 {"visual.head", Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
                                 {"log_scale", Tensor::from<float>(Shape(), {1})},
                                 {"visual.transformer.0.attn.to_qkv.weight", qkv}});
    const Checkpoint checkpoint = Checkpoint::open(folder / "clip.safetensors");
    EXPECT_FALSE(checkpoint.has("log_scale"));
    EXPECT_EQ(checkpoint.get("vision_model.embeddings.class_embedding").shape(), Shape({2}));
    EXPECT_EQ(checkpoint.get("vision_model.embeddings.position_embedding.weight").shape(), Shape({2, 2}));
    EXPECT_THAT(checkpoint.get("visual_projection.weight", {3, 2}).data<float>(),
                ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_THAT(checkpoint.get("vision_model.encoder.layers.0.self_attn.k_proj.weight").data<float>(),
                ElementsAre(3, 4));
}

/// A file of a transformer with one fp8 weight [2, 2] of the values 1, -1, 2, 0.5.
std::string float8File(const std::string& scales, bool marked, const std::string& scaleData = {}) {
    std::string data;
    for (const float value : {1.0F, -1.0F, 2.0F, 0.5F})
        data += static_cast<char>(toFloat8E4M3(value).bits);
    std::string header = R"({"head.head.weight":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]},)"
                         R"("time_projection.1.weight":{"dtype":"F32","shape":[0],"data_offsets":[4,4]})";
    if (marked)
        header += R"(,"scaled_fp8":{"dtype":"F8_E4M3","shape":[0],"data_offsets":[4,4]})";
    return testing::safetensorsBytes(header + scales + "}", data + scaleData);
}

std::string floatBytes(std::initializer_list<float> values) {
    const std::vector<float> all(values);
    return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(float)};
}

const char* scalarScale = R"(,"head.head.scale_weight":{"dtype":"F32","shape":[],"data_offsets":[4,8]})";

TEST(CheckpointLayout, Float8WeightsHaveTheirScales) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "x.safetensors";
    for (const bool marked : {true, false}) {
        writeFileAtomically(file, float8File(scalarScale, marked, floatBytes({0.25F})));
        const Checkpoint scaled = Checkpoint::open(file);
        EXPECT_TRUE(scaled.isScaled("proj_out.weight"));
        EXPECT_EQ(scaled.storedType("proj_out.weight"), StoredType::F8E4M3);
        EXPECT_FALSE(scaled.has("scaled_fp8"));
        EXPECT_THAT(scaled.get("proj_out.weight").data<float>(), ElementsAre(0.25F, -0.25F, 0.5F, 0.125F));
        EXPECT_THAT(scaled.getRows("proj_out.weight", 1, 1).data<float>(), ElementsAre(0.5F, 0.125F));
    }
    writeFileAtomically(
        file, float8File(R"(,"head.head.scale_weight":{"dtype":"F32","shape":[2,1],"data_offsets":[4,12]})",
                         true, floatBytes({2, 10})));
    EXPECT_THAT(Checkpoint::open(file).get("proj_out.weight").data<float>(), ElementsAre(2, -2, 20, 5));
    EXPECT_THAT(Checkpoint::open(file).getRows("proj_out.weight", 1, 1).data<float>(), ElementsAre(20, 5));
    writeFileAtomically(file, float8File("", false));
    EXPECT_THAT(Checkpoint::open(file).get("proj_out.weight").data<float>(), ElementsAre(1, -1, 2, 0.5F));
}

TEST(CheckpointLayout, AScaleThatIsMissingOrOfAnotherShapeIsRefused) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "x.safetensors";
    const auto refused = [&](const std::string& bytes) {
        writeFileAtomically(file, bytes);
        return testing::refusalOf(ErrorKind::Input,
                                  [&] { static_cast<void>(Checkpoint::open(file).get("proj_out.weight")); });
    };
    const testing::Refusal missing = refused(float8File("", true));
    EXPECT_THAT(missing, testing::At(HasSubstr("head.head.weight")));
    const testing::Refusal shape =
        refused(float8File(R"(,"head.head.scale_weight":{"dtype":"F32","shape":[3],"data_offsets":[4,16]})",
                           true, floatBytes({1, 2, 3})));
    EXPECT_THAT(shape, testing::Names("[3]"));
    testing::expectFaults({{"missing", missing}, {"of another shape", shape}});
}

class AddOne : public WeightPatch {
  public:
    [[nodiscard]] bool touches(std::string_view name) const override { return name == "a"; }
    [[nodiscard]] std::string identity() const override { return "one"; }
    void addTo(std::string_view /*name*/, const RowsPlace& place, const RowsBefore& /*before*/,
               Tensor& rows) const override {
        for (float& value : rows.data<float>())
            value += 1.0F + static_cast<float>(place.firstRow);
    }
};

TEST(CheckpointLayout, PatchesAreAddedToACopy) {
    const testing::TemporaryFolder folder;
    writeSafetensors(folder / "x.safetensors", std::vector<NamedTensor>{{"a", vector}, {"b", vector}});
    Checkpoint checkpoint = Checkpoint::open(folder / "x.safetensors");
    checkpoint.addPatch(std::make_shared<AddOne>());
    checkpoint.addPatch(std::make_shared<AddOne>());
    EXPECT_THAT(checkpoint.get("a").data<float>(), ElementsAre(1, 0, -1, -2));
    EXPECT_THAT(checkpoint.get("a").data<float>(), ElementsAre(1, 0, -1, -2));
    EXPECT_THAT(checkpoint.getRows("a", 3, 1).data<float>(), ElementsAre(4));
    EXPECT_THAT(checkpoint.get("b").data<float>(), ElementsAre(-1, -2, -3, -4));
}

}  // namespace
}  // namespace meshreel
