// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/models/layers/layer_memory.h"
#include "tests/support/golden_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

std::int64_t elementsOf(const std::vector<WanLayer>& layers, int tensorDevices) {
    std::int64_t sum = 0;
    for (const WanLayer& layer : layers)
        for (const WanParameter& parameter : layer.parameters)
            sum += shapeOfPart(parameter, tensorDevices).elements();
    return sum;
}

class WanParametersOf : public ::testing::TestWithParam<const char*> {};

TEST_P(WanParametersOf, AreThoseOfAnUpstreamCheckpoint) {
    const GoldenFolder golden(GetParam());
    const Checkpoint checkpoint = Checkpoint::open(golden.file("weights.safetensors"));
    const auto config =
        WanTransformerConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json");
    std::set<std::string> names;
    for (const WanLayer& layer : wanLayers(config))
        for (const WanParameter& parameter : layer.parameters) {
            const std::string name = layer.prefix + parameter.name;
            EXPECT_TRUE(names.insert(name).second) << name << " is in two layers";
            EXPECT_EQ(checkpoint.get(name).shape(), parameter.shape) << name;
        }
    const std::vector<std::string> all = checkpoint.names();
    EXPECT_THAT(names, ::testing::UnorderedElementsAreArray(all));
}

INSTANTIATE_TEST_SUITE_P(Classes, WanParametersOf,
                         ::testing::Values("dit_t2v", "dit_ti2v", "dit_i2v_clip", "dit_flf2v", "dit_vace",
                                           "dit_animate"),
                         [](const auto& test) { return std::string(test.param); });

TEST(WanParameters, PartsOfSplitParametersMakeUpTheWhole) {
    for (const WanLayer& layer : wanLayers({}))
        for (const WanParameter& parameter : layer.parameters) {
            const std::int64_t parts = parameter.split == TensorSplit::None ? 1 : 8;
            EXPECT_EQ(parts * shapeOfPart(parameter, 8).elements(), parameter.shape.elements())
                << parameter.name;
        }
}

TEST(WanParameters, RefuseTensorShardsThatDoNotDivideWithTheLegalOnes) {
    const WanTransformerConfig small{.heads = 12, .ffnDim = 8960};
    for (const int legal : {1, 2, 4})
        EXPECT_NO_THROW(requireTensorDivides(small, legal));
    for (const int illegal : {3, 5, 6, 8, 12})
        try {
            requireTensorDivides(small, illegal);
            FAIL() << illegal << " was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Project);
            EXPECT_EQ(error.where(), "ici_tensor_parallelism");
            EXPECT_THAT(error.hint(), HasSubstr("among 1, 2, 4"));
        }
    EXPECT_NO_THROW(requireTensorDivides({.heads = 40, .ffnDim = 13824}, 8));
}

TEST(WanParameters, BytesFallWithTheShards) {
    const WanTransformerConfig config;  // 14B
    const WanWeightBytes whole = wanWeightBytes(config, 1, 1);
    EXPECT_EQ(whole.resident, static_cast<std::size_t>(elementsOf(wanLayers(config), 1)) * sizeof(float));
    EXPECT_EQ(whole.gathered, 0U);
    for (const int devices : {2, 3, 4, 8}) {
        const WanWeightBytes shard = wanWeightBytes(config, devices, 1);
        EXPECT_NEAR(static_cast<double>(shard.resident) * devices, static_cast<double>(whole.resident),
                    1e-5 * static_cast<double>(whole.resident));
        EXPECT_GT(shard.gathered, 0U);
        EXPECT_LT(shard.gathered, whole.resident / 15) << "two of forty layers";
    }
    EXPECT_EQ(wanWeightBytes(config, 1, 4).resident,
              static_cast<std::size_t>(elementsOf(wanLayers(config), 4)) * sizeof(float));
}

}  // namespace
}  // namespace meshreel
