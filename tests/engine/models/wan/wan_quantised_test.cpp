// SPDX-License-Identifier: GPL-3.0-or-later
// Transformers whose file is quantised, on meshes, with adapters, and with layers that are not kept.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "engine/models/layers/layer_memory.h"
#include "engine/weights/lora.h"
#include "engine/weights/weights_conversion.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

using testing::meshesUpTo;
using testing::randomTensor;
using testing::RandomWan;
using testing::relativeError;
using testing::WanCall;
using testing::WanOnMesh;

constexpr double quantisedRounding = 1e-5;
constexpr WanPrecision brain{.weights = Arithmetic::BF16, .activations = DType::BF16};

/// Rows of 64 and 160 numbers: of four devices' columns none end between blocks of 32.
WanTransformerConfig blockConfig() {
    return {.heads = 4, .headDim = 16, .textDim = 32, .freqDim = 16, .ffnDim = 160, .layers = 3};
}

class QuantisedWan : public ::testing::TestWithParam<const char*> {
  protected:
    QuantisedWan() {
        const auto numbers = targetNumbers(GetParam());
        const bool blocks = storedTypeInfo(numbers->type.value()).blockElements > 1;
        file = folder / (blocks ? "wan.gguf" : "wan.safetensors");
        convertWeights(random.checkpoint(), file, {.numbers = *numbers});
    }

    [[nodiscard]] Checkpoint quantised() const { return Checkpoint::open(file); }

    /// The same numbers as f32, which are merged with adapters when they are loaded.
    [[nodiscard]] Checkpoint expanded() const {
        const auto whole = folder / "expanded.safetensors";
        convertWeights(quantised(), whole, {.numbers = targetNumbers("f32").value()});
        return Checkpoint::open(whole);
    }

    /// An adapter of queries (rows) and of what leaves the feed-forward (columns).
    void adapt(Checkpoint& weights) const {
        const std::int64_t inner = blockConfig().innerDim();
        const auto name = [](const char* module, const char* matrix) {
            return std::string("blocks.1.") + module + matrix;
        };
        writeSafetensors(
            folder / "lora.safetensors",
            std::vector<NamedTensor>{
                {name("attn1.to_q", ".lora_A.weight"), randomTensor({2, inner}, 21)},
                {name("attn1.to_q", ".lora_B.weight"), randomTensor({inner, 2}, 22)},
                {name("ffn.net.2", ".lora_A.weight"), randomTensor({2, blockConfig().ffnDim}, 23)},
                {name("ffn.net.2", ".lora_B.weight"), randomTensor({inner, 2}, 24)},
                {name("ffn.net.0.proj", ".diff"), randomTensor({blockConfig().ffnDim, inner}, 25)}});
        weights.addPatch(LoraAdapter::open(folder / "lora.safetensors", weights, 0.1));
    }

    [[nodiscard]] static Tensor predict(const Checkpoint& weights, const MeshShape& shape,
                                        const WanPrecision& precision = {},
                                        std::optional<std::int64_t> residentLayers = {}) {
        const AttentionSettings attention{.mode = findAttentionMode("flash")};
        WanOnMesh wan(blockConfig(), weights, attention, shape, precision, residentLayers);
        return wan.predict(WanCall::random(blockConfig(), {2, 2, 6, 4}, 7, 9));
    }

    testing::TemporaryFolder folder;
    RandomWan random{blockConfig(), 31};
    std::filesystem::path file;
};

std::vector<MeshShape> legalMeshes() {
    std::vector<MeshShape> shapes;
    for (const MeshShape& shape : meshesUpTo(4))
        if (std::gcd(blockConfig().heads, blockConfig().ffnDim) % shape.tensor == 0)
            shapes.push_back(shape);
    return shapes;
}

TEST_P(QuantisedWan, EveryMeshPredictsAsTheExpandedWeightsOnOneDevice) {
    Checkpoint plain = expanded();
    Checkpoint packed = quantised();
    adapt(plain);
    const Tensor unadapted = predict(packed, {});
    adapt(packed);
    const Tensor expected = predict(plain, {});
    EXPECT_GT(relativeError(unadapted, expected), 10 * quantisedRounding) << "the adapter changes the video";
    for (const MeshShape& shape : legalMeshes())
        EXPECT_LE(relativeError(predict(packed, shape), expected), quantisedRounding)
            << "data " << shape.data << " fsdp " << shape.fsdp << " context " << shape.context << " tensor "
            << shape.tensor;
}

TEST_P(QuantisedWan, KeepsLittleMoreThanTheFileHas) {
    const Checkpoint packed = quantised();
    const std::size_t expandedBytes = wanWeightBytes(blockConfig(), 1, 1).resident;
    const std::vector<StoredLayer> layers = storedLayers(blockConfig(), packed);
    std::size_t matrices = 0;
    for (const StoredLayer& layer : layers)
        for (const StoredParameter& stored : layer.parameters)
            if (stored.inParts)
                matrices += static_cast<std::size_t>(stored.parameter.shape.elements());
    EXPECT_GT(4 * matrices, expandedBytes / 2);
    for (const MeshShape& shape : legalMeshes()) {
        const AttentionSettings attention{.mode = findAttentionMode("flash")};
        const WanOnMesh wan(blockConfig(), packed, attention, shape);
        const LayerMemory planned = layersMemory(
            layers, {.fsdpDevices = shape.fsdp, .tensorDevices = shape.tensor}, {}, std::ssize(layers));
        EXPECT_EQ(wan.residentBytes(), planned.kept() * static_cast<std::size_t>(shape.fsdp * shape.tensor));
        const WanWeightBytes unpacked = wanWeightBytes(blockConfig(), shape.fsdp, shape.tensor);
        EXPECT_LT(planned.kept(),
                  unpacked.resident - 2 * matrices / static_cast<std::size_t>(shape.fsdp * shape.tensor))
            << "fsdp " << shape.fsdp << " tensor " << shape.tensor;
        const std::vector<StoredLayer> single = storedLayers(blockConfig(), StoredType::F32);
        const WeightShard shard{.fsdpDevices = shape.fsdp, .tensorDevices = shape.tensor};
        constexpr std::size_t block = 1;  // behind the embeddings
        EXPECT_LE(layerMemory(layers[block], shard, {}).gathered,
                  layerMemory(single[block], shard, {}).gathered / 2);
    }
}

TEST_P(QuantisedWan, LayersThatAreNotKeptGiveTheSameBits) {
    Checkpoint packed = quantised();
    adapt(packed);
    for (const Checkpoint& weights : {packed, random.checkpoint()})
        for (const WanPrecision& precision : {WanPrecision{}, brain})
            for (const MeshShape& shape :
                 {MeshShape{}, MeshShape{.context = 2}, MeshShape{.tensor = 2}, MeshShape{.data = 2},
                  MeshShape{.fsdp = 2}, MeshShape{.fsdp = 2, .tensor = 2}}) {
                const Tensor kept = predict(weights, shape, precision);
                for (const std::int64_t resident : {0, 2})
                    EXPECT_TRUE(std::ranges::equal(predict(weights, shape, precision, resident).data<float>(),
                                                   kept.data<float>()))
                        << resident << " layers stay, fsdp " << shape.fsdp << " tensor " << shape.tensor
                        << " bf16 " << (precision == brain);
            }
}

INSTANTIATE_TEST_SUITE_P(Numbers, QuantisedWan, ::testing::Values("Q8_0", "Q4_0", "fp8", "fp8_scaled"),
                         [](const auto& test) { return std::string(test.param); });

TEST(ResidentLayers, AreSpreadEvenly) {
    for (std::int64_t layers = 1; layers < 9; ++layers)
        for (std::int64_t resident = 0; resident <= layers; ++resident) {
            std::int64_t stay = 0;
            for (std::int64_t index = 0; index < layers; ++index) {
                stay += staysResident(index, layers, resident) ? 1 : 0;
                EXPECT_LE(std::abs(stay * layers - (index + 1) * resident), layers)
                    << index << " of " << layers;
            }
            EXPECT_EQ(stay, resident);
        }
}

TEST(ResidentLayers, DecideWhatIsKept) {
    const RandomWan model(blockConfig(), 3);
    const Checkpoint weights = model.checkpoint();
    const std::vector<StoredLayer> layers = storedLayers(blockConfig(), weights);
    for (const WanPrecision& precision : {WanPrecision{}, brain})
        for (const WeightShard& shard : {WeightShard{}, WeightShard{.tensorIndex = 1, .tensorDevices = 2},
                                         WeightShard{.fsdpIndex = 1, .fsdpDevices = 2}})
            for (std::int64_t resident = 0; resident <= std::ssize(layers); ++resident) {
                const LayerMemory planned = layersMemory(layers, shard, precision, resident);
                const WanTransformer part(blockConfig(), weights, {}, shard, precision, nullptr, resident);
                EXPECT_NEAR(static_cast<double>(part.residentBytes()), static_cast<double>(planned.kept()),
                            0.02 * static_cast<double>(planned.kept()))
                    << resident;
            }
}

}  // namespace
}  // namespace meshreel
