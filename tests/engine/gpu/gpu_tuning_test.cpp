// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_tuning.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "engine/base/files.h"
#include "engine/gpu/gpu_stream.h"

namespace meshreel {
namespace {

class Tuning : public ::testing::Test {
  protected:
    ScratchFolder scratch;
    std::filesystem::path file = scratch.path() / "cache" / "gpu-tuning.json";
    std::vector<MeasuredVariant> variants{
        {.form = "scalar", .rate = 2e12},
        {.form = "khr_f16", .block = "a", .rate = 5e12},
        {.form = "khr_f16", .block = "b", .rate = 7e12},
        {.form = "ptx_bf16", .block = "a", .rate = 1e12, .text = "a hash"},
        {.form = "khr_bf16", .block = "a", .rate = 0, .why = sentence("it computes wrong values")}};
};

TEST_F(Tuning, TheNextProcessKnowsTheFastest) {
    GpuTuning first(file, "card");
    EXPECT_EQ(first.find("linear", "1"), nullptr);
    first.keep("linear", "1", variants);
    GpuTuning(file, "another card").keep("linear", "1", {{.form = "scalar", .rate = 1}});
    const GpuTuning next(file, "card");
    const MeasuredKernel* known = next.find("linear", "1");
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->fastest()->block, "b");
    EXPECT_EQ(known->variants.back().why, variants.back().why);
    EXPECT_TRUE(known->variants[3].isSameAs(variants[3]));
    EXPECT_FALSE(known->variants[3].isSameAs({.form = "ptx_bf16", .block = "a", .text = "another"}));
    EXPECT_EQ(next.find("linear", "2"), nullptr);  // other shaders
    EXPECT_EQ(next.find("attention 128", "1"), nullptr);
}

TEST_F(Tuning, KernelsOfPtxThatWereNotMeasuredAgainStayKnown) {
    GpuTuning(file, "card").keep("linear", "1", variants);
    GpuTuning(file, "card").keep("linear", "1", {{.form = "scalar", .rate = 3e12}});
    const GpuTuning next(file, "card");
    const std::vector<MeasuredVariant>& known = next.find("linear", "1")->variants;
    ASSERT_EQ(known.size(), 2U) << "shaders are measured all at once";
    EXPECT_EQ(known[0].rate, 3e12);
    EXPECT_TRUE(known[1].isSameAs(variants[3]));
    GpuTuning(file, "card").keep("linear", "1", {{.form = "ptx_bf16", .block = "a", .text = "another"}});
    ASSERT_EQ(GpuTuning(file, "card").find("linear", "1")->variants.size(), 1U);
    EXPECT_EQ(GpuTuning(file, "card").find("linear", "1")->variants[0].text, "another");
}

/// Ends, without a word, as it measures a kernel. Returns whether others left it alone as long as it did.
bool endsMeasuring(const std::filesystem::path& file, const std::string& revision,
                   const MeasuredVariant& variant) {
    const pid_t child = ::fork();
    if (child == 0) {
        const GpuTuning measuring(file, "card");
        {
            const GpuTuning::Trying done(measuring, "linear", revision,
                                         {.form = "ptx_bf16", .block = "done"});
        }
        const GpuTuning::Trying trying(measuring, "linear", revision, variant);
        const GpuTuning::Trying ofShaders(measuring, "linear", revision, {.form = "khr_f16", .block = "b"});
        const MeasuredKernel* known = GpuTuning(file, "card").find("linear", "1");
        ::_exit(known == nullptr || known->variants.size() == 5 ? 0 : 1);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && status == 0;
}

/// The kernel of PTX among what is known; it is the last one when it was doubted or refused.
MeasuredVariant lastKnown(const GpuTuning& tuning) {
    return tuning.find("linear", "1")->variants.back();
}

TEST_F(Tuning, AKernelThatAProcessMeasuredWhenItEndedIsDoubtedOnceAndThenRefused) {
    GpuTuning(file, "card").keep("linear", "1", variants);
    ASSERT_TRUE(endsMeasuring(file, "1", variants[3]));
    for (int time = 0; time < 2; ++time) {
        const GpuTuning next(file, "card");
        ASSERT_EQ(next.find("linear", "1")->variants.size(), variants.size());
        EXPECT_EQ(next.find("linear", "1")->fastest()->block, "b");
        EXPECT_TRUE(lastKnown(next).isSameAs(variants[3]));
        EXPECT_TRUE(lastKnown(next).isDoubted());
        EXPECT_EQ(lastKnown(next).rate, 0);
    }
    GpuTuning(file, "card").keep("linear", "1", variants);  // it was measured since
    ASSERT_TRUE(endsMeasuring(file, "1", variants[3]));
    EXPECT_TRUE(lastKnown(GpuTuning(file, "card")).isDoubted()) << "these are not two in a row";
    ASSERT_TRUE(endsMeasuring(file, "1", variants[3]));
    const GpuTuning refusing(file, "card");
    EXPECT_FALSE(lastKnown(refusing).isDoubted());
    EXPECT_FALSE(lastKnown(refusing).why.empty());
}

TEST_F(Tuning, ANoteOnAKernelOfAnotherRevisionIsDropped) {
    GpuTuning(file, "card").keep("linear", "1", variants);
    ASSERT_TRUE(endsMeasuring(file, "0", variants[3]));
    const GpuTuning next(file, "card");
    ASSERT_NE(next.find("linear", "1"), nullptr);
    EXPECT_EQ(next.find("linear", "1")->variants.size(), variants.size());
    EXPECT_FALSE(next.find("linear", "1")->variants[3].isDoubted());
    for (const auto& entry : std::filesystem::directory_iterator(file.parent_path()))
        EXPECT_THAT(entry.path().filename().string(), ::testing::Not(::testing::HasSubstr("trying")));
}

TEST_F(Tuning, ARefusalKeepsWhatIsKnown) {
    GpuTuning first(file, "card");
    first.keep("linear", "1", variants);
    first.refuse("linear", "1", variants[3], sentence("it lost the device"));
    const GpuTuning next(file, "card");
    EXPECT_EQ(next.find("linear", "1")->variants.size(), variants.size());
    EXPECT_EQ(lastKnown(next).why, sentence("it lost the device"));
    EXPECT_EQ(lastKnown(next).rate, 0);
}

TEST_F(Tuning, ProcessesThatKeepAtOnceLoseNothing) {
    constexpr int kernels = 20;
    const auto keepAll = [&](const std::string& card) {
        GpuTuning tuning(file, card);
        for (int kernel = 0; kernel < kernels; ++kernel)
            tuning.keep(std::to_string(kernel), "1", {{.form = "scalar", .rate = 1}});
    };
    {
        const std::jthread one(keepAll, "card");
        const std::jthread other(keepAll, "another card");
    }
    EXPECT_EQ(GpuTuning(file, "card").kernels().size(), std::size_t{kernels});
    EXPECT_EQ(GpuTuning(file, "another card").kernels().size(), std::size_t{kernels});
}

TEST_F(Tuning, ADamagedFileCountsAsNone) {
    GpuTuning(file, "card").keep("linear", "1", variants);
    writeFileAtomically(file, "{\"kernels\": [{]");
    GpuTuning again(file, "card");
    EXPECT_EQ(again.find("linear", "1"), nullptr);
    again.keep("linear", "1", variants);
    EXPECT_NE(GpuTuning(file, "card").find("linear", "1"), nullptr);
}

TEST_F(Tuning, ARestrictionIsOfOneProcess) {
    GpuTuning(file, "card").keep("linear", "1", variants);
    GpuTuning restricted(file, "card");
    restricted.restrict({.form = "khr_f16", .block = "a"});
    EXPECT_EQ(restricted.find("linear", "1"), nullptr);
    EXPECT_TRUE(restricted.filter().admits("khr_f16", "a"));
    EXPECT_FALSE(restricted.filter().admits("khr_f16", "b"));
    EXPECT_FALSE(restricted.filter().admits("scalar", ""));
    restricted.keep("linear", "1", {{.form = "khr_f16", .block = "a", .rate = 1}});
    EXPECT_EQ(GpuTuning(file, "card").find("linear", "1")->fastest()->block, "b");
}

TEST(Portions, FollowTheMeasuredRate) {
    PortionControl fast;
    for (int submission = 0; submission < 20; ++submission)
        fast.learn(fast.portion(), fast.portion() / 3e13);  // 30 TFLOP/s
    EXPECT_NEAR(fast.portion() / 3e13, PortionControl::wantedSeconds, 1e-3);
    PortionControl slow;
    for (int submission = 0; submission < 3; ++submission)
        slow.learn(slow.portion(), slow.portion() / 2e9);  // 2 GFLOP/s: a second at first
    EXPECT_NEAR(slow.portion() / 2e9, PortionControl::wantedSeconds, 1e-3);
}

TEST(Portions, SmallSubmissionsTeachOnlyThatTheyAreTooSlow) {
    PortionControl control;
    control.learn(control.portion() / 100, 1e-3);
    EXPECT_EQ(control.portion(), PortionControl::first);
    control.learn(0, 1.0);
    EXPECT_EQ(control.portion(), PortionControl::first);
    control.learn(control.portion() / 100, 0.5);
    EXPECT_LT(control.portion(), PortionControl::first / 500);
}

}  // namespace
}  // namespace meshreel
