// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded model's weights in every layout that people have, through the real runner.
#include <algorithm>
#include <cmath>

#include "engine/base/files.h"
#include "engine/base/number_types.h"
#include "engine/media/video_reader.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/gguf.h"
#include "engine/weights/formats/quantised_blocks.h"
#include "engine/weights/tensor_names.h"
#include "runner.h"
#include "tests/support/locations.h"
#include "tests/support/torch_bytes.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path embedded = testing::sourceFolder() / "resources" / "models" / "tiny-wan-t2v";

/// The tensors of a part under the names of the original project.
std::vector<NamedTensor> wanOriginalTensors(ModelPart part, const std::string& prefix = {}) {
    const Checkpoint checkpoint = Checkpoint::open(embedded / nameOf(part));
    const std::vector<std::string> names = checkpoint.names();
    const NameMap map(part, NameContext::of(names));
    std::vector<NamedTensor> tensors;
    for (const std::string& name : names)
        if (const auto original = map.toOriginal(name))
            tensors.emplace_back(prefix + original->name, checkpoint.get(name));
    EXPECT_GE(tensors.size() + 1, names.size());  // the text encoder's embedding may stand there twice
    return tensors;
}

bool isMatrix(const Tensor& tensor) {
    return tensor.shape().rank() == 2 && tensor.extent(1) % BlockQ8_0::elements == 0;
}

/// Largest magnitude of a block becomes 127.
std::vector<BlockQ8_0> quantised(const Tensor& tensor) {
    const Tensor values = tensor.toF32();
    const auto all = values.data<float>();
    std::vector<BlockQ8_0> blocks(all.size() / BlockQ8_0::elements);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        const auto own = all.subspan(block * BlockQ8_0::elements, BlockQ8_0::elements);
        float largest = 0;
        for (const float value : own)
            largest = std::max(largest, std::abs(value));
        blocks[block].scale = toHalf(largest / 127);
        const float scale = toFloat(blocks[block].scale);
        for (std::size_t i = 0; i < own.size(); ++i)
            blocks[block].values[i] = static_cast<std::int8_t>(
                scale == 0 ? 0 : std::lround(std::clamp(own[i] / scale, -127.0F, 127.0F)));
    }
    return blocks;
}

void writeGgufOf(const fs::path& file, const std::vector<NamedTensor>& tensors, bool quantise) {
    std::vector<std::vector<BlockQ8_0>> blocks;
    std::vector<Tensor> floats;
    for (const auto& [name, tensor] : tensors) {
        blocks.push_back(quantise && isMatrix(tensor) ? quantised(tensor) : std::vector<BlockQ8_0>());
        floats.push_back(tensor.toF32());
    }
    std::vector<GgufTensor> entries;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        entries.push_back(blocks[i].empty()
                              ? GgufTensor{tensors[i].first,
                                           floats[i].shape(),
                                           StoredType::F32,
                                           {std::as_const(floats[i]).raw(), floats[i].bytes()}}
                              : GgufTensor{tensors[i].first, floats[i].shape(), StoredType::Q8_0,
                                           std::as_bytes(std::span(blocks[i]))});
    writeGguf(file, entries, {{"general.architecture", "wan"}});
}

/// Matrices as fp8 with a scale, everything else f32, put together by hand: writeSafetensors has no fp8.
void writeScaledFloat8(const fs::path& file, const std::vector<NamedTensor>& tensors) {
    std::string header = R"({"scaled_fp8":{"dtype":"F8_E4M3","shape":[0],"data_offsets":[0,0]})";
    std::string data;
    const auto add = [&](const std::string& name, const char* type, const Shape& shape,
                         const std::string& bytes) {
        std::string extents;
        for (const std::int64_t extent : shape.extents())
            extents += (extents.empty() ? "" : ",") + std::to_string(extent);
        header += ",\"" + name + R"(":{"dtype":")" + type + R"(","shape":[)" + extents +
                  R"(],"data_offsets":[)" + std::to_string(data.size()) + "," +
                  std::to_string(data.size() + bytes.size()) + "]}";
        data += bytes;
    };
    for (const auto& [name, tensor] : tensors) {
        const Tensor values = tensor.toF32();
        const auto all = values.data<float>();
        if (!isMatrix(tensor)) {
            add(name, "F32", tensor.shape(), {reinterpret_cast<const char*>(all.data()), all.size_bytes()});
            continue;
        }
        float largest = 0;
        for (const float value : all)
            largest = std::max(largest, std::abs(value));
        const float scale = largest / 448;
        std::string bytes;
        for (const float value : all)
            bytes += static_cast<char>(toFloat8E4M3(value / scale).bits);
        add(name, "F8_E4M3", tensor.shape(), bytes);
        add(name.substr(0, name.size() - std::string_view("weight").size()) + "scale_weight", "F32", Shape(),
            {reinterpret_cast<const char*>(&scale), sizeof(scale)});
    }
    header += "}";
    std::string length;
    for (std::uint64_t left = header.size(), i = 0; i < sizeof(left); ++i, left >>= 8)
        length += static_cast<char>(left & 0xFF);
    writeFileAtomically(file, length + header + data);
}

class FileLayouts : public testing::RunnerTest {
  protected:
    /// A copy of the embedded model without the weights of its parts that `replaced` names.
    fs::path modelWithout(const std::string& name, std::initializer_list<ModelPart> replaced) {
        const fs::path model = file(name);
        fs::copy(embedded, model, fs::copy_options::recursive);
        for (const ModelPart part : replaced)
            for (const char* weights : {"diffusion_pytorch_model.safetensors", "model.safetensors"})
                fs::remove(model / nameOf(part) / weights);
        return model;
    }

    Tensor framesOf(const fs::path& model, testing::ProjectKeys keys = testing::smallRun()) {
        keys["pretrained_model_name_or_path"] = model.string();
        const std::string out = model.string() + "-run";
        const testing::ProcessResult result =
            meshreel({"run", project(keys, model.filename().string() + ".yaml"), "--out", out});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return readVideo(fs::path(out) / "video.mp4");
    }

    static int largestDifference(const Tensor& a, const Tensor& b) {
        EXPECT_EQ(a.shape(), b.shape());
        int largest = 0;
        for (std::size_t i = 0; i < a.data<std::uint8_t>().size(); ++i)
            largest =
                std::max(largest, std::abs(int{a.data<std::uint8_t>()[i]} - int{b.data<std::uint8_t>()[i]}));
        return largest;
    }

    static double meanDifference(const Tensor& a, const Tensor& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.data<std::uint8_t>().size(); ++i)
            sum += std::abs(static_cast<double>(a.data<std::uint8_t>()[i]) -
                            static_cast<double>(b.data<std::uint8_t>()[i]));
        return sum / static_cast<double>(a.elements());
    }
};

TEST_F(FileLayouts, TheSameWeightsMakeTheSameFrames) {
    const Tensor expected = framesOf(modelWithout("diffusers", {}));

    const fs::path comfy = modelWithout("comfy", {ModelPart::Transformer});
    writeSafetensors(comfy / "transformer" / "wan_tiny.safetensors",
                     wanOriginalTensors(ModelPart::Transformer, "model.diffusion_model."));
    EXPECT_EQ(largestDifference(framesOf(comfy), expected), 0);

    const fs::path original =
        modelWithout("original", {ModelPart::Transformer, ModelPart::Vae, ModelPart::TextEncoder});
    for (const auto& [part, name] :
         {std::pair{ModelPart::Transformer, "wan.pth"}, std::pair{ModelPart::Vae, "Wan2.1_VAE.pth"},
          std::pair{ModelPart::TextEncoder, "models_t5_umt5-xxl-enc-bf16.pth"}})
        writeFileAtomically(original / nameOf(part) / name, testing::torchBytes(wanOriginalTensors(part)));
    EXPECT_EQ(largestDifference(framesOf(original), expected), 0);

    const fs::path gguf = modelWithout("gguf", {ModelPart::Transformer});
    writeGgufOf(gguf / "transformer" / "wan-F32.gguf", wanOriginalTensors(ModelPart::Transformer), false);
    EXPECT_EQ(largestDifference(framesOf(gguf), expected), 0);
}

/// Bounds of the mean difference of a byte of the frames, of a size that the model was trained at.
TEST_F(FileLayouts, QuantisedWeightsStayWithinTheirBounds) {
    constexpr double boundOfQ8 = 1.0;
    constexpr double boundOfFloat8 = 4.0;
    const testing::ProjectKeys keys = testing::trainedRun("a red ball moving right on a black background");
    const Tensor expected = framesOf(modelWithout("diffusers", {}), keys);
    const fs::path q8 = modelWithout("q8", {ModelPart::Transformer});
    writeGgufOf(q8 / "transformer" / "wan-Q8_0.gguf", wanOriginalTensors(ModelPart::Transformer), true);
    const double q8Difference = meanDifference(framesOf(q8, keys), expected);
    RecordProperty("q8_0", std::to_string(q8Difference));
    EXPECT_LE(q8Difference, boundOfQ8);
    EXPECT_GT(q8Difference, 0.0);
    const fs::path float8 = modelWithout("float8", {ModelPart::Transformer});
    writeScaledFloat8(float8 / "transformer" / "wan_fp8_scaled.safetensors",
                      wanOriginalTensors(ModelPart::Transformer));
    const double float8Difference = meanDifference(framesOf(float8, keys), expected);
    RecordProperty("fp8", std::to_string(float8Difference));
    EXPECT_LE(float8Difference, boundOfFloat8);
    EXPECT_GT(float8Difference, 0.0);
}

TEST_F(FileLayouts, AreInspected) {
    const fs::path q8 = modelWithout("q8", {ModelPart::Transformer});
    writeGgufOf(q8 / "transformer" / "wan-Q8_0.gguf", wanOriginalTensors(ModelPart::Transformer), true);
    const testing::ProcessResult whole = meshreel({"inspect", q8.string()});
    EXPECT_EQ(whole.exitCode, 0) << whole.err;
    EXPECT_THAT(whole.out, HasSubstr("part transformer: found"));
    EXPECT_THAT(whole.out, HasSubstr("format: GGUF 3, names original"));
    EXPECT_THAT(whole.out, HasSubstr("quantisation: Q8_0"));
    const testing::ProcessResult json = meshreel({"inspect", "--json", q8.string()});
    EXPECT_EQ(json.exitCode, 0) << json.err;
    EXPECT_THAT(json.out, HasSubstr("\"quantisation\": \"Q8_0\""));
    EXPECT_EQ(meshreel({"inspect", "--json", project(testing::smallRun())}).exitCode, 2);
}

}  // namespace
}  // namespace meshreel
