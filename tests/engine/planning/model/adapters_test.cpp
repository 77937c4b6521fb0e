// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/adapters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "engine/base/error.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PlannedAdaptersTest : public ::testing::Test {
  protected:
    PlannedAdaptersTest() {
        writeSafetensors(
            m_folder / "model.safetensors",
            std::vector<NamedTensor>{{"condition_embedder.time_proj.weight", Tensor::zeros({1, 1})},
                                     {"blocks.0.attn1.to_q.weight", Tensor::zeros({2, 2})},
                                     {"blocks.0.attn1.to_q.bias", Tensor::zeros({2})}});
        writeSafetensors(m_folder / "lora.safetensors",
                         std::vector<NamedTensor>{
                             {"blocks.0.attn1.to_q.lora_A.weight", Tensor::from<float>({1, 2}, {1, 2})},
                             {"blocks.0.attn1.to_q.lora_B.weight", Tensor::from<float>({2, 1}, {1, 1})}});
        m_weights.push_back(Checkpoint::open(m_folder / "model.safetensors"));
        m_weights.push_back(Checkpoint::open(m_folder / "model.safetensors"));
    }

    [[nodiscard]] PlannedAdapters plan(const LoraList& adapters, std::size_t transformers) const {
        std::vector<AdapterTarget> targets;
        for (std::size_t index = 0; index < transformers; ++index)
            targets.push_back({static_cast<int>(index) + 1, &m_weights[index]});
        return planAdapters(adapters, targets);
    }

    testing::TemporaryFolder m_folder;
    std::vector<Checkpoint> m_weights;
};

TEST_F(PlannedAdaptersTest, GoIntoTheExpertsTheyAreMeantFor) {
    const std::string file = (m_folder / "lora.safetensors").string();
    const LoraList adapters{{.file = file, .strength = 1.0, .expert = ExpertChoice::High},
                            {.file = file, .strength = 2.0, .expert = ExpertChoice::Low},
                            {.file = file, .strength = 4.0}};
    const PlannedAdapters planned = plan(adapters, 2);
    ASSERT_EQ(planned.size(), 4U);
    for (const int expert : {1, 2}) {
        Checkpoint weights = m_weights[static_cast<std::size_t>(expert) - 1];
        addAdapters(planned, expert, weights);
        const Tensor merged = weights.get("blocks.0.attn1.to_q.weight");
        EXPECT_EQ(merged.data<float>()[0], expert == 1 ? 5.0F : 6.0F);
    }
    EXPECT_THAT(describeAdapter(planned[0]), HasSubstr("(high expert)"));
    EXPECT_EQ(plan({{.file = file}}, 1).size(), 1U);
    try {
        static_cast<void>(plan({{.file = file, .expert = ExpertChoice::Low}}, 1));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Project);
    }
}

TEST_F(PlannedAdaptersTest, ChangedWeightsAreCopies) {
    const PlannedAdapters planned = plan({{.file = (m_folder / "lora.safetensors").string()}}, 1);
    const StoredLayers layers = std::make_shared<const std::vector<StoredLayer>>(
        1, StoredLayer{.prefix = "blocks.0.",
                       .parameters = {{.parameter = {.name = "attn1.to_q.weight", .shape = {2, 2}}},
                                      {.parameter = {.name = "attn1.to_q.bias", .shape = {2}}}}});
    const StoredLayers changed = adaptedLayers(planned, 1, layers);
    const LayerMemory memory = layersMemory(*changed, {}, {}, 1);
    EXPECT_EQ(memory.copied, 4 * sizeof(float));
    EXPECT_EQ(memory.mapped, 2 * sizeof(float));
    EXPECT_EQ(layersMemory(*adaptedLayers(planned, 2, layers), {}, {}, 1).copied, 0U);
}

TEST(CollapsedNames, NamesThatDifferByNumbersStandOnce) {
    const std::vector<std::string> names{"blocks.0.to_q.weight", "blocks.12.to_q.weight", "head.weight",
                                         "ffn.net.2.weight"};
    EXPECT_THAT(collapsedNames(names),
                ElementsAre("blocks.*.to_q.weight (2)", "ffn.net.2.weight", "head.weight"));
}

}  // namespace
}  // namespace meshreel
