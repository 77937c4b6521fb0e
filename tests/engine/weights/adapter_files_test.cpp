// SPDX-License-Identifier: GPL-3.0-or-later
// Adapters as trainers save them: under wrapped names, with words of their own, two in one file, or broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors_writer.h"
#include "engine/weights/lora.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using testing::At;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Names;
using testing::Refusal;

/// A transformer of one linear layer [2, 2] and a norm of 2.
class AdapterFile : public ::testing::Test {
  protected:
    AdapterFile() {
        writeSafetensors(
            m_folder / "base.safetensors",
            std::vector<NamedTensor>{{"condition_embedder.time_proj.weight", Tensor::zeros({1, 1})},
                                     {"blocks.0.attn1.to_q.weight", Tensor::zeros({2, 2})},
                                     {"blocks.0.norm2.weight", Tensor::zeros({2})},
                                     {"blocks.0.norm2.bias", Tensor::zeros({2})}});
    }

    std::vector<float> merged(const std::vector<NamedTensor>& adapter, const std::string& name) {
        writeSafetensors(m_folder / "lora.safetensors", adapter);
        Checkpoint base = Checkpoint::open(m_folder / "base.safetensors");
        m_adapter = LoraAdapter::open(m_folder / "lora.safetensors", base, 1);
        base.addPatch(m_adapter);
        const Tensor tensor = base.get(name);
        return {tensor.data<float>().begin(), tensor.data<float>().end()};
    }

    std::vector<float> mergedPair(const std::string& module, const std::string& down = ".lora_A.weight",
                                  const std::string& up = ".lora_B.weight") {
        return merged({{module + down, m_down}, {module + up, m_up}}, weight);
    }

    Refusal refusalOf(const std::vector<NamedTensor>& adapter) {
        return testing::refusalOf(ErrorKind::Input, [&] { merged(adapter, weight); });
    }

    static constexpr const char* weight = "blocks.0.attn1.to_q.weight";
    const Tensor m_down = Tensor::from<float>({1, 2}, {1, 2});
    const Tensor m_up = Tensor::from<float>({2, 1}, {1, 10});
    testing::TemporaryFolder m_folder;
    std::shared_ptr<const LoraAdapter> m_adapter;
};

TEST_F(AdapterFile, WhatWrapsAModelInATrainingIsNoPartOfItsNames) {
    for (const char* module :
         {"_orig_mod.blocks.0.self_attn.q", "base_model.model._orig_mod.blocks.0.self_attn.q",
          "_orig_mod.base_model.model.blocks.0.attn1.to_q", "blocks.0._orig_mod.self_attn.q",
          "base_model.model.blocks.0._checkpoint_wrapped_module.self_attn.q",
          "_fsdp_wrapped_module.blocks.0._fsdp_wrapped_module.self_attn.q",
          "_forward_module.module.blocks.0.self_attn.q"}) {
        SCOPED_TRACE(module);
        EXPECT_THAT(mergedPair(module), ElementsAre(1, 2, 10, 20));
        EXPECT_THAT(m_adapter->unmatchedKeys(), IsEmpty());
    }
}

TEST_F(AdapterFile, ATrainersOwnWordsMayStandInFront) {
    EXPECT_THAT(mergedPair("My_video_lora_blocks_0_self_attn_q", ".lora_down.weight", ".lora_up.weight"),
                ElementsAre(1, 2, 10, 20));
    EXPECT_TRUE(refusalOf({{"Mylora_blocks_0_self_attn_q.lora_down.weight", m_down},
                           {"Mylora_blocks_0_self_attn_q.lora_up.weight", m_up}}));
}

TEST_F(AdapterFile, NormsThatLyCorisTrainsAreDifferences) {
    const Tensor difference = Tensor::from<float>({2}, {3, 4});
    const std::vector<NamedTensor> adapter{{"lycoris_blocks_0_norm3.w_norm", difference},
                                           {"lycoris_blocks_0_norm3.b_norm", difference}};
    EXPECT_THAT(merged(adapter, "blocks.0.norm2.weight"), ElementsAre(3, 4));
    EXPECT_THAT(merged(adapter, "blocks.0.norm2.bias"), ElementsAre(3, 4));
    EXPECT_THAT(m_adapter->unmatchedKeys(), IsEmpty());
}

TEST_F(AdapterFile, OfTwoAdaptersInOneFileNoneIsTaken) {
    const std::string module = "blocks.0.self_attn.q";
    EXPECT_THAT(refusalOf({{module + ".lora_A.default.weight", m_down},
                           {module + ".lora_B.default.weight", m_up},
                           {module + ".lora_A.other.weight", m_down},
                           {module + ".lora_B.other.weight", m_up}}),
                Names(module + ".lora_A.default.weight", module + ".lora_A.other.weight"));
}

TEST_F(AdapterFile, NumbersThatAreNoneAreBlamedOnTheAdapter) {
    const std::string module = "blocks.0.self_attn.q";
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const Tensor up = Tensor::from<float>({2, 1}, {1, bad});
        EXPECT_THAT(refusalOf({{module + ".lora_A.weight", m_down}, {module + ".lora_B.weight", up}}),
                    At(AllOf(HasSubstr("lora.safetensors"), HasSubstr(module + ".lora_B.weight"))));
        EXPECT_THAT(refusalOf({{module + ".diff", Tensor::from<float>({2, 2}, {1, 2, bad, 4})}}),
                    At(HasSubstr(module + ".diff")));
    }
}

/// They are no adapter of another family because "transformer." stands before "blocks.".
TEST_F(AdapterFile, AFormThatIsNotReadIsToldFromAnotherModel) {
    const Refusal form = refusalOf({{"transformer.blocks.0.attn1.to_q.lora_layer.down.weight", m_down},
                                    {"transformer.blocks.0.attn1.to_q.lora_layer.up.weight", m_up}});
    EXPECT_THAT(form, At(HasSubstr("transformer.blocks.0.attn1.to_q.lora_layer.down.weight")));
    const Refusal four = refusalOf({{"lycoris_blocks_0_self_attn_q.a1.weight", m_down},
                                    {"lycoris_blocks_0_self_attn_q.a2.weight", m_up}});
    EXPECT_THAT(four, At(HasSubstr("lycoris_blocks_0_self_attn_q.a1.weight")));
    testing::expectFaults(
        {{"form", form}, {"form", four}, {"stranger", refusalOf({{"layers.7.mlp.lora_A.weight", m_down}})}});
}

}  // namespace
}  // namespace meshreel
