// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/preview_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/pipelines/generation.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/locations.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PreviewCacheTest : public ::testing::Test {
  protected:
    [[nodiscard]] LatentPreview fitted() { return fitted(vae); }
    [[nodiscard]] LatentPreview fitted(const WanVae& of) {
        return cache().fitted(of, checkpoint, [&] { return LatentPreview::fit(execution, of); });
    }

    PreviewCache cache() {
        return {folder, [this](const std::string& text) { warnings.push_back(text); }};
    }

    static bool equal(const Tensor& a, const Tensor& b) {
        return a.shape() == b.shape() && std::ranges::equal(a.data<float>(), b.data<float>());
    }

    const fs::path modelFolder = testing::sourceFolder() / "resources/models/tiny-wan-t2v/vae";
    const WanVaeConfig config =
        WanVaeConfig::fromJson(readJsonObject(modelFolder / "config.json"), "config.json");
    Checkpoint checkpoint = Checkpoint::open(modelFolder);
    WanVae vae{config, checkpoint};
    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
    testing::TemporaryFolder temporary;
    CacheFolder folder{temporary / "previews", ".safetensors", 1 << 20};
    std::vector<std::string> warnings;
};

TEST_F(PreviewCacheTest, AFitIsKeptAndFoundToTheLastBit) {
    const Tensor fit = LatentPreview::fit(execution, vae).coefficients();
    EXPECT_TRUE(equal(fitted().coefficients(), fit));
    ASSERT_EQ(folder.entries().size(), 1U);
    EXPECT_NO_THROW(verifyPreviewEntry(folder.entries()[0].file));
    const WanVae decoder(config, checkpoint, {}, {}, nullptr, VaeParts::DecoderOnly);
    EXPECT_TRUE(equal(fitted(decoder).coefficients(), fit)) << "needs no encoder any more";
    EXPECT_THAT(warnings, ::testing::IsEmpty());
}

TEST_F(PreviewCacheTest, EveryVaeHasItsOwn) {
    WanVaeConfig other = config;
    other.latentsStd.front() *= 2;
    const WanVae stretched(other, checkpoint);
    const WanVae rounded(config, checkpoint, {.weights = DType::BF16});
    const std::string key = previewKey(vae, checkpoint);
    EXPECT_EQ(previewKey(WanVae(config, checkpoint), checkpoint), key);
    EXPECT_NE(previewKey(stretched, checkpoint), key);
    EXPECT_NE(previewKey(rounded, checkpoint), key);
    fs::copy(modelFolder, temporary / "vae");
    EXPECT_NE(previewKey(vae, Checkpoint::open(temporary / "vae")), key) << "other files";
    static_cast<void>(fitted());
    static_cast<void>(fitted(stretched));
    EXPECT_EQ(folder.entries().size(), 2U);
}

TEST_F(PreviewCacheTest, ADamagedEntryIsToldAndFittedAgain) {
    const Tensor fit = fitted().coefficients();
    const fs::path entry = folder.entries()[0].file;
    {
        std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-3, std::ios::end);
        file.put('!');
    }
    EXPECT_THROW(verifyPreviewEntry(entry), Error);
    EXPECT_TRUE(equal(fitted().coefficients(), fit));
    EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr("damaged")));
    EXPECT_NO_THROW(verifyPreviewEntry(entry));
}

TEST_F(PreviewCacheTest, AFullDiskStopsNothing) {
    {
        const testing::FileSizeLimit full(64);
        EXPECT_EQ(fitted().coefficients().extent(0), 3);
    }
    EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr(std::strerror(EFBIG))));
    EXPECT_THAT(folder.entries(), ::testing::IsEmpty());
}

TEST_F(PreviewCacheTest, RunsUseItUnlessNothingIsToBeKept) {
    Project project = testing::smallProject();
    project.numInferenceSteps = 1;
    const PlanPtr plan = makePlan(project, {.workers = 2});
    const Caches caches{.prompts = CacheFolder(temporary / "prompts", ".safetensors", 1 << 20),
                        .weights = CacheFolder(temporary / "weights", ".packed", 1 << 30),
                        .previews = folder};
    /// The preview of the last step.
    const auto drawPicture = [&](const Caches* kept, Previews previews = Previews::Yes) {
        DeviceMesh mesh(meshOptions(*plan));
        Tensor picture;
        const auto watch = [&picture](const RunEvent& event) {
            handle(event, [&](const Preview& preview) { picture = preview.frames.clone(); });
        };
        static_cast<void>(generate({mesh, {}, nullptr, kept}, *plan, {.previews = previews}, watch));
        return picture;
    };
    static_cast<void>(drawPicture(&caches, Previews::No));
    const Tensor without = drawPicture(nullptr);
    EXPECT_THAT(folder.entries(), ::testing::IsEmpty()) << "nobody asked, or --no-cache";
    const Tensor first = drawPicture(&caches);
    ASSERT_EQ(folder.entries().size(), 1U);
    const auto made = fs::last_write_time(folder.entries()[0].file);
    const Tensor second = drawPicture(&caches);
    EXPECT_EQ(fs::last_write_time(folder.entries()[0].file), made);
    for (const Tensor& picture : {first, second})
        EXPECT_TRUE(std::ranges::equal(picture.data<std::uint8_t>(), without.data<std::uint8_t>()));
}

}  // namespace
}  // namespace meshreel
