// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "engine/base/files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_validation.h"
#include "engine/project/project_writer.h"
#include "tests/support/locations.h"
#include "tests/support/printed_name.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using testing::At;
using ::testing::ElementsAre;
using testing::Fault;
using testing::Names;
using testing::Offers;

/// All problems of a project that holds `lines` besides a version and a prompt (lines 1 and 2).
std::vector<Problem> problemsOf(const std::string& lines) {
    return readProject("version: 1\nprompt: a ball\n" + lines, "p.yaml").problems;
}

Problem onlyProblemOf(const std::string& lines) {
    const auto problems = problemsOf(lines);
    EXPECT_EQ(problems.size(), 1U) << ::testing::PrintToString(problems);
    return problems.empty() ? Problem() : problems.front();
}

/// Checks that two of these lines say the same sentence exactly when the test calls them by the same name.
void expectLineFaults(const std::vector<std::pair<std::string, std::string>>& lines) {
    std::vector<std::pair<std::string, testing::Refusal>> refusals;
    for (const auto& [name, text] : lines)
        refusals.emplace_back(name, testing::Refusal{ErrorKind::Project, onlyProblemOf(text)});
    testing::expectFaults(refusals);
}

Project goodProject(const std::string& lines) {
    return parseProject("version: 1\nprompt: a ball\n" + lines, "p").project;
}

TEST(ProjectReader, ReadsEveryTypeAndNestedKeys) {
    const Project project = goodProject(
        "height: 96\nguidance_scale: 1.e+0\nuse_base2_exp: True\nscheduler: euler\n"
        "flash_block_sizes: {block_q: 128, 'block_kv' : 256, block_kv_compute: 64}\n");
    EXPECT_EQ(project.height, 96);
    EXPECT_EQ(project.guidanceScale, 1.0);
    EXPECT_EQ(project.scheduler, "euler");
    EXPECT_EQ(project.blockQ, 128);
    EXPECT_EQ(project.blockKv, 256);
    EXPECT_EQ(project.blockKvCompute, 64);
    EXPECT_EQ(project.prompt, "a ball");
}

TEST(ProjectReader, ReadsAdaptersInEverySpelling) {
    const LoraList two = {{.file = "a.safetensors", .strength = 0.5},
                          {.file = "/b/c, d.safetensors", .expert = ExpertChoice::Low}};
    EXPECT_EQ(goodProject("lora:\n  - file: a.safetensors\n    strength: 0.5\n"
                          "  - {file: '/b/c, d.safetensors', expert: low}\n")
                  .lora,
              two);
    EXPECT_EQ(goodProject("lora: a.safetensors\n").lora, LoraList{{.file = "a.safetensors"}});
    EXPECT_EQ(goodProject("lora: [a.safetensors, b.safetensors]\n").lora.size(), 2U);
    EXPECT_TRUE(goodProject("lora: []\n").lora.empty());
    Project project;
    applyOverride(project,
                  "lora=[{file: a.safetensors, strength: 0.5}, "
                  "{file: '/b/c, d.safetensors', expert: low}]");
    EXPECT_EQ(project.lora, two);
}

/// Of a text without anything else before it: "key line: message", for each warning.
std::vector<std::string> lostTexts(const std::string& text) {
    std::vector<std::string> lost;
    for (const Problem& problem : readProject(text, "p.yaml").problems)
        if (problem.id == "comment-behind-text") {
            EXPECT_EQ(problem.severity, Severity::Warning);
            lost.push_back(fmt::format("{} {}", problem.key, problem.place.line));
        }
    return lost;
}

TEST(ProjectReader, WarnsOfTextThatIsLostBehindANumberSign) {
    EXPECT_THAT(lostTexts("version: 3\nprompt: a poster with the number #3 in red\n"),
                ElementsAre("prompt 2"));
    EXPECT_THAT(lostTexts("\xEF\xBB\xBFprompt: rain #neon\r\nnegative_prompt: blur #2\r\n"),
                ElementsAre("prompt 1", "negative_prompt 2"));
    EXPECT_THAT(lostTexts("prompt: a ball\n  and a poster\n  with #3 on it\n"), ElementsAre("prompt 3"));
    EXPECT_THAT(lostTexts("prompt: a ball   # my favourite\n"), ElementsAre("prompt 1")) << "may be meant";
    EXPECT_THAT(lostTexts("prompt: 红球 #3\nrun_name: take #3\nimage: cat #3.png\n"),
                ElementsAre("prompt 1", "run_name 2", "image 3"));
    EXPECT_THAT(lostTexts("prompt: a\nlora:\n  - my #1.safetensors\n  - file: b #2.safetensors\n"),
                ElementsAre("lora 3", "lora 4"));
    EXPECT_THAT(lostTexts("prompt: a\nenable_lora: true\nlora_config:\n  rank: [64]\n"
                          "  lora_model_name_or_path: [org/a]\n  weight_name:\n    - my #1.safetensors\n"),
                ElementsAre("lora_config 7"));
}

TEST(ProjectReader, ALostTextInBracketsIsLeftToTheAuthor) {
    const LoadedProject loaded = readProject("prompt: a\nlora: [\n  my #1.safetensors,\n  ]\n", "p.yaml");
    const auto lost = std::ranges::find(loaded.problems, ProblemId("comment-behind-text"), &Problem::id);
    ASSERT_NE(lost, loaded.problems.end());
    EXPECT_TRUE(lost->fixes.front().changes.empty()) << "the comma is not of the name";
}

TEST(ProjectReader, OtherCommentsAreNoLostTexts) {
    EXPECT_THAT(lostTexts("prompt: \"a poster #3\" # quoted\nnum_frames: 5 # short\nattention: flash #1\n"
                          "sigmas: 1, 0.5 # two\nuse_base2_exp: true #2\n# prompt: a #3\n"),
                ::testing::IsEmpty());
    EXPECT_THAT(lostTexts("prompt: |\n  a poster #3\n  in red # and blue\n"), ::testing::IsEmpty());
    EXPECT_THAT(lostTexts("prompt: >- # folded\n  a #3\nnegative_prompt: 'b #2' # c\n"),
                ::testing::IsEmpty());
    EXPECT_THAT(lostTexts("prompt: a poster#3, C# and #\n"), ElementsAre("prompt 1"));
    EXPECT_THAT(lostTexts("prompt: a poster#3 and C#\n"), ::testing::IsEmpty());
    EXPECT_THAT(lostTexts("prompt: a\nimage: cat.png   # the cat\nparts:\n  vae: x.safetensors  # decodes\n"),
                ::testing::IsEmpty());
    EXPECT_THAT(lostTexts("prompt: a\nlora: [{file: a.safetensors, strength: 1}] # style\n"),
                ::testing::IsEmpty());
}

TEST(ProjectReader, TheCureOfALostTextIsTheWholeText) {
    for (const Problem& problem : readProject("prompt: a poster  #3 in red\n", "p.yaml").problems)
        if (problem.id == "comment-behind-text") {
            EXPECT_EQ(problem.fixes.front().changes, (KeyChanges{{"prompt", "a poster  #3 in red"}}));
        }
    for (const Problem& problem :
         readProject("prompt: a\nlora:\n  - my #1.safetensors\n  - {file: b.safetensors, strength: 0.5}\n"
                     "  - file: c #2.safetensors\n    strength: 2 #twice\n",
                     "p.yaml")
             .problems)
        if (problem.id == "comment-behind-text") {
            EXPECT_EQ(problem.fixes.front().changes,
                      (KeyChanges{{"lora", R"([{file: "my #1.safetensors", strength: 1.0}, )"
                                           "{file: b.safetensors, strength: 0.5}, "
                                           R"({file: "c #2.safetensors", strength: 2.0}])"}}));
        }
    EXPECT_THAT(onlyProblemOf("run_name: #3 of 9\n"), AllOf(Fault("value-missing"), Offers("#3 of 9")));
}

TEST(ProjectReader, TellsWhichLineOfTheAdaptersIsWrong) {
    const auto malformed = [](const std::string& lines, auto... values) {
        EXPECT_THAT(onlyProblemOf(lines), AllOf(Fault("adapter-list-malformed"), Names(values...)));
    };
    malformed("lora:\n  - file: a\n    strength: much\n", "strength", "much");
    malformed("lora:\n  - file: a\n    stength: 1\n", "stength");
    EXPECT_THAT(onlyProblemOf("lora:\n  - file: a\n    stength: 1\n"), At("p.yaml:5"));
    malformed("lora: [{file: a, expert: middle}]\n", "middle");
    malformed("lora: [{file: a, strength: 1000}]\n", "1000");
    expectLineFaults({{"no number", "lora:\n  - file: a\n    strength: much\n"},
                      {"unknown key", "lora:\n  - file: a\n    stength: 1\n"},
                      {"no file", "lora: [{strength: 1}]\n"},
                      {"unknown expert", "lora: [{file: a, expert: middle}]\n"},
                      {"strength out of range", "lora: [{file: a, strength: 1000}]\n"},
                      {"neither path nor map", "lora: [[a]]\n"}});
}

TEST(ProjectReader, ReadsTheAdaptersOfMaxDiffusion) {
    const std::string config =
        "lora_config: {\n  rank: [64, 32],\n  lora_model_name_or_path: [org/distill, /loras],\n"
        "  high_noise_weight_name: [high.safetensors, ''],\n"
        "  low_noise_weight_name: [low.safetensors, style.safetensors],\n  scale: [1.0, 0.5],\n}\n";
    const LoraList expected = {
        {.file = "org/distill/high.safetensors", .expert = ExpertChoice::High},
        {.file = "org/distill/low.safetensors", .expert = ExpertChoice::Low},
        {.file = "/loras/style.safetensors", .strength = 0.5, .expert = ExpertChoice::Low}};
    EXPECT_EQ(goodProject("enable_lora: True\n" + config).lora, expected);
    EXPECT_TRUE(goodProject("enable_lora: False\n" + config).lora.empty());
    EXPECT_EQ(goodProject("enable_lora: True\nlora: mine\n" + config).lora, LoraList{{.file = "mine"}});
    EXPECT_THAT(onlyProblemOf("enable_lora: True\nlora_config: {weight_name: [a]}\n"),
                AllOf(Fault("adapter-list-malformed"), At("p.yaml:4"), Names("1")));
}

TEST(ProjectReader, RefusesModesThatDoNotRunHere) {
    EXPECT_THAT(onlyProblemOf("attention: cudnn_flash_te\n"),
                AllOf(At("p.yaml:3"), Fault("attention-not-available"), Names("cudnn_flash_te")));
}

TEST(ProjectReader, RefusesAttentionThatDoesNotFitTheMesh) {
    EXPECT_THAT(onlyProblemOf("attention: ulysses_ring\n"),
                AllOf(Fault("ulysses-shards-missing"), Offers("1")));
    EXPECT_THAT(problemsOf("attention: ulysses_ring\nulysses_shards: 4\n"), ::testing::IsEmpty())
        << "more devices may be started";
    EXPECT_THAT(onlyProblemOf("attention: ulysses_ring\nulysses_shards: 4\ndevices: 6\n"),
                AllOf(At("p.yaml:4"), Fault("ulysses-shards-do-not-divide"), Names("4", "6")));
    EXPECT_THAT(onlyProblemOf("attention: ring\ndevices: 1\n"),
                AllOf(Fault("attention-ring-of-one-device"), Offers("tokamax_ring", "flash")));
    EXPECT_THAT(problemsOf("attention: ring\ndevices: 2\n"), ::testing::IsEmpty());
}

TEST(ProjectReader, RefusesMeshesThatAreNone) {
    EXPECT_THAT(problemsOf("dcn_context_parallelism: -1\nici_context_parallelism: -1\n"),
                ::testing::IsEmpty());
    EXPECT_THAT(problemsOf("ici_context_parallelism: 4\n"), ::testing::IsEmpty());
    EXPECT_THAT(onlyProblemOf("ici_data_parallelism: -1\nici_context_parallelism: -1\n"),
                AllOf(At("p.yaml:4"), Fault("mesh-axes-both-automatic")));
    EXPECT_THAT(onlyProblemOf("ici_context_parallelism: 4\ndevices: 6\n"),
                AllOf(At("p.yaml:4"), Fault("mesh-does-not-divide"), Offers("4", "8")));
    EXPECT_THAT(onlyProblemOf("ici_context_parallelism: 4\ndcn_context_parallelism: 1\ndevices: 8\n"),
                AllOf(At("p.yaml:5"), Fault("mesh-product-differs"), Offers("4")));
    EXPECT_THAT(onlyProblemOf("devices: 6\nvae_spatial: 4\n"),
                AllOf(At("p.yaml:4"), Fault("vae-strips-do-not-divide"), Offers("3", "6")));
    EXPECT_THAT(onlyProblemOf("devices: 2\nvae_spatial: 4\n"),
                AllOf(Fault("vae-strips-do-not-divide"), Offers("2")));
    EXPECT_THAT(problemsOf("vae_spatial: 4\n"), ::testing::IsEmpty()) << "more devices may be started";
}

TEST(ProjectReader, WarnsOfDevicesWithoutARowOfTheBatch) {
    EXPECT_THAT(problemsOf("ici_data_parallelism: 2\n"), ::testing::IsEmpty());
    EXPECT_THAT(problemsOf("ici_data_parallelism: 2\nguidance_scale: 1\n").size(), 1U);
    const auto warned = readProject("version: 1\nprompt: a\nici_fsdp_parallelism: 4\n", "p").problems;
    ASSERT_EQ(warned.size(), 1U);
    EXPECT_EQ(warned[0].severity, Severity::Warning);
    EXPECT_EQ(warned[0].place.line, 3);
    EXPECT_THAT(warned[0], AllOf(Fault("devices-idle"), Names("4", "2")));
}

TEST(ProjectReader, KnowsWhichScalesMakeRowsOfPictures) {
    const std::string three = "ici_data_parallelism: 3\nreference_images: a.png\n";
    EXPECT_THAT(problemsOf(three + "task: bernini\nguidance_scale_image: 0.5\n"), ::testing::IsEmpty())
        << "below 1 it goes away from them";
    EXPECT_THAT(problemsOf(three + "task: bernini\nguidance_scale_image: 1\n").size(), 1U);
    EXPECT_THAT(problemsOf(three + "task: phantom\nguidance_scale_image: 0.5\n").size(), 1U);
    EXPECT_THAT(problemsOf("ici_data_parallelism: 4\nreference_images: a.png\nvideo: a.mp4\n"
                           "task: bernini\nguidance_scale_image: 1\n"),
                ::testing::IsEmpty())
        << "guidance by the video goes before it";
}

TEST(ProjectReader, OpensForEditingWhatItCannotRun) {
    const testing::TemporaryFolder folder;
    const auto file = folder / "pasted.yml";
    writeFileAtomically(file, "prompt: a ball\nici_context_parallelism: -1\nici_data_parallelism: -1\n");
    EXPECT_THROW(loadProject(file), ProjectError);
    const LoadedProject opened = openProject(file);
    EXPECT_EQ(opened.project.iciDataParallelism, -1);
    EXPECT_THAT(opened.problems.back(), At(::testing::EndsWith("pasted.yml:2")));

    writeFileAtomically(file, "prompt: a ball\nheight: 70\n");
    EXPECT_THROW(openProject(file), ProjectError) << "the value would be lost";
    writeFileAtomically(file, "prompt: [");
    EXPECT_THROW(openProject(file), ProjectError)
        << "not YAML, though a project without a prompt has as many errors";
}

TEST(ProjectReader, OffersTheNearestLegalValues) {
    EXPECT_THAT(onlyProblemOf("height: 70\n"),
                AllOf(At("p.yaml:3"), Fault("value-off-grid"), Offers("64", "80")));
    EXPECT_THAT(onlyProblemOf("num_frames: 18\n"), AllOf(Fault("value-off-grid"), Offers("17", "21")));
    EXPECT_THAT(onlyProblemOf("width: 5000\n"), AllOf(Fault("value-above-most"), Offers("4096")));
    EXPECT_THAT(onlyProblemOf("width: 0\n"), AllOf(Fault("value-below-least"), Offers("16")));
    EXPECT_THAT(onlyProblemOf("num_inference_steps: 0\n"), AllOf(Fault("value-below-least"), Offers("1")));
    EXPECT_THAT(onlyProblemOf("num_frames: 4003\n"), AllOf(Fault("value-above-most"), Offers("4001")));
    EXPECT_THAT(onlyProblemOf("flash_block_sizes:\n  block_kv: 500\n  block_kv_compute: 120\n"),
                AllOf(At("p.yaml:5"), Fault("blocks-do-not-divide"), Offers("125")));
    EXPECT_THAT(onlyProblemOf("scheduler: unip\n"), AllOf(Fault("choice-unknown"), Offers("unipc", "auto")));
    EXPECT_THAT(onlyProblemOf("scheduler: dpmpp_2m\n"), AllOf(Fault("choice-unknown"), Offers("wan_dpmpp")));
    const Problem ofTwoKeys = onlyProblemOf("scheduler: lcm/beta\n");
    ASSERT_EQ(ofTwoKeys.fixes.size(), 1U);
    EXPECT_EQ(ofTwoKeys.fixes.front().changes, (KeyChanges{{"scheduler", "lcm"}, {"sigma_spacing", "beta"}}));
    EXPECT_THAT(onlyProblemOf("cfg: 3\n"), AllOf(Fault("key-is-unknown"), Names("guidance_scale")));
    EXPECT_THAT(onlyProblemOf("guidence_scale: 3\n"),
                AllOf(Fault("key-is-unknown"), Names("guidance_scale")));
    EXPECT_THAT(onlyProblemOf("block_q: 64\n"),
                AllOf(Fault("key-is-unknown"), Names("flash_block_sizes.block_q")));
}

TEST(ProjectReader, CollectsAllProblemsInTheOrderOfTheFile) {
    try {
        parseProject("version: 1\nheight: 70\nwidth: 5x\nprompt: \"\"\n", "p.yaml");
        FAIL() << "accepted";
    } catch (const ProjectError& error) {
        ASSERT_EQ(error.problems().size(), 3U);
        EXPECT_EQ(error.problems()[1].place.line, 3);
        EXPECT_EQ(error.problems()[2].key, "prompt");
        EXPECT_EQ(error.kind(), ErrorKind::Project);
        EXPECT_EQ(error.where(), "p.yaml:2");
        EXPECT_THAT(error.problem(), Names("2")) << "more of them";
    }
}

struct NumberCase {
    const char* text;
    ProblemId fault;
    const char* fix;  ///< null: only a person knows
};

void PrintTo(const NumberCase& number, std::ostream* out) {
    *out << number.text << " " << number.fault.name();
}

class NotDecimal : public ::testing::TestWithParam<NumberCase> {};

TEST_P(NotDecimal, IsRefusedWithTheFix) {
    const Problem problem = onlyProblemOf(std::string("seed: ") + GetParam().text + "\n");
    EXPECT_THAT(problem, Fault(GetParam().fault));
    EXPECT_FALSE(problem.hint().empty());
    if (GetParam().fix == nullptr) {
        EXPECT_THAT(problem, Offers());
    } else {
        EXPECT_THAT(problem.fixes.front().changes,
                    ::testing::Contains(::testing::Field(&KeyChange::value, GetParam().fix)));
    }
}

INSTANTIATE_TEST_SUITE_P(
    ProjectReader, NotDecimal,
    ::testing::Values(NumberCase{"0x10", "number-in-another-base", "16"},
                      NumberCase{"0o17", "number-in-another-base", "15"},
                      NumberCase{"017", "number-starts-with-zero", "17"},
                      NumberCase{"1_000", "number-has-separators", "1000"},
                      NumberCase{".inf", "number-not-finite", nullptr},
                      NumberCase{".nan", "number-not-finite", nullptr},
                      NumberCase{"3.0", "number-not-whole", "3"}, NumberCase{"3.5", "number-not-whole", "3"},
                      NumberCase{"1:30", "not-a-number", nullptr},
                      NumberCase{"\"5\"", "value-in-quotes", "5"}, NumberCase{"~", "value-missing", "0"},
                      NumberCase{"[1]", "value-is-a-list", nullptr},
                      NumberCase{"18446744073709551616", "number-has-too-many-digits", nullptr}),
    testing::PrintedName());

TEST(ProjectReader, OffersNumbersInTheDigitsOfAnyKeyboard) {
    for (const auto& [text, meant] :
         std::vector<std::pair<std::string, std::string>>{{"\uFF17", "7"},
                                                          {"\u0667", "7"},
                                                          {"\u22121", "-1"},
                                                          {"7\u200B", "7"},
                                                          {"7\u00A0", "7"},
                                                          {"1\u202F000", "1000"}}) {
        const Problem problem = onlyProblemOf("seed: " + text + "\n");
        EXPECT_THAT(problem, Fault("not-a-number")) << text;
        ASSERT_FALSE(problem.fixes.empty());
        EXPECT_THAT(problem.fixes.front().changes,
                    ::testing::Contains(::testing::Field(&KeyChange::value, meant)))
            << text;
    }
}

TEST(ProjectReader, NamesSignsThatOnlyLookLikeThoseOfYaml) {
    const std::string more = "width: 64\n";
    for (const std::string line : {"seed\uFF1A 7\n", "seed:\u00A07\n", "seed\uFF1A7\n"}) {
        EXPECT_THAT(onlyProblemOf(line + more), AllOf(Fault("yaml-malformed"), At("p.yaml:3"), Names("seed")))
            << line;
        EXPECT_THAT(onlyProblemOf(line), AllOf(Fault("key-is-unknown"), At("p.yaml:3"), Names("seed")))
            << line;
    }
    const Problem hidden = onlyProblemOf("\u200Bseed: 7\n");
    EXPECT_THAT(hidden, AllOf(Fault("key-is-unknown"), Names("\\u200bseed")));
    EXPECT_THAT(hidden.hint().text(), ::testing::HasSubstr("\"seed\""));
}

TEST(ProjectReader, RefusesWhatYamlAllowsButAProjectDoesNot) {
    EXPECT_THAT(onlyProblemOf("seed: &a 3\n"), AllOf(Fault("yaml-malformed"), At("p.yaml:3"), Names("a")));
    EXPECT_THAT(onlyProblemOf("run_name: !!str x\n"),
                AllOf(Fault("yaml-malformed"), At("p.yaml:3"), Names("tag:yaml.org,2002:str")));
    EXPECT_THAT(onlyProblemOf("prompt: again\n"),
                AllOf(Fault("yaml-malformed"), At("p.yaml:3"), Names("prompt", "2")));
    EXPECT_THAT(onlyProblemOf("use_base2_exp: yes\n"),
                AllOf(Fault("not-a-boolean"), Offers("true", "false")));
    EXPECT_THAT(onlyProblemOf("run_name: \xff\n"), At("p.yaml:3"));
    EXPECT_THAT(problemsOf("seed: &a 3\nworkers: *a\n").at(1),
                AllOf(Fault("yaml-malformed"), At("p.yaml:4")));
    expectLineFaults({{"anchor", "seed: &a 3\n"},
                      {"tag", "run_name: !!str x\n"},
                      {"key given twice", "prompt: again\n"},
                      {"second document", "---\nprompt: b\n"},
                      {"no YAML", "seed: [1\n"},
                      {"no UTF-8", "run_name: \xff\n"}});
    EXPECT_THAT(readProject("version: 4\nprompt: x\n", "p").problems.at(0),
                AllOf(Fault("version-unknown"), Names("4")));
    EXPECT_THAT(readProject("- a\n", "p").problems.at(0), Fault("not-a-map"));
}

TEST(ProjectReader, ANulIsRefusedWithItsLine) {
    using namespace std::string_literals;
    for (const std::string& lines : {"run_name: \"a\\0b\"\n"s, "run_name: \"a\\u0000b\"\n"s,
                                     "lora: [{file: \"a\\x00b\"}]\n"s, "run_name: a\0b\n"s})
        EXPECT_THAT(onlyProblemOf(lines), AllOf(Fault("yaml-malformed"), At("p.yaml:3"), Names("0000")))
            << lines;
    Project project;
    const ProjectKey& prompt = *findProjectKey("prompt");
    const auto problem = trySetFromText(project, prompt, "a\0b"s);
    ASSERT_TRUE(problem);
    EXPECT_THAT(*problem, AllOf(Fault("text-has-control-character"), Names("0000")));
    EXPECT_TRUE(trySetFromText(project, prompt, "caf\xe9"));
    EXPECT_EQ(project.prompt, "");
}

// At U+0004 yaml-cpp stops reading, and says nothing.
TEST(ProjectReader, ControlsThatYamlDoesNotAllowAreRefusedAndEscapesOfThemKept) {
    EXPECT_THAT(onlyProblemOf("run_name: a\x04 b\nheight: 17\n"), AllOf(At("p.yaml:3"), Names("0004")));
    EXPECT_EQ(goodProject("run_name: \"a\\u0004\\x07\\u0085b\"\n").name, "a\x04\x07\u0085b");
    EXPECT_EQ(goodProject("run_name: a\tb\x7f\r\nseed: 3\r\n").seed, 3);
    EXPECT_EQ(goodProject("run_name: a\rseed: 3\r").seed, 3) << "lines of an old Mac";
}

TEST(ProjectReader, PairsOfEscapesThatJsonWritesAreOneCharacter) {
    EXPECT_EQ(goodProject("run_name: \"a \\ud83d\\ude00 \\uD83D\\uDE01\\ud83d\\ude02\"\n").name,
              "a \U0001F600 \U0001F601\U0001F602");
    EXPECT_EQ(goodProject("lora: [{file: \"\\ud83d\\ude00\"}]\n").lora.front().file, "\U0001F600");
    EXPECT_EQ(goodProject("run_name: \"\\udbff\\udfff\"\n").name, "\U0010FFFF");
    // Beside characters for private use, which stand in for the halves.
    EXPECT_EQ(goodProject("run_name: \"\U0010D83D \\ud83d\\ude00\"\n").name, "\U0010D83D \U0001F600");
}

TEST(ProjectReader, WhereYamlReadsNoEscapesPairsStayAsTheyAre) {
    const std::string written = R"(\ud83d\uDE00)";
    EXPECT_EQ(goodProject("run_name: a " + written + "\n").name, "a " + written);
    EXPECT_EQ(goodProject("run_name: '" + written + "'\n").name, written);
    EXPECT_EQ(goodProject("run_name: |-\n  " + written + "\n").name, written);
    EXPECT_EQ(goodProject(R"(run_name: "\\ud83d\\uDE00")"
                          "\n")
                  .name,
              written);
}

TEST(ProjectReader, HalfACharacterIsRefusedWithItsLine) {
    EXPECT_THAT(onlyProblemOf("run_name: \"a \\ud83d b\"\n"),
                AllOf(Fault("yaml-malformed"), At("p.yaml:3"), Names("\\ud83d")));
    EXPECT_THAT(onlyProblemOf("run_name: \"\\ude00\"\n"), AllOf(At("p.yaml:3"), Names("\\ude00")));
    EXPECT_THAT(onlyProblemOf("seed: 1\nrun_name: \"\\ud83d\\ud83d\\ude00\"\n"),
                AllOf(At("p.yaml:4"), Names("\\ud83d")));
    EXPECT_THAT(onlyProblemOf("run_name: \"\\ud83d\"\n"), Names("\\ud83d"));
}

TEST(ProjectReader, YamlBombsCostNothing) {
    std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
    for (char level = 'b'; level <= 'z'; ++level) {
        const std::string before = "*" + std::string(1, static_cast<char>(level - 1));
        bomb += fmt::format("{0}: &{0} [{1},{1},{1},{1},{1},{1},{1},{1},{1}]\n", level, before);
    }
    EXPECT_TRUE(hasErrors(readProject(bomb, "p").problems));
    std::string aliases = "seed: &a 1\nlora_config: [*a";
    for (int i = 0; i < 100000; ++i)
        aliases += ",*a";
    EXPECT_EQ(problemsOf(aliases + "]\n").size(), 100U);
    expectLineFaults({{"too deep", "lora_config: " + std::string(100000, '[')},
                      {"too long", "lora_config: " + std::string(2 << 20, 'x')},
                      {"no YAML", "lora_config: ["}});
}

TEST(ProjectReader, OverridesWinOverTheFile) {
    const std::string text = "version: 1\nprompt: a\nheight: 70\n";
    const std::vector<std::string> overrides = {"height=96", "prompt=a: b # c",
                                                "flash_block_sizes.block_q=64",
                                                "flash_block_sizes={\"block_kv\": 1024}"};
    const Project project = parseProject(text, "p", overrides).project;
    EXPECT_EQ(project.height, 96);
    EXPECT_EQ(project.prompt, "a: b # c");
    EXPECT_EQ(project.blockQ, 64);
    EXPECT_EQ(project.blockKv, 1024);

    const std::vector<std::string> bad = {"hight=96", "seed"};
    try {
        parseProject("version: 1\nprompt: a\n", "p", bad);
        FAIL() << "accepted";
    } catch (const ProjectError& error) {
        EXPECT_EQ(error.problems().size(), 2U);
        EXPECT_THAT(error.problems()[0], AllOf(Fault("override-malformed"), Names("seed")));
        EXPECT_THAT(error.problems()[1], AllOf(Fault("key-is-unknown"), Names("hight", "height")));
    }
}

TEST(ProjectReader, ApplyOverrideLeavesTheProjectAloneOnError) {
    Project project;
    applyOverride(project, "num_frames=33");
    EXPECT_EQ(project.numFrames, 33);
    EXPECT_THROW(applyOverride(project, "num_frames=34"), ProjectError);
    EXPECT_EQ(project.numFrames, 33);
}

TEST(ProjectReader, RefusesMaxDiffusionFeaturesThatWouldChangeTheVideo) {
    EXPECT_THAT(onlyProblemOf("pose_video_path: poses.mp4\n"),
                AllOf(Fault("key-not-possible"), Names("pose_video_path: poses.mp4")));
    EXPECT_THAT(onlyProblemOf("enable_lora: true\n"), Fault("adapters-not-named"));
    EXPECT_THAT(onlyProblemOf("model_name: wan2.2\n"),
                AllOf(Fault("key-without-effect"), Names("model_name: wan2.2")));
    EXPECT_TRUE(problemsOf("use_magcache: False\nmodel_type: 'T2V'\nper_device_batch_size: 1.0\n").empty());
    const auto noted = readProject("version: 1\nprompt: a\nmask_padding_tokens: false\n", "p").problems;
    ASSERT_EQ(noted.size(), 1U);
    EXPECT_EQ(noted[0].severity, Severity::Warning);
    EXPECT_EQ(noted[0].place.line, 3);
}

TEST(ProjectReader, LoadsAMaxDiffusionFileWithOneGroupedWarning) {
    const auto file = testing::testData() / "project" / "maxdiffusion_wan_14b.yml";
    const LoadedProject loaded = loadProject(file);
    EXPECT_EQ(loaded.project.height, 720);
    EXPECT_EQ(loaded.project.width, 1280);
    EXPECT_EQ(loaded.project.flowShift, 5.0);
    EXPECT_EQ(loaded.project.flashMinSeqLength, 4096);
    EXPECT_EQ(std::ranges::count(loaded.problems, ProblemId("keys-ignored"), &Problem::id), 1);
}

TEST(ProjectReader, TheCommittedProjectsAreWithoutProblems) {
    const auto configs = testing::sourceFolder() / "configs";
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(configs)) {
        const std::filesystem::path folder = entry.path().parent_path().filename();
        if (entry.path().extension() != ".yaml" || folder == "sweeps" || folder == "hardware")
            continue;
        ++files;
        for (const Problem& problem : loadProject(entry.path()).problems)
            ADD_FAILURE() << problem.text();
    }
    EXPECT_GE(files, 3);
}

TEST(ProjectReader, ThePresetsFitTheirModels) {
    const ModelSizes large{.heads = 40, .headDim = 128, .feedForward = 13824};
    const ModelSizes medium{.heads = 24, .headDim = 128, .feedForward = 14336};
    const ModelSizes small{.heads = 12, .headDim = 128, .feedForward = 8960};
    const auto sizesOf = [&](const std::string& model) {
        return model.find("14B") != std::string::npos  ? large
               : model.find("5B") != std::string::npos ? medium
                                                       : small;
    };
    const auto presets = testing::sourceFolder() / "configs" / "presets";
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(presets)) {
        ++files;
        const Project project = loadProject(entry.path()).project;
        for (const Problem& problem : projectMeshProblems(project, 1, sizesOf(project.model)))
            ADD_FAILURE() << entry.path().filename() << ": " << problem.text();
    }
    EXPECT_GE(files, 34);
}

TEST(ProjectReader, AMissingFileIsAProjectError) {
    EXPECT_THROW(loadProject("/nowhere/p.yaml"), ProjectError);
}

/// input_fps of a file with these lines.
std::string inputRate(const std::string& lines, std::span<const std::string> overrides = {}) {
    return readProject(lines, "p.yaml", overrides).project.inputFps;
}

TEST(ProjectVersion, AnOlderOneKeepsTheMeaningThatItHad) {
    EXPECT_EQ(inputRate("version: 1\nprompt: a\nvideo: in.mp4\n"), "keep");
    EXPECT_EQ(inputRate("version: 1\nprompt: a\npose_video: in.mp4\n"), "keep");
    EXPECT_EQ(inputRate("version: 1\nprompt: a\nvideo: in.mp4\ninput_fps: project\n"), "project");
    EXPECT_EQ(inputRate("version: 1\nprompt: a\n"), "project") << "nothing that it could mean";
    EXPECT_EQ(inputRate("version: 2\nprompt: a\nvideo: in.mp4\n"), "project");
    EXPECT_EQ(inputRate("prompt: a\nvideo: in.mp4\n"), "project") << "the current version";
    const std::vector<std::string> video{"video=in.mp4"};
    EXPECT_EQ(inputRate("version: 1\nprompt: a\n", video), "keep");
    const std::vector<std::string> rate{"input_fps=project"};
    EXPECT_EQ(inputRate("version: 1\nprompt: a\nvideo: in.mp4\n", rate), "project");
}

TEST(ProjectVersion, AProjectOfATimeBeforeGpusStaysOnTheCpu) {
    const auto listGpus = [](const std::string& text) { return readProject(text, "p").project.gpus.text(); };
    for (const std::string version : {"1", "2"}) {
        EXPECT_EQ(listGpus("version: " + version + "\nprompt: a\n"), "none");
        EXPECT_EQ(listGpus("version: " + version + "\nprompt: a\ngpus: auto\n"), "auto");
    }
    EXPECT_EQ(listGpus("version: 3\nprompt: a\n"), "auto");
    const std::string text = "version: 2\nprompt: a\n";
    Project project = readProject(text, "p").project;
    EXPECT_EQ(saveProjectText(project, text), text) << "nothing has changed";
    project.gpus = GpuChoice::anyReal();
    EXPECT_EQ(saveProjectText(project, text), "version: 3\nprompt: a\n");
}

TEST(ProjectVersion, OfARunFolderIsThatOfItsProject) {
    const std::string run = readFile(testing::testData() / "frozen" / "run-1589ffd" / "project.yaml");
    ASSERT_THAT(run, ::testing::StartsWith("version: 1\n"));
    ASSERT_EQ(run.find("input_fps"), std::string::npos);
    EXPECT_EQ(inputRate(run), "project") << "it has no input video";
    const std::vector<std::string> video{"video=in.mp4"};
    EXPECT_EQ(inputRate(run, video), "keep");
    Project project;
    project.video = "in.mp4";
    EXPECT_EQ(inputRate(resolvedYaml(project)), "project") << "a run of today says what it did";
}

TEST(ProjectVersion, AnUnknownOneIsRefused) {
    for (const char* version : {"0", "4", "two"}) {
        const auto problems = readProject(fmt::format("version: {}\nprompt: a\n", version), "p").problems;
        ASSERT_FALSE(problems.empty()) << version;
        EXPECT_EQ(problems.front().id, ProblemId("version-unknown")) << version;
        EXPECT_THAT(problems.front(), Names("1", "3")) << "the versions that are read";
    }
}

TEST(ProjectVersion, IsRaisedWhenTheOldMeaningDoesNotFit) {
    const std::string text = "version: 1  # mine\nprompt: a\n";
    Project project = readProject(text, "p").project;
    project.seed = 3;
    EXPECT_EQ(saveProjectText(project, text), "version: 1  # mine\nprompt: a\nseed: 3\n");
    project.video = "in.mp4";  // at the project's rate
    const std::string saved = saveProjectText(project, text);
    EXPECT_THAT(saved, ::testing::StartsWith("version: 3  # mine\n"));
    EXPECT_EQ(readProject(saved, "p").project, project);
    project.inputFps = "keep";
    EXPECT_EQ(readProject(saveProjectText(project, text), "p").project, project);
}

TEST(ProjectReader, ABracketThatACommentSwallowsIsNamedAtItsLine) {
    const auto malformed = [](const std::string& text) {
        return testing::refusalOf(ErrorKind::Project,
                                  [&] { static_cast<void>(parseProject(text, "c.yaml")); });
    };
    const testing::Refusal swallowed =
        malformed("version: 3\nprompt: a cat\nlora: [{file: my lora #2.safetensors}]\n");
    EXPECT_EQ(swallowed.problem.place.line, 3);  // of three: YAML finds the end of the file at fault
    const testing::Refusal open = malformed("prompt: a cat  # [\nlora: [\n");
    testing::expectFaults({{"swallowed", swallowed}, {"open", open}});
}

}  // namespace
}  // namespace meshreel
