// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/fixes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "engine/catalogue/model_library.h"
#include "engine/checks/project_check.h"
#include "engine/project/project_keys.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A project with one fault, and the fixes that are offered for it in their order.
struct FaultyProject {
    std::string yaml;  ///< behind a version and a prompt
    std::string_view id;
    std::vector<std::string> fixes;  ///< as `meshreel validate` prints them, "--set " left out
};

void PrintTo(const FaultyProject& faulty, std::ostream* out) {
    *out << faulty.id << ": " << faulty.yaml;
}

const ModelFacts& tinyModel() {
    static const ModelFacts facts = readModelFacts(findModel("tiny-wan-t2v"));
    return facts;
}

EditedProject edited(const std::string& yaml) {
    EditedProject read = editedProject(readProject("version: 1\nprompt: a ball\n" + yaml, "demo.yaml"));
    std::vector<Problem> more = check(read.project, &tinyModel(), 1);
    std::erase_if(more, [&](const Problem& problem) { return hasFault(read.problems, problem); });
    std::ranges::move(more, std::back_inserter(read.problems));
    return read;
}

std::ptrdiff_t countErrors(const std::vector<Problem>& problems) {
    return std::ranges::count(problems, Severity::Error, &Problem::severity);
}

class Fixes : public ::testing::TestWithParam<FaultyProject> {};

TEST_P(Fixes, AreTheNearestLegalValuesAndEndTheProblem) {
    const EditedProject read = edited(GetParam().yaml);
    const auto fault = std::ranges::find_if(
        read.problems, [](const Problem& problem) { return problem.id.name() == GetParam().id; });
    ASSERT_NE(fault, read.problems.end()) << ::testing::PrintToString(GetParam());
    std::vector<std::string> offered;
    for (const KeyChanges& fix : findFixes(*fault, read, &tinyModel())) {
        offered.push_back(commandLineText(fix).substr(std::string_view("--set ").size()));
        Project fixed = read.project;
        for (const KeyChange& change : fix)
            setFromText(fixed, *findProjectKey(change.key), change.value);
        const std::vector<Problem> left = check(fixed, &tinyModel(), 1);
        EXPECT_FALSE(hasFault(left, *fault)) << offered.back();
        EXPECT_LE(countErrors(left),
                  countErrors(read.problems) - (fault->severity == Severity::Error ? 1 : 0))
            << offered.back();
    }
    EXPECT_EQ(offered, GetParam().fixes);
}

INSTANTIATE_TEST_SUITE_P(
    OfValues, Fixes,
    ::testing::Values(
        FaultyProject{"num_frames: 19\n", "value-off-grid", {"num_frames=17", "num_frames=21"}},
        FaultyProject{"num_frames: 20\n", "value-off-grid", {"num_frames=21", "num_frames=17"}},
        FaultyProject{"width: 5000\n", "value-above-most", {"width=4096"}},
        FaultyProject{"height: 1\n", "value-below-least", {"height=16"}},
        FaultyProject{
            "weights_dtype: bfloat\n", "choice-unknown", {"weights_dtype=bfloat16", "weights_dtype=float32"}},
        FaultyProject{"num_inference_steps: 1_0\n", "number-has-separators", {"num_inference_steps=10"}},
        FaultyProject{"num_inference_steps: 0x10\n", "number-in-another-base", {"num_inference_steps=16"}},
        FaultyProject{"num_inference_steps: 010\n", "number-starts-with-zero", {"num_inference_steps=10"}},
        FaultyProject{"num_inference_steps: 7.6\n",
                      "number-not-whole",
                      {"num_inference_steps=8", "num_inference_steps=7"}},
        FaultyProject{"replicate_vae: off\n", "not-a-boolean", {"replicate_vae=false", "replicate_vae=true"}},
        FaultyProject{"height: \"48\"\n", "value-in-quotes", {"height=48"}},
        FaultyProject{"height:\n", "value-missing", {"height=64"}}));

INSTANTIATE_TEST_SUITE_P(
    OfMeshes, Fixes,
    ::testing::Values(
        FaultyProject{
            "devices: 7\nici_data_parallelism: 2\n", "mesh-does-not-divide", {"devices=6", "devices=8"}},
        FaultyProject{"devices: 4\nici_context_parallelism: 2\ndcn_context_parallelism: 1\n",
                      "mesh-product-differs",
                      {"devices=2"}},
        FaultyProject{
            "ici_data_parallelism: -1\n", "mesh-axes-both-automatic", {"ici_context_parallelism=1"}},
        FaultyProject{"ici_context_parallelism: 100\ndcn_context_parallelism: 50\n",
                      "mesh-too-large",
                      {"ici_context_parallelism=81"}},
        FaultyProject{
            "devices: 4\nvae_spatial: 3\n", "vae-strips-do-not-divide", {"vae_spatial=2", "vae_spatial=4"}},
        FaultyProject{"devices: 4\nattention: ulysses_ring\nulysses_shards: 3\n",
                      "ulysses-shards-do-not-divide",
                      {"ulysses_shards=2", "ulysses_shards=4", "ulysses_shards=1"}},
        FaultyProject{"devices: 4\nattention: ulysses_ring\n",
                      "ulysses-shards-missing",
                      {"ulysses_shards=1", "ulysses_shards=2", "ulysses_shards=4"}},
        FaultyProject{"devices: 9\nattention: ulysses\n",
                      "heads-fewer-than-devices",
                      {"attention=ulysses_ring --set ulysses_shards=3", "attention=tokamax_ring"}},
        FaultyProject{"devices: 16\nattention: ulysses_ring\nulysses_shards: 16\n",
                      "heads-fewer-than-devices",
                      {"ulysses_shards=8", "ulysses_shards=4", "ulysses_shards=2"}},
        FaultyProject{"attention: ring\n",
                      "attention-ring-of-one-device",
                      {"attention=tokamax_ring", "attention=flash"}}));

INSTANTIATE_TEST_SUITE_P(
    OfSeveralKeys, Fixes,
    ::testing::Values(FaultyProject{"use_first_block_cache: true\nuse_teacache: true\n",
                                    "step-caches-exclusive",
                                    {"use_teacache=false"}},
                      FaultyProject{"batch_seeds: 1, 2\nuse_first_block_cache: true\n",
                                    "batch-with-first-block-cache",
                                    {"use_first_block_cache=false"}},
                      FaultyProject{
                          "guidance_scale_high: 4\n", "expert-missing", {"guidance_scale_high=0.0"}},
                      FaultyProject{"height: 40\n", "value-off-grid", {"height=32", "height=48"}}));

TEST(HostileProjects, HaveANameForEveryFault) {
    for (const char* yaml : {"version: 3\n",
                             "no_such_key: 1\n",
                             "height: [1, 2]\n",
                             "seed: -7\n",
                             "fps: 1e999\n",
                             "fps: nan\n",
                             "lora: {a: 1}\n",
                             "lora: [{strength: x}]\n",
                             "sigmas: 1, 2, x\n",
                             "sigmas: 2\n",
                             "sigmas: 0.5, 0.7\ntimesteps: 3\n",
                             "batch_seeds: a\n",
                             "conditioning_scale: \"\"\n",
                             "weights_dtype: int8\n",
                             "enable_lora: true\n",
                             "flash_block_sizes: 3\n",
                             "flash_block_sizes: {block_kv: 100, block_kv_compute: 64}\n",
                             "attention: ulysses_custom\nflash_block_sizes: {vmem_limit_bytes: 1000}\n",
                             "task: vace\n",
                             "task: i2v\n",
                             "image: a.png\n",
                             "mask: a.png\n",
                             "boundary_ratio: 0.5\n",
                             "ici_tensor_parallelism: 5\n",
                             "ici_data_parallelism: 8\n",
                             "devices: 9\nattention: ulysses\n",
                             "attention: cudnn_flash_te\n",
                             "use_magcache: true\nmag_ratios_base: 1\n",
                             "use_sen_cache: true\n",
                             "use_teacache: true\n",
                             "broadcast_weights: true\nlora: [{file: a}]\n",
                             "guidance_scale: 1\nnegative_prompt: x\nuse_cfg_cache: true\n",
                             "mask_padding_tokens: false\n",
                             "preset: distill-4\nnum_inference_steps: 9\n",
                             "num_frames: 100001\n",
                             "a: {b: 1\n",
                             "- 1\n",
                             "\x01",
                             "prompt: \"\\0\"\n"}) {
        const EditedProject read = edited(yaml);
        EXPECT_FALSE(read.problems.empty()) << yaml;
        for (const Problem& problem : read.problems)
            EXPECT_FALSE(problem.id == ProblemId()) << yaml << problem.text();
    }
}

TEST(Fixes, OfALostNameOfAnAdapterAreTheNameAndNeverNoAdapters) {
    const EditedProject whole = edited("lora:\n  - my #1.safetensors\n");
    const EditedProject inBrackets = edited("lora: [\n  my #1.safetensors,\n  ]\n");
    const auto fixesOf = [](const EditedProject& project) {
        const auto lost = std::ranges::find(project.problems, ProblemId("comment-behind-text"), &Problem::id);
        return lost == project.problems.end() ? std::vector<KeyChanges>{{}}
                                              : findFixes(*lost, project, nullptr);
    };
    EXPECT_EQ(fixesOf(whole),
              (std::vector<KeyChanges>{{{"lora", R"([{file: "my #1.safetensors", strength: 1.0}])"}}}));
    EXPECT_TRUE(fixesOf(inBrackets).empty());
}

TEST(Fixes, OfFaultsThatNobodyCanTryAreThoseThatTheProblemBrings) {
    Project project = testing::smallProject();
    project.devices = 500;
    const std::vector<Problem> byNumber = loadProblems(project, 1, 2);
    ASSERT_EQ(byNumber.size(), 1U);
    EXPECT_TRUE(byNumber[0].id == ProblemId("devices-too-many"));
    EXPECT_THAT(findFixes(byNumber[0], {.project = project}, nullptr),
                ElementsAre(KeyChanges{{"devices", "128"}}));
    project.devices = 0;
    project.iciDataParallelism = 2;
    project.iciContextParallelism = 100;
    const std::vector<Problem> byAxes = loadProblems(project, 1, 2);
    ASSERT_EQ(byAxes.size(), 1U);
    EXPECT_THAT(findFixes(byAxes[0], {.project = project}, nullptr),
                ElementsAre(KeyChanges{{"ici_data_parallelism", "1"}},
                            KeyChanges{{"ici_context_parallelism", "64"}}));
    EXPECT_THAT(loadProblems(project, 2, 2), IsEmpty());
}

}  // namespace
}  // namespace meshreel
