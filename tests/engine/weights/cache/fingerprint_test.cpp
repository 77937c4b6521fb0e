// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t nothingWhole = 0;

class Fingerprint : public ::testing::Test {
  protected:
    /// One tensor of 80 KB and one of 16 bytes; of the large one number `changed` is another.
    [[nodiscard]] FileFingerprint ofWeights(std::int64_t changed, std::uint64_t mostWhole) const {
        Tensor large = Tensor::zeros({20000});
        if (changed >= 0)
            large.data<float>()[static_cast<std::size_t>(changed)] = 1;
        const fs::path file = m_folder / "weights.safetensors";
        writeSafetensors(file, std::vector<NamedTensor>{{"a", large}, {"b", Tensor::zeros({4})}});
        return fingerprintWeights(TensorFile::open(file), {}, mostWhole);
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(Fingerprint, EveryByteOfASmallFileCounts) {
    const FileFingerprint unchanged = ofWeights(-1, wholeFingerprintBytes);
    EXPECT_FALSE(unchanged.sampled);
    EXPECT_EQ(unchanged, ofWeights(-1, wholeFingerprintBytes)) << "whenever it was written";
    for (const std::int64_t changed : {0, 1500, 9999, 19999})
        EXPECT_NE(unchanged, ofWeights(changed, wholeFingerprintBytes)) << changed;
    EXPECT_EQ(unchanged.bytes, fs::file_size(m_folder / "weights.safetensors"));
}

TEST_F(Fingerprint, ALargeFileIsLookedAtAtTheStartsAndEndsOfItsTensorsAndBetween) {
    const FileFingerprint unchanged = ofWeights(-1, nothingWhole);
    EXPECT_TRUE(unchanged.sampled);
    EXPECT_EQ(unchanged, ofWeights(-1, nothingWhole));
    for (const std::int64_t changed : {0, 1023, 6400, 13000, 18976, 19999})
        EXPECT_NE(unchanged, ofWeights(changed, nothingWhole)) << changed;
    EXPECT_EQ(unchanged, ofWeights(1500, nothingWhole)) << "what lies between the samples is not seen";
}

TEST_F(Fingerprint, TheHeaderOfALargeFileCounts) {
    const auto withMetadata = [&](const std::string& value) {
        const fs::path file = m_folder / "metadata.safetensors";
        writeSafetensors(file, std::vector<NamedTensor>{{"a", Tensor::zeros({4})}}, {{"key", value}});
        return fingerprintWeights(TensorFile::open(file), {}, nothingWhole);
    };
    EXPECT_EQ(withMetadata("one"), withMetadata("one"));
    EXPECT_NE(withMetadata("one"), withMetadata("two"));
}

TEST_F(Fingerprint, SurvivesJson) {
    const FileFingerprint fingerprint = ofWeights(3, nothingWhole);
    EXPECT_EQ(nlohmann::json(fingerprint).get<FileFingerprint>(), fingerprint);
}

TEST_F(Fingerprint, AFolderIsRefusedAndAStopIsHeard) {
    EXPECT_THROW(static_cast<void>(fingerprintFile(m_folder.path(), {})), Error);
    EXPECT_THROW(static_cast<void>(fingerprintFile(m_folder / "none", {})), Error);
    writeFileAtomically(m_folder / "text", "text");
    StopSource stopped;
    stopped.request_stop();
    try {
        static_cast<void>(fingerprintFile(m_folder / "text", stopped.get_token()));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
}

}  // namespace
}  // namespace meshreel
