// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/measured_forms.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <vector>

#include "engine/base/files.h"

#include "tests/support/refusal.h"

namespace meshreel {
namespace {

class MeasuredForms : public ::testing::Test {
  protected:
    ScratchFolder scratch;
    std::filesystem::path file = scratch.path() / "gpu-tuning.json";
    GpuTuning tuning{file, "card"};
    std::vector<MeasuredVariant> variants{
        {.form = "scalar", .rate = 2e12},
        {.form = "khr_f16", .block = "a", .rate = 5e12},
        {.form = "khr_f16", .block = "b", .rate = 7e12},
        {.form = "khr_bf16", .block = "a", .rate = 0, .why = sentence("it computes wrong values")}};
};

TEST_F(MeasuredForms, AreTakenWhenTheyAreTheFastest) {
    GpuFacts facts;
    for (const char* name : {"scalar", "nv_f16", "khr_f16", "khr_bf16"})
        facts.forms.push_back({.name = name, .offered = true, .taken = std::string(name) == "scalar"});
    facts.forms[1].offered = false;
    facts.forms[1].why = sentence("the driver does not offer it");
    const GpuFacts before = facts;
    addMeasuredForms(facts, tuning);
    EXPECT_FALSE(facts.forms[2].taken);
    EXPECT_FALSE(facts.forms[2].why.empty()) << "it is not measured";
    EXPECT_FALSE(facts.forms[2].rate);
    EXPECT_TRUE(facts.forms[0].why.empty());
    EXPECT_EQ(facts.forms[1].why, before.forms[1].why);
    tuning.keep("linear", "1", variants);
    addMeasuredForms(facts, tuning);
    EXPECT_TRUE(facts.forms[0].taken);  // of f32
    EXPECT_THAT(facts.forms[0].why, testing::Names("khr_f16", "7", "2"));
    EXPECT_EQ(facts.forms[1].why, before.forms[1].why);
    EXPECT_TRUE(facts.forms[2].taken);
    EXPECT_TRUE(facts.forms[2].why.empty());
    EXPECT_FALSE(facts.forms[3].taken);
    EXPECT_EQ(facts.forms[3].why, variants.back().why);
    EXPECT_EQ(facts.forms[0].rate, 2e12);
    EXPECT_FALSE(facts.forms[1].rate);
    EXPECT_EQ(facts.forms[2].rate, 7e12);  // of its faster block
    EXPECT_FALSE(facts.forms[3].rate);
}

TEST_F(MeasuredForms, OfInt8AreThoseOfItsOwnKernel) {
    GpuFacts facts;
    for (const char* name : {"scalar", "khr_f16", "int8", "int8_dot"})
        facts.forms.push_back({.name = name, .offered = true, .taken = std::string(name) == "scalar"});
    tuning.keep("linear", "1", variants);
    addMeasuredForms(facts, tuning);
    EXPECT_FALSE(facts.forms[2].taken);
    EXPECT_FALSE(facts.forms[2].why.empty()) << "it is not measured";
    tuning.keep("linear int8", "1",
                {{.form = "scalar", .rate = 1e12},
                 {.form = "int8", .rate = 9e12},
                 {.form = "int8_dot", .rate = 3e12}});
    addMeasuredForms(facts, tuning);
    EXPECT_EQ(facts.forms[0].rate, 2e12) << "the scalar form is told of bf16";
    EXPECT_TRUE(facts.forms[1].taken);
    EXPECT_TRUE(facts.forms[2].taken);
    EXPECT_TRUE(facts.forms[2].why.empty());
    EXPECT_EQ(facts.forms[2].rate, 9e12);
    EXPECT_FALSE(facts.forms[3].taken);
    EXPECT_THAT(facts.forms[3].why, testing::Names("int8", "9", "3"));
}

/// What a plan names before convolutions are measured.
TEST_F(MeasuredForms, OfConvolutionsAreThoseOfTheirKernels) {
    for (const char* form : {"scalar", "nv_f16", "khr_f16", "khr_bf16"})
        EXPECT_TRUE(convolvesIn(form)) << form;
    for (const char* form : {"ptx_bf16", "ptx_int8", "int8", "unknown"})
        EXPECT_FALSE(convolvesIn(form)) << form;
}

/// A line for each, since attention has several: taken, slower or refused.
TEST_F(MeasuredForms, OfAttentionByPtxAreTold) {
    GpuFacts facts;
    facts.forms = {{.name = "scalar", .offered = true, .taken = true}, {.name = "ptx_bf16", .offered = true}};
    tuning.keep("linear", "1",
                {{.form = "scalar", .rate = 2e12}, {.form = "ptx_bf16", .block = "a", .rate = 5e12}});
    tuning.keep("attention 128", "1",
                {{.form = "scalar", .rate = 1e12},
                 {.form = "ptx_bf16", .block = "slow", .rate = 3e12},
                 {.form = "ptx_bf16", .block = "fast", .rate = 6e12},
                 {.form = "ptx_bf16", .block = "wrong", .rate = 0, .why = sentence("it crashed")}});
    addMeasuredForms(facts, tuning);
    ASSERT_EQ(facts.forms.size(), 5U);
    EXPECT_TRUE(facts.forms[1].taken);
    EXPECT_EQ(facts.forms[1].rate, 5e12);
    EXPECT_EQ(facts.forms[2].name, "ptx_bf16, attention 128 slow");
    EXPECT_FALSE(facts.forms[2].taken);
    EXPECT_THAT(facts.forms[2].why, testing::Names("ptx_bf16", "fast", "6", "3"));
    EXPECT_TRUE(facts.forms[3].taken);
    EXPECT_TRUE(facts.forms[3].why.empty());
    EXPECT_FALSE(facts.forms[4].taken);
    EXPECT_EQ(facts.forms[4].why.text(), "it crashed");
}

}  // namespace
}  // namespace meshreel
