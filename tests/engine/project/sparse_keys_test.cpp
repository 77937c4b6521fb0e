// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of block-sparse attention: what they become, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/project/attention_check.h"
#include "engine/project/maxdiffusion_import.h"
#include "engine/project/project.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"
#include "tests/support/refusal.h"

namespace meshreel::sparse_key_cases {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Project sparseProject(std::string_view method, std::string_view attention = "flash") {
    Project project;
    project.sparseAttention = method;
    project.attention = attention;
    return project;
}

/// Of a model with 12 heads of 128; the keys that are to blame.
std::vector<Problem> problemsOn(const Project& project, int contextDevices) {
    return attentionProblems(attentionSettings(project), 12, 128, contextDevices, 1);
}

TEST(SparseKeys, NothingIsOnByDefault) {
    EXPECT_FALSE(attentionSettings(Project()).sparse);
}

TEST(SparseKeys, MethodsHaveTheirPublishedDefaults) {
    const SparseSettings sol = attentionSettings(sparseProject("sol")).sparse.value();
    EXPECT_EQ(sol.rule.method, SparseMethod::Sol);
    EXPECT_EQ(sol.rule.blockTokens, 64);
    EXPECT_EQ(sol.rule.tau, 1.3);
    EXPECT_EQ(sol.start, 0.2);
    EXPECT_EQ(sol.end, 1.0);
    EXPECT_EQ(sol.minimumTokens, 12288);
    const SparseSettings radial = attentionSettings(sparseProject("radial")).sparse.value();
    EXPECT_EQ(radial.rule.blockTokens, 128);
    EXPECT_EQ(radial.rule.decay, 1.0);
    const SparseSettings svg = attentionSettings(sparseProject("svg")).sparse.value();
    EXPECT_EQ(svg.rule.density, 0.25);
    EXPECT_EQ(svg.highNoiseDensity, 0.5);
    EXPECT_EQ(svg.lowNoiseDensity, 0.2);
    EXPECT_EQ(svg.rule.profileQueries, 64);
    EXPECT_EQ(svg.rule.sampledRows, 10000);
    EXPECT_TRUE(svg.rule.firstFrame);
}

TEST(SparseKeys, DenseLayersAreNumbersOfBlocks) {
    Project project = sparseProject("sol");
    project.sparseDenseLayers = "0, 1,39";
    EXPECT_THAT(attentionSettings(project).sparse->denseLayers, ElementsAre(0, 1, 39));
    EXPECT_TRUE(numberListProblems(project).empty());
    for (const char* wrong : {"0.5", "-1", "first"}) {
        project.sparseDenseLayers = wrong;
        const std::vector<Problem> problems = numberListProblems(project);
        ASSERT_FALSE(problems.empty()) << wrong;
        EXPECT_EQ(problems.front().key, "sparse_dense_layers");
    }
}

TEST(SparseKeys, ModesWhoseKernelCannotSayWhichCan) {
    for (const auto& [mode, instead] :
         {std::pair{"dot_product", "flash"}, std::pair{"ulysses_custom_fixed_m", "ulysses"},
          std::pair{"ulysses_custom_fixed_m_per_q_block", "ulysses"}}) {
        const std::vector<Problem> problems = problemsOn(sparseProject("sol", mode), 1);
        ASSERT_EQ(problems.size(), 1U) << mode;
        EXPECT_THAT(problems.front(), testing::Fault("sparse-attention-not-for-mode"));
        EXPECT_EQ(problems.front().key, "sparse_attention");
        EXPECT_THAT(problems.front().hint(), HasSubstr(instead));
        ASSERT_FALSE(problems.front().fixes.empty());
        EXPECT_EQ(problems.front().fixes.front().changes.front().value, instead);
    }
    for (const char* mode : {"flash", "ulysses", "ulysses_custom", "tokamax_ring", "tokamax_ring_custom"})
        EXPECT_TRUE(problemsOn(sparseProject("sol", mode), 4).empty()) << mode;
}

TEST(SparseKeys, SvgNeedsAllKeysOfAHeadOnOneDevice) {
    for (const char* mode : {"flash", "tokamax_ring"}) {
        const std::vector<Problem> problems = problemsOn(sparseProject("svg", mode), 4);
        ASSERT_EQ(problems.size(), 1U) << mode;
        EXPECT_EQ(problems.front().fixes.front().changes.front().value, "ulysses");
        EXPECT_TRUE(problemsOn(sparseProject("radial", mode), 4).empty());
    }
    const std::vector<Problem> tooMany = problemsOn(sparseProject("svg", "tokamax_ring"), 16);
    ASSERT_EQ(tooMany.size(), 1U);
    EXPECT_EQ(tooMany.front().fixes.front().changes.front().value, "sol")
        << "12 heads are not for 16 devices";
    EXPECT_TRUE(problemsOn(sparseProject("svg", "ulysses"), 4).empty());
    EXPECT_TRUE(problemsOn(sparseProject("svg", "flash"), 1).empty());
}

TEST(SparseKeys, ARangeWithoutStepsIsRefused) {
    Project project = sparseProject("sol");
    project.sparseEndPercent = 0.2;
    const std::vector<Problem> problems = problemsOn(project, 1);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_THAT(problems.front(), testing::Fault("sparse-range-empty"));
    EXPECT_EQ(problems.front().key, "sparse_end_percent");
}

const ImportedKey& importedKey(const MaxDiffusionImport& imported, std::string_view name) {
    const auto found = std::ranges::find(imported.keys, name, &ImportedKey::name);
    EXPECT_NE(found, imported.keys.end()) << name;
    return found == imported.keys.end() ? imported.keys.front() : *found;
}

TEST(SparseKeys, MaxDiffusionsPolicyIsTranslated) {
    const MaxDiffusionImport imported = importMaxDiffusion(
        "num_inference_steps: 40\n"
        "attention: 'ulysses_custom'\n"
        "use_svg_attention: True\n"
        "svg_high_noise_density: 0.50\n"
        "svg_low_noise_density: 0.20\n"
        "svg_active_start_step: 11\n"
        "svg_active_end_step: 40\n"
        "svg_active_start_layer: 1\n"
        "svg_active_end_layer: 40\n"
        "svg_flash_block_sizes: {block_q: 3328}\n",
        "base_wan_27b.yml");
    const Project& project = imported.project;
    EXPECT_EQ(project.sparseAttention, "svg");
    EXPECT_EQ(project.sparseMinTokens, 0);
    EXPECT_DOUBLE_EQ(project.sparseStartPercent, 0.275);
    EXPECT_DOUBLE_EQ(project.sparseEndPercent, 1.0);
    EXPECT_EQ(project.sparseDenseLayers, "0");
    EXPECT_EQ(project.svgHighNoiseDensity, 0.5);
    EXPECT_EQ(importedKey(imported, "use_svg_attention").fate, ImportFate::Translated);
    EXPECT_EQ(importedKey(imported, "svg_active_end_layer").fate, ImportFate::Translated);
    EXPECT_EQ(importedKey(imported, "svg_low_noise_density").fate, ImportFate::Taken);
    EXPECT_EQ(importedKey(imported, "svg_flash_block_sizes").fate, ImportFate::Ignored);
}

TEST(SparseKeys, APolicyThatIsOffChangesNothing) {
    const MaxDiffusionImport imported = importMaxDiffusion(
        "attention: 'flash'\nuse_svg_attention: False\nsvg_active_start_step: -1\n", "base_wan_27b.yml");
    EXPECT_EQ(imported.project.sparseAttention, "none");
    EXPECT_EQ(imported.project.sparseStartPercent, 0.2);
    EXPECT_EQ(importedKey(imported, "use_svg_attention").fate, ImportFate::Ignored);
}

}  // namespace
}  // namespace meshreel::sparse_key_cases
