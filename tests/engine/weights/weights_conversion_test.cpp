// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/weights_conversion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iterator>

#include "engine/base/error.h"
#include "engine/weights/formats/safetensors_writer.h"
#include "tests/support/instrumented.h"
#include "tests/support/random_tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WeightsConversion : public ::testing::Test {
  protected:
    WeightsConversion() {
        std::vector<NamedTensor> tensors{
            {"condition_embedder.time_proj.weight", testing::randomTensor({12, 8}, 1)},
            {"blocks.0.attn1.to_q.weight", testing::randomTensor({96, 256}, 2)},
            {"blocks.0.attn1.to_q.bias", testing::randomTensor({96}, 3).to(DType::BF16)},
            {"blocks.0.norm2.weight", testing::randomTensor({256}, 4)},
            {"blocks.0.scale_shift_table", testing::randomTensor({1, 6, 256}, 5)},
            {"patch_embedding.weight", testing::randomTensor({256, 4, 1, 2, 2}, 6)},
            {"face_adapter.0.to_k.weight", testing::randomTensor({8, 256}, 7)},
            {"face_adapter.0.to_v.weight", testing::randomTensor({8, 256}, 8)}};
        writeSafetensors(m_folder / "source.safetensors", tensors);
    }

    /// The source and what it became.
    ConversionReport convert(const std::string& name, const ConversionOrder& order) {
        return convertWeights(Checkpoint::open(m_folder / "source.safetensors"), m_folder / name, order);
    }

    static void expectEqual(const Checkpoint& a, const Checkpoint& b) {
        EXPECT_EQ(a.names(), b.names());
        for (const std::string& name : a.names()) {
            ASSERT_EQ(a.shape(name), b.shape(name)) << name;
            const Tensor left = a.get(name).toF32();
            const Tensor right = b.get(name).toF32();
            EXPECT_TRUE(std::ranges::equal(left.data<float>(), right.data<float>())) << name;
        }
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(WeightsConversion, AStopLeavesNothing) {
    StopSource stop;
    const auto stopInTheMiddle = [&stop](std::uint64_t, std::uint64_t) { stop.request_stop(); };
    try {
        convert("new.gguf",
                {.layout = TargetLayout::Original, .progress = stopInTheMiddle, .stop = stop.get_token()});
        FAIL() << "went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
        EXPECT_EQ(entry.path().filename(), "source.safetensors");
}

TEST_F(WeightsConversion, WhatAKilledConversionLeftIsRemovedByTheNext) {
    const pid_t killed = ::fork();
    if (killed == 0) {
        const auto die = [](std::uint64_t, std::uint64_t) { ::raise(SIGKILL); };
        convert("new.safetensors", {.progress = die});
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(killed, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto files = [&] {
        return std::distance(std::filesystem::directory_iterator(m_folder.path()),
                             std::filesystem::directory_iterator());
    };
    ASSERT_EQ(files(), 2) << "the source and a part";
    convert("new.safetensors", {});
    EXPECT_EQ(files(), 2) << "the source and the file";
    EXPECT_TRUE(std::filesystem::exists(m_folder / "new.safetensors"));
}

TEST_F(WeightsConversion, BetweenLayoutsNothingIsLost) {
    const Checkpoint source = Checkpoint::open(m_folder / "source.safetensors");
    for (const auto& [layout, file] : {std::pair{TargetLayout::Comfy, "comfy.safetensors"},
                                       std::pair{TargetLayout::Original, "original.gguf"},
                                       std::pair{TargetLayout::Original, "original.safetensors"},
                                       std::pair{TargetLayout::Diffusers, "diffusers.safetensors"}}) {
        SCOPED_TRACE(file);
        const ConversionReport report = convert(file, {.layout = layout});
        EXPECT_TRUE(report.left.empty());
        for (const auto& [type, loss] : report.losses)
            EXPECT_EQ(loss.largest, 0.0) << type;
        EXPECT_EQ(report.bytes, fs::file_size(m_folder / file));
        expectEqual(Checkpoint::open(m_folder / file), source);
    }
    const TensorFile comfy = TensorFile::open(m_folder / "comfy.safetensors");
    ASSERT_NE(comfy.find("model.diffusion_model.blocks.0.self_attn.q.weight"), nullptr);
    EXPECT_EQ(comfy.find("model.diffusion_model.blocks.0.self_attn.q.bias")->type, StoredType::BF16);
    // Two of diffusers' tensors are one of the original project's.
    EXPECT_EQ(comfy.find("model.diffusion_model.face_adapter.fuser_blocks.0.linear1_kv.weight")->shape,
              (Shape{16, 256}));
}

TEST_F(WeightsConversion, OnlyMatricesOfLayersAreQuantised) {
    for (const std::string_view name : targetNumberNames()) {
        SCOPED_TRACE(name);
        const TargetNumbers numbers = *targetNumbers(name);
        const bool blocks = storedTypeInfo(*numbers.type).blockElements > 1;
        const std::string file = std::string(name) + (blocks ? ".gguf" : ".safetensors");
        static_cast<void>(convert(file, {.numbers = numbers}));
        const Checkpoint written = Checkpoint::open(m_folder / file);
        EXPECT_EQ(written.storedType("blocks.0.attn1.to_q.weight"), *numbers.type);
        EXPECT_EQ(written.isScaled("blocks.0.attn1.to_q.weight"), numbers.scaled);
        const StoredType vector = written.storedType("blocks.0.norm2.weight");
        EXPECT_EQ(vector, isQuantised(*numbers.type) ? StoredType::F32 : *numbers.type);
        // And back: what the blocks hold is kept to the bit.
        static_cast<void>(
            convertWeights(written, m_folder / "back.safetensors", {.numbers = {.type = StoredType::F32}}));
        expectEqual(Checkpoint::open(m_folder / "back.safetensors"), written);
    }
}

TEST_F(WeightsConversion, WhatCannotBeHeldIsRefusedAndNothingIsLeft) {
    try {
        static_cast<void>(convert("a.safetensors", {.numbers = *targetNumbers("Q8_0")}));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Project);
        EXPECT_THAT(error.what(), HasSubstr(".gguf"));
    }
    EXPECT_FALSE(fs::exists(m_folder / "a.safetensors"));
    EXPECT_FALSE(targetNumbers("IQ3_S"));
}

std::int64_t peakKilobytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/// A tensor of 512 MiB, of which no more than a part is ever in memory.
TEST_F(WeightsConversion, MemoryDoesNotGrowWithATensor) {
    if (testing::racesAreChecked)
        GTEST_SKIP() << testing::needsItsOwnMemory;
    const fs::path source = m_folder / "large.safetensors";
    const std::vector<TensorSpec> tensors{{"blocks.0.ffn.net.0.proj.weight", DType::BF16, {1 << 18, 1024}},
                                          {"condition_embedder.time_proj.weight", DType::F32, {1, 1}}};
    streamSafetensors(source, tensors, {});
    const std::int64_t before = peakKilobytes();
    const ConversionReport report = convertWeights(Checkpoint::open(source), m_folder / "large.gguf",
                                                   {.numbers = *targetNumbers("Q4_0")});
    EXPECT_EQ(report.losses.at("Q4_0").largest, 0.0);
    EXPECT_LT(peakKilobytes() - before, 320 << 10);
}

}  // namespace
}  // namespace meshreel
