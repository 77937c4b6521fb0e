// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layer_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/models/layer_stream.h"
#include "engine/weights/gguf.h"
#include "tests/support/random_tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::randomTensor;
using testing::TemporaryFolder;

constexpr int tensorDevices = 2;

std::vector<float> valuesOf(const Tensor& tensor) {
    const auto values = tensor.data<float>();
    return {values.begin(), values.end()};
}

/// A checkpoint with layers of one name each, and of sizes that fit no cache line.
class LayerWeightsTest : public ::testing::Test {
  protected:
    LayerWeightsTest() {
        const std::vector<WanParameter> parameters{
            {.name = "rows", .shape = {6, 5}, .split = TensorSplit::Rows},
            {.name = "columns", .shape = {3, 10}, .split = TensorSplit::Columns},
            {.name = "whole", .shape = {7}},
            {.name = "absent", .shape = {9}, .optional = true}};
        std::vector<NamedTensor> tensors;
        for (const char* layer : {"a.", "b.", "c.", "d."}) {
            layers.push_back({.name = layer, .prefix = layer, .parameters = parameters});
            for (const WanParameter& parameter : parameters)
                if (!parameter.optional)
                    tensors.emplace_back(
                        layer + parameter.name,
                        randomTensor(parameter.shape, static_cast<std::uint32_t>(tensors.size())));
        }
        writeSafetensors(folder / "weights.safetensors", tensors);
        checkpoint = std::make_unique<Checkpoint>(Checkpoint::open(folder / "weights.safetensors"));
    }

    [[nodiscard]] std::vector<LayerWeights> load(const WeightShard& shard) const {
        std::vector<LayerWeights> loaded;
        for (const WanLayer& layer : layers)
            loaded.emplace_back(layer, *checkpoint, shard);
        return loaded;
    }

    TemporaryFolder folder;
    std::vector<WanLayer> layers;
    std::unique_ptr<Checkpoint> checkpoint;
};

TEST_F(LayerWeightsTest, OneFsdpDeviceLooksIntoTheMap) {
    const LayerWeights weights(layers[0], *checkpoint, {});
    EXPECT_FALSE(weights.sharded());
    EXPECT_EQ(weights.tensors().get("rows").raw(), checkpoint->get("a.rows").raw());
    EXPECT_EQ(weights.residentBytes(), (30U + 30U + 7U) * sizeof(float));
    EXPECT_FALSE(weights.tensors().has("absent"));
    EXPECT_THROW(static_cast<void>(weights.tensors().get("absent")), Error);
}

TEST_F(LayerWeightsTest, QuantisedMatricesStayInTheFileForFloat32) {
    const Tensor values = randomTensor({4, 64}, 1);
    std::vector<std::byte> packed;
    packStored(StoredType::Q8_0, values.data<float>(), packed);
    const Tensor bias = randomTensor({4}, 2);
    writeGguf(folder / "weights.gguf",
              std::vector<GgufTensor>{
                  {"a.to_q.weight", {4, 64}, StoredType::Q8_0, packed},
                  {"a.to_q.bias", {4}, StoredType::F32, {std::as_const(bias).raw(), bias.bytes()}}},
              {});
    const Checkpoint quantised = Checkpoint::open(folder / "weights.gguf");
    const WanLayer layer{.name = "a",
                         .prefix = "a.",
                         .parameters = {{.name = "to_q.weight", .shape = {4, 64}, .blockLinear = true},
                                        {.name = "to_q.bias", .shape = {4}}}};
    const auto kept = std::make_shared<const Checkpoint>(quantised);
    const LayerWeights stays(layer, quantised, {}, {}, nullptr, kept);
    EXPECT_EQ(stays.residentBytes(), 4 * sizeof(float));
    EXPECT_EQ(valuesOf(stays.tensors().get("to_q.weight")), valuesOf(quantised.get("a.to_q.weight")));
    const LayerWeights unpacked(layer, quantised, {});
    EXPECT_GE(unpacked.residentBytes(), (4 + 4 * 64) * sizeof(float));
    const WanPrecision brain{.weights = Arithmetic::BF16, .activations = DType::BF16};
    const LayerWeights rounded(layer, quantised, {}, brain, nullptr, kept);
    EXPECT_LT(rounded.residentBytes(), unpacked.residentBytes());
}

TEST_F(LayerWeightsTest, TensorDevicesHaveTheirRowsAndColumns) {
    for (int index = 0; index < tensorDevices; ++index) {
        const LayerWeights weights(layers[1], *checkpoint,
                                   {.tensorIndex = index, .tensorDevices = tensorDevices});
        const Tensor rows = checkpoint->get("b.rows").slice(3 * index, 3 * index + 3);
        EXPECT_EQ(weights.tensors().get("rows").raw(), rows.raw()) << "rows are looked at, not copied";
        EXPECT_EQ(weights.tensors().get("rows").shape(), (Shape{3, 5}));
        std::vector<float> columns;
        for (std::int64_t row = 0; row < 3; ++row) {
            const std::vector<float> whole = valuesOf(checkpoint->get("b.columns").slice(row, row + 1));
            columns.insert(columns.end(), whole.begin() + 5 * index, whole.begin() + 5 * index + 5);
        }
        EXPECT_EQ(valuesOf(weights.tensors().get("columns")), columns);
        EXPECT_EQ(weights.tensors().get("whole").raw(), checkpoint->get("b.whole").raw());
    }
}

TEST_F(LayerWeightsTest, ShardsSideBySideAreTheLayer) {
    for (const int devices : {2, 3, 4, 8})
        for (int tensor = 0; tensor < tensorDevices; ++tensor) {
            const auto shardAt = [&](int index) {
                return WeightShard{.fsdpIndex = index,
                                   .fsdpDevices = devices,
                                   .tensorIndex = tensor,
                                   .tensorDevices = tensorDevices};
            };
            std::vector<std::uint8_t> flat;
            for (int index = 0; index < devices; ++index) {
                const LayerWeights weights(layers[2], *checkpoint, shardAt(index));
                const std::span<const std::uint8_t> shard = weights.shard().data<std::uint8_t>();
                EXPECT_EQ(weights.residentBytes(), shard.size());
                flat.insert(flat.end(), shard.begin(), shard.end());
            }
            const LayerWeights some(layers[2], *checkpoint, shardAt(0));
            const LayerTensors found =
                some.tensorsIn(Tensor::from({static_cast<std::int64_t>(flat.size())}, flat));
            const LayerWeights whole(layers[2], *checkpoint,
                                     {.tensorIndex = tensor, .tensorDevices = tensorDevices});
            for (const char* name : {"rows", "columns", "whole"})
                EXPECT_EQ(valuesOf(found.get(name)), valuesOf(whole.tensors().get(name)))
                    << name << " of " << devices;
        }
}

TEST_F(LayerWeightsTest, RefusesAnotherShape) {
    layers[0].parameters[0].shape = {6, 4};
    EXPECT_THROW(LayerWeights(layers[0], *checkpoint, {}), Error);
    EXPECT_THROW(LayerWeights(layers[0], *checkpoint, {.fsdpIndex = 0, .fsdpDevices = 2}), Error);
}

/// Stands in for the others of an fsdp group, and notes what was started and waited for.
class RecordingEndpoint final : public Endpoint {
  public:
    explicit RecordingEndpoint(std::vector<std::string>& events) : m_events(events) {}

    [[nodiscard]] int device() const override { return 0; }
    [[nodiscard]] std::unique_ptr<Transfer> start(std::vector<Send> sends,
                                                  std::vector<Receive> receives) override {
        EXPECT_EQ(sends.size(), 1U);
        EXPECT_EQ(receives.size(), 1U);
        m_events.push_back("start " + std::to_string(m_started));
        return std::make_unique<Recorded>(m_events, m_started++);
    }
    void copy(const ConstBlock& from, const Block& to) override { copyBlock(from, to); }
    [[nodiscard]] TransferCounters counters() const override { return {}; }

  private:
    class Recorded final : public Transfer {
      public:
        Recorded(std::vector<std::string>& events, int number) : m_events(events), m_number(number) {}
        void wait() override { m_events.push_back("wait " + std::to_string(m_number)); }

      private:
        std::vector<std::string>& m_events;
        int m_number;
    };

    std::vector<std::string>& m_events;
    int m_started = 0;
};

TEST_F(LayerWeightsTest, TheNextLayerIsUnderWayWhileOneComputes) {
    const std::vector<LayerWeights> weights = load({.fsdpIndex = 0, .fsdpDevices = 2});
    std::vector<std::string> events;
    RecordingEndpoint endpoint(events);
    Communicator fsdp(endpoint, {0, 1});
    const auto meter = std::make_shared<MemoryMeter>();
    const auto outside = std::make_shared<MemoryMeter>();
    {
        const MeterScope scope(outside);
        LayerStream stream(weights, fsdp, meter);
        std::vector<const std::byte*> places;
        for (int layer = 0; layer < 4; ++layer) {
            const LayerTensors tensors = stream.next();
            places.push_back(tensors.get("rows").raw());
            events.push_back("compute " + std::to_string(layer));
        }
        EXPECT_EQ(places[0], places[2]);
        EXPECT_EQ(places[1], places[3]);
        EXPECT_NE(places[0], places[1]);
        EXPECT_THROW(static_cast<void>(stream.next()), Error);
        EXPECT_EQ(meter->current(), 4 * weights[0].residentBytes()) << "two layers of two shards";
    }
    EXPECT_THAT(events, ElementsAre("start 0", "wait 0", "start 1", "compute 0", "wait 1", "start 2",
                                    "compute 1", "wait 2", "start 3", "compute 2", "wait 3", "compute 3"));
    EXPECT_EQ(meter->current(), 0U);
    EXPECT_EQ(outside->peak(), 0U);
}

TEST_F(LayerWeightsTest, EveryDeviceGetsEveryLayer) {
    const std::vector<LayerWeights> whole = load({});
    for (const int devices : {1, 2, 3, 4}) {
        DeviceMesh mesh({.layout = MeshLayout({.fsdp = devices}), .workersPerDevice = 1});
        mesh.run({}, nullptr, [&](Device& device) {
            const std::vector<LayerWeights> weights = load(WeightShard::of(device));
            LayerStream stream(weights, device.along(MeshAxis::Fsdp), std::make_shared<MemoryMeter>());
            for (const LayerWeights& expected : whole) {
                const LayerTensors tensors = stream.next();
                for (const char* name : {"rows", "columns", "whole"})
                    EXPECT_EQ(valuesOf(tensors.get(name)), valuesOf(expected.tensors().get(name)))
                        << name << " of " << devices;
            }
        });
    }
}

}  // namespace
}  // namespace meshreel
