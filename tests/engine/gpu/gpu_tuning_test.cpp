// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_tuning.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

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

/// A process that ends, without a word, as it measures one.
TEST_F(Tuning, AKernelThatEndedTheProcessThatMeasuredItIsRefused) {
    GpuTuning(file, "card").keep("linear", "1", variants);
    const pid_t child = ::fork();
    if (child == 0) {
        const GpuTuning measuring(file, "card");
        { const GpuTuning::Trying done(measuring, "linear", "1", {.form = "ptx_bf16", .block = "done"}); }
        const GpuTuning::Trying trying(measuring, "linear", "1", variants[3]);
        const GpuTuning::Trying ofShaders(measuring, "linear", "1", variants[2]);
        // As long as it measures, others leave it alone.
        const bool isLeft = GpuTuning(file, "card").find("linear", "1")->variants[3].why.empty();
        ::_exit(isLeft ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    for (int time = 0; time < 2; ++time) {
        const GpuTuning next(file, "card");
        const MeasuredKernel* known = next.find("linear", "1");
        ASSERT_NE(known, nullptr);
        EXPECT_EQ(known->fastest()->block, "b");
        ASSERT_EQ(known->variants.size(), variants.size());
        EXPECT_TRUE(known->variants.back().isSameAs(variants[3]));
        EXPECT_EQ(known->variants.back().rate, 0);
        EXPECT_FALSE(known->variants.back().why.empty());
    }
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
