// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

#include "engine/base/error.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Project);
        return error.what();
    }
    return "no error";
}

std::set<std::string> namesOf(const std::vector<TensorSpec>& tensors) {
    std::set<std::string> names;
    for (const TensorSpec& tensor : tensors)
        names.insert(tensor.name);
    return names;
}

TEST(Architecture, NamesAreUniqueAndSoAreTensors) {
    std::set<std::string_view> names;
    for (const Architecture& each : architectures()) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_TRUE(names.insert(each.shapes).second) << each.shapes;
        const std::vector<TensorSpec> tensors = tensorsOf(each);
        EXPECT_EQ(namesOf(tensors).size(), tensors.size()) << each.name;
    }
}

TEST(Architecture, EveryNameAndAliasFindsIt) {
    for (const Architecture& each : architectures()) {
        EXPECT_EQ(findArchitecture(each.name), &each);
        EXPECT_EQ(findArchitecture(each.shapes), &each);
    }
    EXPECT_THAT(refusal([] { requireArchitecture("wan2.1-t2v-1.4b"); }),
                HasSubstr("Did you mean wan2.1-t2v-1.3b"));
    EXPECT_THAT(refusal([] { requireArchitecture("resnet"); }), HasSubstr("umt5-xxl"));
}

TEST(Architecture, TheEngineReadsTheConfigsThatItRuns) {
    const auto t2v = WanTransformerConfig::fromJson(configOf(requireArchitecture("wan2.1-t2v-1.3b")), "t2v");
    EXPECT_EQ(t2v.innerDim(), 1536);
    EXPECT_EQ(t2v.layers, 30);
    EXPECT_EQ(Umt5Config::fromJson(configOf(requireArchitecture("umt5-xxl")), "umt5").heads, 64);
    EXPECT_EQ(WanVaeConfig::fromJson(configOf(requireArchitecture("wan2.1-vae")), "vae").zDim, 16);
}

TEST(Architecture, FewerLayersHaveFewerTensorsAndTheSameShapes) {
    const Architecture& vace = requireArchitecture("wan2.1-vace-14b");
    const std::set<std::string> six = namesOf(tensorsOf(vace, 6));
    EXPECT_TRUE(six.contains("blocks.5.attn1.to_q.weight"));
    EXPECT_FALSE(six.contains("blocks.6.attn1.to_q.weight"));
    EXPECT_TRUE(six.contains("vace_blocks.1.proj_out.weight")) << "of the blocks 0 and 5";
    EXPECT_FALSE(six.contains("vace_blocks.2.proj_out.weight"));
    const std::set<std::string> all = namesOf(tensorsOf(vace));
    EXPECT_TRUE(std::ranges::includes(all, six));
}

TEST(Architecture, LayersThatAreNotThereAreRefused) {
    const Architecture& umt5 = requireArchitecture("umt5-xxl");
    EXPECT_THAT(refusal([&] { configOf(umt5, 25); }), HasSubstr("1 to 24"));
    EXPECT_THAT(refusal([&] { configOf(umt5, 0); }), HasSubstr("1 to 24"));
    EXPECT_THAT(refusal([] { configOf(requireArchitecture("wan2.2-vae"), 1); }), HasSubstr("--layers"));
}

TEST(Architecture, WeightsAreOfTheReleasedTypeUnlessAskedOtherwise) {
    EXPECT_EQ(tensorsOf(requireArchitecture("clip-vit-h")).front().dtype, DType::F16);
    EXPECT_EQ(tensorsOf(requireArchitecture("wan2.1-vae")).front().dtype, DType::F32);
    EXPECT_EQ(tensorsOf(requireArchitecture("wan2.1-vae"), {}, DType::BF16).front().dtype, DType::BF16);
}

}  // namespace
}  // namespace meshreel
