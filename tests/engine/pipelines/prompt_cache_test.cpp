// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/text_conditioning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "engine/pipelines/generation.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_umt5.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Messages {
  public:
    void operator()(const RunEvent& event) {
        handle(
            event,
            [this](const RunMessage& message) {
                (message.level == MessageLevel::Warning ? warnings : infos).push_back(message.text);
            },
            [this](const FoundInCache& kept) { found.push_back(kept.phase); });
    }
    std::vector<std::string> warnings;
    std::vector<std::string> infos;
    std::vector<Phase> found;
};

class PromptCacheTest : public ::testing::Test {
  protected:
    GenerationResult generateWith(const Project& project, const Caches* kept) {
        const PlanPtr plan = makePlan(project, {.workers = 2});
        DeviceMesh mesh(meshOptions(*plan));
        return generate({mesh, {}, nullptr, kept}, *plan, {}, std::ref(messages));
    }

    PromptCache cache() {
        return {caches.prompts, [this](const std::string& text) { messages.warnings.push_back(text); }};
    }

    static Project project() {
        Project project = testing::smallProject();
        project.numInferenceSteps = 1;
        return project;
    }

    static bool equal(const Tensor& a, const Tensor& b) {
        return a.shape() == b.shape() && std::ranges::equal(a.data<float>(), b.data<float>());
    }

    testing::TemporaryFolder temporary;
    Caches caches{.prompts = CacheFolder(temporary / "prompts", ".safetensors", 1 << 20),
                  .weights = CacheFolder(temporary / "weights", ".packed", 1 << 30),
                  .previews = CacheFolder(temporary / "previews", ".safetensors", 1 << 20)};
    Messages messages;
};

TEST_F(PromptCacheTest, SecondRunsSkipTheTextEncoderAndHaveTheSameBits) {
    const GenerationResult without = generateWith(project(), nullptr);
    EXPECT_FALSE(without.textEncoderSkipped);
    const GenerationResult first = generateWith(project(), &caches);
    EXPECT_FALSE(first.textEncoderSkipped);
    EXPECT_EQ(caches.prompts.entries().size(), 2U) << "the prompt and the negative one";
    EXPECT_TRUE(messages.infos.empty());
    EXPECT_THAT(messages.found, ::testing::IsEmpty());
    const GenerationResult second = generateWith(project(), &caches);
    EXPECT_TRUE(second.textEncoderSkipped);
    EXPECT_THAT(messages.infos, ::testing::SizeIs(1));
    EXPECT_THAT(messages.found, ::testing::ElementsAre(Phase::Compile, Phase::Conditioning));
    EXPECT_TRUE(equal(first.latents, without.latents));
    EXPECT_TRUE(equal(second.latents, without.latents));
    EXPECT_TRUE(messages.warnings.empty());
}

TEST_F(PromptCacheTest, OnlyWhatIsMissingIsEncoded) {
    static_cast<void>(generateWith(project(), &caches));
    Project other = project();
    other.prompt = "a blue ball moving left on a white background";
    const GenerationResult known = generateWith(other, nullptr);
    const GenerationResult result = generateWith(other, &caches);
    EXPECT_FALSE(result.textEncoderSkipped);
    EXPECT_EQ(caches.prompts.entries().size(), 3U);
    EXPECT_TRUE(equal(result.latents, known.latents));
}

TEST_F(PromptCacheTest, DamagedEntriesAreToldAndMadeAgain) {
    const GenerationResult first = generateWith(project(), &caches);
    for (const CacheEntry& entry : caches.prompts.entries()) {
        std::fstream file(entry.file, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-3, std::ios::end);
        file.put('!');
        EXPECT_THROW(
            {
                file.close();
                verifyPromptEntry(entry.file);
            },
            Error);
    }
    const GenerationResult second = generateWith(project(), &caches);
    EXPECT_FALSE(second.textEncoderSkipped);
    EXPECT_TRUE(equal(first.latents, second.latents));
    EXPECT_EQ(messages.warnings.size(), 2U);
    EXPECT_THAT(messages.warnings, ::testing::Each(HasSubstr("damaged")));
    EXPECT_TRUE(generateWith(project(), &caches).textEncoderSkipped);
    for (const CacheEntry& entry : caches.prompts.entries())
        EXPECT_NO_THROW(verifyPromptEntry(entry.file));
}

TEST_F(PromptCacheTest, TruncatedAndForeignFilesCountAsNone) {
    const Tensor states = testing::randomTensor({1, 3, 8}, 1);
    cache().put("key", states);
    ASSERT_TRUE(cache().find("key"));
    EXPECT_TRUE(equal(*cache().find("key"), states));
    fs::copy_file(caches.prompts.fileOf("key"), caches.prompts.fileOf("other key"));
    EXPECT_FALSE(cache().find("other key")) << "another key's entry";
    const fs::path file = caches.prompts.fileOf("key");
    for (std::uintmax_t size = fs::file_size(file); size-- > 0;) {
        fs::resize_file(file, size);
        ASSERT_FALSE(cache().find("key")) << size << " bytes";
    }
}

TEST_F(PromptCacheTest, AFullDiskStopsNothing) {
    {
        const testing::FileSizeLimit full(64);
        cache().put("key", testing::randomTensor({1, 30, 8}, 1));
    }
    EXPECT_THAT(messages.warnings, ::testing::ElementsAre(HasSubstr(std::strerror(EFBIG))));
    EXPECT_FALSE(cache().find("key"));
}

TEST_F(PromptCacheTest, KeysTellEverythingThatDecidesTheBits) {
    const Umt5Config config{.vocabSize = 9, .dModel = 8, .dKv = 4, .dFf = 8, .layers = 1, .heads = 2};
    const testing::RandomUmt5 a(config, DType::F32, 1);
    const testing::RandomUmt5 b(config, DType::F32, 2);
    WorkerPool one{{.workers = 1}};
    WorkerPool two{{.workers = 2}};
    const Umt5Encoder encoderA(config, a.checkpoint());
    const Umt5Encoder encoderB(config, b.checkpoint());
    const Umt5Encoder rounding(config, a.checkpoint(), Arithmetic::BF16);
    const std::vector<std::int64_t> ids{1, 2};
    const std::vector<std::int64_t> more{1, 2, 3};
    const std::string key = promptKey({one, {}}, encoderA, ids);
    EXPECT_EQ(promptKey({one, {}}, encoderA, ids), key);
    EXPECT_NE(promptKey({one, {}}, encoderA, more), key);
    EXPECT_NE(promptKey({one, {}}, encoderB, ids), key);
    EXPECT_NE(promptKey({two, {}}, encoderA, ids), key);
    EXPECT_NE(promptKey({one, {}}, rounding, ids), key);
}

}  // namespace
}  // namespace meshreel
