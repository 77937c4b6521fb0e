// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/adapters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
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

    [[nodiscard]] Error refusal(const LoraList& adapters, std::size_t transformers) const {
        try {
            static_cast<void>(plan(adapters, transformers));
        } catch (const Error& refused) {
            return refused;
        }
        ADD_FAILURE() << "no error";
        return {ErrorKind::Internal, "no error"};
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

TEST_F(PlannedAdaptersTest, AFolderOfPeftIsReadWithItsDescription) {
    const fs::path folder = m_folder / "peft";
    fs::create_directory(folder);
    EXPECT_THAT(refusal({{.file = folder.string()}}, 1).what(),
                AllOf(HasSubstr("holds no adapter"), HasSubstr("adapter_model.safetensors")));
    fs::copy(m_folder / "lora.safetensors", folder / "adapter_model.safetensors");
    writeFileAtomically(folder / "adapter_config.json", R"({"r": 1, "lora_alpha": 8})");
    const PlannedAdapters planned = plan({{.file = folder.string(), .strength = 0.5}}, 1);
    ASSERT_EQ(planned.size(), 1U);
    EXPECT_EQ(planned[0].adapter->path(), folder / "adapter_model.safetensors");
    EXPECT_EQ(planned[0].adapter->effectiveScale()->most, 4);
    EXPECT_THAT(describeAdapter(planned[0]),
                AllOf(HasSubstr("effective scale 4"), HasSubstr("adapter_config.json (lora_alpha 8, r 1)")));
    EXPECT_THAT(adaptersJson(planned).dump(), HasSubstr("adapter_config.json"));
}

TEST_F(PlannedAdaptersTest, ScalesThatDifferStandWithTheirLayers) {
    writeSafetensors(m_folder / "model.safetensors",
                     std::vector<NamedTensor>{{"condition_embedder.time_proj.weight", Tensor::zeros({1, 1})},
                                              {"blocks.0.attn1.to_q.weight", Tensor::zeros({2, 2})},
                                              {"blocks.1.attn1.to_q.weight", Tensor::zeros({2, 2})},
                                              {"blocks.0.attn1.to_k.weight", Tensor::zeros({2, 2})}});
    m_weights = {Checkpoint::open(m_folder / "model.safetensors")};
    std::vector<NamedTensor> tensors;
    for (const char* module : {"blocks.0.attn1.to_q", "blocks.1.attn1.to_q", "blocks.0.attn1.to_k"}) {
        tensors.emplace_back(std::string(module) + ".lora_A.weight", Tensor::zeros({1, 2}));
        tensors.emplace_back(std::string(module) + ".lora_B.weight", Tensor::zeros({2, 1}));
    }
    writeSafetensors(
        m_folder / "scaled.safetensors", tensors,
        {{"lora_adapter_metadata", R"({"r": 1, "lora_alpha": 3, "alpha_pattern": {"to_k": 7}})"}});
    const PlannedAdapters planned = plan({{.file = (m_folder / "scaled.safetensors").string()}}, 1);
    EXPECT_THAT(describeAdapter(planned[0]),
                AllOf(HasSubstr("effective scale 3 to 7"),
                      HasSubstr("effective scale 3: blocks.*.attn1.to_q.weight (2)"),
                      HasSubstr("effective scale 7: blocks.0.attn1.to_k.weight")));
}

TEST_F(PlannedAdaptersTest, AFileThatNamesBothExpertsReachesBoth) {
    const auto write = [&](const std::string& name,
                           std::initializer_list<std::pair<const char*, float>> experts) {
        std::vector<NamedTensor> tensors;
        for (const auto& [expert, value] : experts) {
            const std::string module = std::string(expert) + ".blocks.0.attn1.to_q.lora_";
            tensors.emplace_back(module + "A.weight", Tensor::from<float>({1, 2}, {value, 0}));
            tensors.emplace_back(module + "B.weight", Tensor::from<float>({2, 1}, {1, 1}));
        }
        writeSafetensors(m_folder / name, tensors);
        return (m_folder / name).string();
    };
    const std::string both = write("both.safetensors", {{"transformer", 3.0F}, {"transformer_2", 5.0F}});
    const auto firstWeight = [&](const PlannedAdapters& planned, int expert) {
        Checkpoint weights = m_weights[static_cast<std::size_t>(expert) - 1];
        addAdapters(planned, expert, weights);
        return weights.get("blocks.0.attn1.to_q.weight").data<float>()[0];
    };
    PlannedAdapters planned = plan({{.file = both}}, 2);
    ASSERT_EQ(planned.size(), 2U);
    EXPECT_EQ(firstWeight(planned, 1), 3.0F);
    EXPECT_EQ(firstWeight(planned, 2), 5.0F);
    planned = plan({{.file = both, .expert = ExpertChoice::Low}}, 2);
    EXPECT_EQ(firstWeight(planned, 1), 0.0F);
    EXPECT_EQ(firstWeight(planned, 2), 5.0F);
    EXPECT_EQ(refusal({{.file = both}}, 1).kind(), ErrorKind::Input);

    const std::string second = write("second.safetensors", {{"transformer_2", 7.0F}});
    planned = plan({{.file = second}}, 2);
    EXPECT_EQ(firstWeight(planned, 1), 0.0F);
    EXPECT_EQ(firstWeight(planned, 2), 7.0F);
    const Error refused = refusal({{.file = second, .expert = ExpertChoice::High}}, 2);
    EXPECT_EQ(refused.kind(), ErrorKind::Project);
    EXPECT_THAT(refused.what(), HasSubstr("layers for transformer_2"));

    const std::string first = write("first.safetensors", {{"transformer", 2.0F}});
    planned = plan({{.file = first}}, 2);
    EXPECT_EQ(firstWeight(planned, 1), 2.0F);
    EXPECT_EQ(firstWeight(planned, 2), 2.0F) << "a file of one transformer is for both";
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
