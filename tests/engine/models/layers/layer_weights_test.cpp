// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/layers/layer_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/weights/formats/gguf.h"
#include "engine/weights/lora.h"
#include "tests/support/random_tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using testing::randomTensor;
using testing::TemporaryFolder;

constexpr int tensorDevices = 2;

std::vector<float> rowValues(const Tensor& tensor) {
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
        checkpoint = std::make_shared<const Checkpoint>(Checkpoint::open(folder / "weights.safetensors"));
    }

    [[nodiscard]] std::vector<LayerWeights> load(const WeightShard& shard,
                                                 Residence residence = Residence::Kept) const {
        std::vector<LayerWeights> loaded;
        for (const WanLayer& layer : layers)
            loaded.emplace_back(layer, checkpoint, shard, WanPrecision{}, nullptr, residence);
        return loaded;
    }

    TemporaryFolder folder;
    std::vector<WanLayer> layers;
    std::shared_ptr<const Checkpoint> checkpoint;
};

TEST_F(LayerWeightsTest, OneFsdpDeviceLooksIntoTheMap) {
    const LayerWeights weights(layers[0], checkpoint, {});
    EXPECT_FALSE(weights.sharded());
    EXPECT_EQ(weights.tensors()->get("rows").raw(), checkpoint->get("a.rows").raw());
    EXPECT_EQ(weights.residentBytes(), (30U + 30U + 7U) * sizeof(float));
    EXPECT_FALSE(weights.tensors()->has("absent"));
    EXPECT_THROW(static_cast<void>(weights.tensors()->get("absent")), Error);
}

TEST_F(LayerWeightsTest, TensorDevicesHaveTheirRowsAndColumns) {
    for (int index = 0; index < tensorDevices; ++index) {
        const LayerWeights weights(layers[1], checkpoint,
                                   {.tensorIndex = index, .tensorDevices = tensorDevices});
        const Tensor rows = checkpoint->get("b.rows").slice(3 * index, 3 * index + 3);
        EXPECT_EQ(weights.tensors()->get("rows").raw(), rows.raw()) << "rows are looked at, not copied";
        EXPECT_EQ(weights.tensors()->get("rows").shape(), (Shape{3, 5}));
        std::vector<float> columns;
        for (std::int64_t row = 0; row < 3; ++row) {
            const std::vector<float> whole = rowValues(checkpoint->get("b.columns").slice(row, row + 1));
            columns.insert(columns.end(), whole.begin() + 5 * index, whole.begin() + 5 * index + 5);
        }
        EXPECT_EQ(rowValues(weights.tensors()->get("columns")), columns);
        EXPECT_EQ(weights.tensors()->get("whole").raw(), checkpoint->get("b.whole").raw());
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
                const LayerWeights weights(layers[2], checkpoint, shardAt(index));
                const std::span<const std::uint8_t> shard = weights.shard().data<std::uint8_t>();
                EXPECT_EQ(weights.residentBytes(), shard.size());
                flat.insert(flat.end(), shard.begin(), shard.end());
            }
            const LayerWeights some(layers[2], checkpoint, shardAt(0));
            const std::shared_ptr<const LayerTensors> found =
                some.tensorsIn(Tensor::from({static_cast<std::int64_t>(flat.size())}, flat));
            const LayerWeights whole(layers[2], checkpoint,
                                     {.tensorIndex = tensor, .tensorDevices = tensorDevices});
            for (const char* name : {"rows", "columns", "whole"})
                EXPECT_EQ(rowValues(found->get(name)), rowValues(whole.tensors()->get(name)))
                    << name << " of " << devices;
        }
}

TEST_F(LayerWeightsTest, RefusesAnotherShape) {
    layers[0].parameters[0].shape = {6, 4};
    EXPECT_THROW(LayerWeights(layers[0], checkpoint, {}), Error);
    EXPECT_THROW(LayerWeights(layers[0], checkpoint, {.fsdpIndex = 0, .fsdpDevices = 2}), Error);
}

/// Stands in for the others of an fsdp group, and notes what was started and waited for.
class RecordingEndpoint final : public Endpoint {
  public:
    explicit RecordingEndpoint(std::vector<std::string>& events) : m_events(events) {}

    [[nodiscard]] int device() const override { return 0; }
    [[nodiscard]] std::shared_ptr<Transfer> start(std::span<const Send> sends,
                                                  std::span<const Receive> receives) override {
        EXPECT_EQ(sends.size(), 1U);
        EXPECT_EQ(receives.size(), 1U);
        m_events.push_back("start " + std::to_string(m_started));
        return std::make_shared<Recorded>(m_events, m_started++);
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
            const std::shared_ptr<const LayerTensors> tensors = stream.next();
            places.push_back(tensors->get("rows").raw());
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

class EveryDevice : public LayerWeightsTest, public ::testing::WithParamInterface<Residence> {};

TEST_P(EveryDevice, GetsEveryLayer) {
    const std::vector<LayerWeights> whole = load({});
    for (const int devices : {1, 2, 3, 4}) {
        DeviceMesh mesh({.layout = MeshLayout({.fsdp = devices}), .workersPerDevice = 2});
        mesh.run({}, nullptr, [&](Device& device) {
            const std::vector<LayerWeights> weights = load(WeightShard::of(device), GetParam());
            for (const LayerWeights& layer : weights)
                EXPECT_EQ(layer.residentBytes() == 0, GetParam() == Residence::Streamed);
            LayerStream stream(weights, device.along(MeshAxis::Fsdp), std::make_shared<MemoryMeter>(),
                               &device.execution());
            for (const LayerWeights& expected : whole) {
                const std::shared_ptr<const LayerTensors> tensors = stream.next();
                for (const char* name : {"rows", "columns", "whole"})
                    EXPECT_EQ(rowValues(tensors->get(name)), rowValues(expected.tensors()->get(name)))
                        << name << " of " << devices;
            }
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Residences, EveryDevice, ::testing::Values(Residence::Kept, Residence::Streamed),
                         [](const auto& test) {
                             return test.param == Residence::Kept ? "Kept" : "Streamed";
                         });

/// Two linear layers whose matrices are quantised: a device of two has half of the first one's rows and half
/// of the second one's columns, which end within a block. An adapter adds to the second.
class QuantisedLayer : public ::testing::TestWithParam<StoredType> {
  protected:
    static constexpr std::int64_t rows = 6;
    static constexpr std::int64_t columns = 768;  // 384 of one device: one and a half of the largest blocks

    QuantisedLayer() {
        const std::vector<std::byte> matrix = packedAs(GetParam(), rows * columns);
        const std::vector<std::byte> bias = packedAs(StoredType::F32, rows);
        writeGguf(folder / "weights.gguf",
                  std::vector<GgufTensor>{{"a.q.weight", {rows, columns}, GetParam(), matrix},
                                          {"a.q.bias", {rows}, StoredType::F32, bias},
                                          {"a.o.weight", {rows, columns}, GetParam(), matrix},
                                          {"a.o.bias", {rows}, StoredType::F32, bias}},
                  {});
        Checkpoint opened = Checkpoint::open(folder / "weights.gguf");
        opened.addPatch(adapter(opened));
        checkpoint = std::make_shared<const Checkpoint>(std::move(opened));
    }

    static std::vector<std::byte> packedAs(StoredType type, std::int64_t count) {
        const Tensor values = randomTensor({count}, static_cast<std::uint32_t>(count));
        std::vector<std::byte> packed;
        packStored(type, values.data<float>(), packed);
        return packed;
    }

    [[nodiscard]] std::shared_ptr<const LoraAdapter> adapter(const Checkpoint& target) const {
        writeSafetensors(folder / "lora.safetensors",
                         std::vector<NamedTensor>{{"a.o.lora_A.weight", randomTensor({3, columns}, 5)},
                                                  {"a.o.lora_B.weight", randomTensor({rows, 3}, 6)}});
        return LoraAdapter::open(folder / "lora.safetensors", target, 0.5);
    }

    [[nodiscard]] LayerWeights load(const WeightShard& shard, const WanPrecision& precision = {},
                                    Residence residence = Residence::Kept) const {
        return {layer, checkpoint, shard, precision, nullptr, residence};
    }

    [[nodiscard]] static std::vector<float> weightsOf(const LayerTensors& tensors, const std::string& name) {
        const PackedMatrix matrix = tensors.linearWithoutBias(name, Arithmetic::F32);
        const Tensor weight = matrix.packed().parts.front();
        return rowValues(weight);
    }

    [[nodiscard]] std::vector<float> expected(const std::string& name, const WeightShard& shard) const {
        const Tensor whole = checkpoint->get("a." + name + ".weight");
        const std::int64_t parts = shard.tensorDevices;
        const std::int64_t ownRows = name == "q" ? rows / parts : rows;
        const std::int64_t ownColumns = name == "q" ? columns : columns / parts;
        const std::int64_t firstRow = name == "q" ? ownRows * shard.tensorIndex : 0;
        const std::int64_t firstColumn = name == "q" ? 0 : ownColumns * shard.tensorIndex;
        std::vector<float> values;
        for (std::int64_t row = firstRow; row < firstRow + ownRows; ++row) {
            const auto from = whole.data<float>().subspan(
                static_cast<std::size_t>(row * columns + firstColumn), static_cast<std::size_t>(ownColumns));
            values.insert(values.end(), from.begin(), from.end());
        }
        return values;
    }

    TemporaryFolder folder;
    std::shared_ptr<const Checkpoint> checkpoint;
    const WanLayer layer{
        .name = "a",
        .prefix = "a.",
        .parameters = {
            {.name = "q.weight", .shape = {rows, columns}, .split = TensorSplit::Rows, .blockLinear = true},
            {.name = "q.bias", .shape = {rows}, .split = TensorSplit::Rows},
            {.name = "o.weight",
             .shape = {rows, columns},
             .split = TensorSplit::Columns,
             .blockLinear = true},
            {.name = "o.bias", .shape = {rows}}}};
};

void expectNear(const std::vector<float>& found, const std::vector<float>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], expected[i], 1e-5) << i;
}

TEST_P(QuantisedLayer, StaysInTheFileOfTensorDevices) {
    for (const int devices : {1, 2})
        for (int index = 0; index < devices; ++index) {
            const WeightShard shard{.tensorIndex = index, .tensorDevices = devices};
            const LayerWeights weights = load(shard);
            EXPECT_EQ(weights.residentBytes(), (rows / devices + rows) * sizeof(float)) << "the biases";
            const std::shared_ptr<const LayerTensors> used = weights.tensors();
            expectNear(weightsOf(*used, "q"), expected("q", shard));
            expectNear(weightsOf(*used, "o"), expected("o", shard));
        }
}

TEST_P(QuantisedLayer, IsGatheredAsTheFileHasIt) {
    constexpr int devices = 3;
    const std::size_t stored = checkpoint->storedBytes("a.q.weight").size();
    for (const int tensor : {0, 1}) {
        std::vector<std::uint8_t> flat;
        for (int index = 0; index < devices; ++index)
            for (const Residence residence : {Residence::Kept, Residence::Streamed}) {
                const LayerWeights weights = load({index, devices, tensor, 2}, {}, residence);
                std::vector<std::uint8_t> room(static_cast<std::size_t>(weights.shardBytes()));
                const auto own = weights.shardIn(room);
                EXPECT_EQ(weights.residentBytes(), residence == Residence::Kept ? own.size() : 0);
                EXPECT_LT(own.size() * devices, stored + 10 * columns) << "halves of two matrices, in blocks";
                if (residence == Residence::Kept)
                    flat.insert(flat.end(), own.begin(), own.end());
                else
                    EXPECT_TRUE(std::ranges::equal(own, std::span(flat).last(own.size())));
            }
        for (const DType activations : {DType::F32, DType::BF16}) {
            const WanPrecision precision{.weights = Arithmetic::F32, .activations = activations};
            const std::shared_ptr<const LayerTensors> used =
                load({0, devices, tensor, 2}, precision).tensorsIn(Tensor::from({std::ssize(flat)}, flat));
            const PackedMatrix matrix = used->linear("o");
            EXPECT_EQ(matrix.arithmetic(), precision.linears());
            EXPECT_EQ(matrix.inFeatures(), columns / 2);
            if (activations == DType::F32)
                expectNear(weightsOf(*used, "o"), expected("o", {.tensorIndex = tensor, .tensorDevices = 2}));
        }
    }
}

TEST_P(QuantisedLayer, IsNotKeptForStreamingInATypeThatIsLarger) {
    const CacheFolder cache(folder / "cache", ".packed", 1 << 30);
    PackedWeightStore store(cache, "key", [](const std::string& warning) { FAIL() << warning; });
    PackedLinearStore linears(store);
    const WanPrecision brain{.weights = Arithmetic::BF16, .activations = DType::BF16};
    const LayerWeights streamed(layer, checkpoint, {}, brain, &linears, Residence::Streamed);
    store.finish();
    EXPECT_EQ(streamed.residentBytes(), 0U);
    EXPECT_TRUE(cache.entries().empty());
}

TEST_P(QuantisedLayer, OfBfloat16IsUnpackedOnceUnlessItIsStreamed) {
    const WanPrecision brain{.weights = Arithmetic::BF16, .activations = DType::BF16};
    const LayerWeights kept = load({}, brain);
    EXPECT_GE(kept.residentBytes(), 2 * rows * columns * sizeof(BFloat16));
    const LayerWeights streamed = load({}, brain, Residence::Streamed);
    EXPECT_EQ(streamed.residentBytes(), 0U);
    for (const char* name : {"q", "o"}) {
        const PackedForm first = kept.tensors()->linear(name, Arithmetic::BF16).packed();
        const PackedForm second = streamed.tensors()->linear(name, Arithmetic::BF16).packed();
        ASSERT_EQ(first.parts.size(), second.parts.size());
        for (std::size_t part = 0; part < first.parts.size(); ++part)
            EXPECT_EQ(
                std::memcmp(first.parts[part].raw(), second.parts[part].raw(), first.parts[part].bytes()), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Types, QuantisedLayer,
                         ::testing::Values(StoredType::Q8_0, StoredType::Q4_0, StoredType::Q5_1,
                                           StoredType::Q4_K, StoredType::Q6_K),
                         [](const auto& test) { return std::string(storedTypeInfo(test.param).name); });

class StreamedFromTheStore : public ::testing::TestWithParam<Arithmetic> {
  protected:
    static constexpr std::int64_t features = 256;

    StreamedFromTheStore() {
        writeSafetensors(folder / "weights.safetensors",
                         std::vector<NamedTensor>{{"a.q.weight", randomTensor({features, features}, 1)},
                                                  {"a.q.bias", randomTensor({features}, 2)}});
        checkpoint = std::make_shared<const Checkpoint>(Checkpoint::open(folder / "weights.safetensors"));
    }

    [[nodiscard]] LayerWeights load(PackedLinearStore* store, Residence residence) const {
        return {layer, checkpoint, {}, precision, store, residence};
    }

    /// All parts of the packed matrix.
    [[nodiscard]] std::vector<std::byte> narrowedBits(const LayerWeights& weights) const {
        std::vector<std::byte> bits;
        const PackedMatrix matrix = weights.tensors()->linear("q", precision.linears());
        for (const Tensor& part : matrix.packed().parts)
            bits.insert(bits.end(), part.raw(), part.raw() + part.bytes());
        return bits;
    }

    TemporaryFolder folder;
    std::shared_ptr<const Checkpoint> checkpoint;
    const WanPrecision precision{.weights = GetParam(), .activations = DType::BF16};
    const WanLayer layer{
        .name = "a",
        .prefix = "a.",
        .parameters = {{.name = "q.weight", .shape = {features, features}, .blockLinear = true},
                       {.name = "q.bias", .shape = {features}}}};
};

TEST_P(StreamedFromTheStore, IsMappedAndPackedNoMore) {
    const CacheFolder cache(folder / "cache", ".packed", 1 << 30);
    const auto fail = [](const std::string& warning) { FAIL() << warning; };
    const std::vector<std::byte> expected = narrowedBits(load(nullptr, Residence::Kept));
    {
        PackedWeightStore store(cache, "key", fail);
        PackedLinearStore linears(store);
        const LayerWeights first = load(&linears, Residence::Streamed);
        store.finish();
        EXPECT_EQ(first.residentBytes(), 0U);
        EXPECT_EQ(narrowedBits(first), expected);
    }
    PackedWeightStore store(cache, "key", fail);
    ASSERT_TRUE(store.hit());
    PackedLinearStore linears(store);
    const auto meter = std::make_shared<MemoryMeter>();
    const MeterScope scope(meter);
    const LayerWeights second = load(&linears, Residence::Streamed);
    second.prefetch();
    EXPECT_EQ(narrowedBits(second), expected);
    EXPECT_LT(meter->peak(), static_cast<std::size_t>(features * features)) << "nothing is packed in memory";
}

INSTANTIATE_TEST_SUITE_P(Types, StreamedFromTheStore, ::testing::Values(Arithmetic::BF16, Arithmetic::Int8),
                         [](const auto& test) { return std::string(nameOf(test.param)); });

TEST_F(LayerWeightsTest, StreamedLayersAreSharedByThoseThatUseThemTogether) {
    const std::vector<LayerWeights> weights =
        load({.tensorIndex = 1, .tensorDevices = 2}, Residence::Streamed);
    const auto meter = std::make_shared<MemoryMeter>();
    const MeterScope scope(meter);
    {
        const std::shared_ptr<const LayerTensors> one = weights[1].tensors();
        const std::size_t used = meter->current();
        EXPECT_GT(used, 0U) << "columns are copies";
        const std::shared_ptr<const LayerTensors> other = weights[1].tensors();
        EXPECT_EQ(one->get("columns").raw(), other->get("columns").raw());
        EXPECT_EQ(meter->current(), used);
    }
    EXPECT_EQ(meter->current(), 0U);
    EXPECT_EQ(rowValues(weights[1].tensors()->get("rows")), rowValues(checkpoint->get("b.rows").slice(3, 6)));
}

/// Bytes of a mapped file that are in this process's memory.
std::size_t residentBytesOf(const std::filesystem::path& file) {
    constexpr std::size_t kibibyte = 1024;
    std::ifstream maps("/proc/self/smaps");
    std::size_t sum = 0;
    bool isOfFile = false;
    for (std::string line; std::getline(maps, line);)
        if (std::isupper(static_cast<unsigned char>(line.front())) == 0)  // the addresses of a map
            isOfFile = line.ends_with(file.string());
        else if (isOfFile && line.starts_with("Rss:"))
            sum += std::stoull(line.substr(line.find(':') + 1)) * kibibyte;
    return sum;
}

/// Layers of 8 MiB each, f32 in the file.
class PagesOfTheMap : public ::testing::Test {
  protected:
    static constexpr std::int64_t features = 1024;
    /// The directory, biases and what the system maps around them: 2 MiB where its file cache has huge pages.
    static constexpr std::size_t little = 4 << 20;

    PagesOfTheMap() {
        const std::vector<WanParameter> parameters{
            {.name = "q.weight",
             .shape = {features, features},
             .split = TensorSplit::Rows,
             .blockLinear = true},
            {.name = "q.bias", .shape = {features}, .split = TensorSplit::Rows},
            {.name = "o.weight",
             .shape = {features, features},
             .split = TensorSplit::Columns,
             .blockLinear = true},
            {.name = "o.bias", .shape = {features}}};
        std::vector<NamedTensor> tensors;
        for (const char* layer : {"a.", "b.", "c."}) {
            layers.push_back({.name = layer, .prefix = layer, .parameters = parameters});
            for (const WanParameter& parameter : parameters)
                tensors.emplace_back(layer + parameter.name, Tensor::zeros(parameter.shape, DType::F32));
        }
        writeSafetensors(file, tensors);
        checkpoint = std::make_shared<const Checkpoint>(Checkpoint::open(file));
    }

    void expectNoneLeft(const WeightShard& shard, const WanPrecision& precision) {
        std::vector<LayerWeights> loaded;
        for (const WanLayer& layer : layers) {
            loaded.emplace_back(layer, checkpoint, shard, precision);
            EXPECT_LT(residentBytesOf(file), little) << loaded.size() << " layers";
        }
    }

    TemporaryFolder folder;
    const std::filesystem::path file = folder / "weights.safetensors";
    std::vector<WanLayer> layers;
    std::shared_ptr<const Checkpoint> checkpoint;
};

TEST_F(PagesOfTheMap, AreGivenBackAsSoonAsAMatrixIsPacked) {
    ASSERT_LT(residentBytesOf(file), little);
    for (const Arithmetic weights : {Arithmetic::BF16, Arithmetic::Int8}) {
        expectNoneLeft({}, {.weights = weights, .activations = DType::BF16});
        expectNoneLeft({.tensorIndex = 1, .tensorDevices = 2},
                       {.weights = weights, .activations = DType::BF16});
    }
}

TEST_F(PagesOfTheMap, AreGivenBackWhenADeviceHasItsShard) {
    expectNoneLeft({.fsdpIndex = 1, .fsdpDevices = 2}, {});
}

TEST_F(PagesOfTheMap, StayWhereTheyAreComputedWith) {
    const LayerWeights weights(layers[0], checkpoint, {});
    const std::shared_ptr<const LayerTensors> tensors = weights.tensors();
    const Tensor weight = tensors->linear("q").packed().parts.front();
    EXPECT_EQ(weight.raw(), checkpoint->get("a.q.weight").raw());
    for (const float value : weight.data<float>())
        ASSERT_EQ(value, 0.0F);
    EXPECT_GE(residentBytesOf(file), weight.bytes());
}

}  // namespace
}  // namespace meshreel
