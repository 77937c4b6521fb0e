// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_writer.h"

namespace meshreel {
namespace {

TEST(UnreadText, IsAProjectWhereALineBeginsWithTheNameOfAKey) {
    EXPECT_TRUE(namesAKey("# mine\nprompt: [\n"));
    EXPECT_TRUE(namesAKey("flash_block_sizes:\n  block_q: \"\n"));
    EXPECT_FALSE(namesAKey("dear friend: [\n"));
    EXPECT_FALSE(namesAKey("the prompt: [\nprompts: [\n"));
    EXPECT_FALSE(namesAKey(""));
}

TEST(UnreadText, TakesAValueInTheLineOfItsKey) {
    const ProjectKey& seed = *findProjectKey("seed");
    EXPECT_EQ(withKeyLine("prompt: [\nseed: 3  # lucky\n", seed, "4"), "prompt: [\nseed: 4  # lucky\n");
    EXPECT_EQ(withKeyLine("prompt: [\n  seed: 3", seed, "4"), "prompt: [\n  seed: 3\nseed: 4\n");
}

TEST(UnreadText, FindsKeysInTheirGroupOnly) {
    const ProjectKey& blockQ = *findProjectKey("flash_block_sizes.block_q");
    EXPECT_EQ(withKeyLine("a: [\nflash_block_sizes:\n  # rows\n  block_q: 64\nseed: 1\n", blockQ, "128"),
              "a: [\nflash_block_sizes:\n  # rows\n  block_q: 128\nseed: 1\n");
    EXPECT_EQ(withKeyLine("parts:\n  block_q: 64\na: [\n", blockQ, "128"),
              "parts:\n  block_q: 64\na: [\nflash_block_sizes.block_q: 128\n");
}

using ::testing::HasSubstr;

const std::vector<std::string> awkwardTexts = {
    "",       "yes",    "123",    "~",      "null",      ": ",         "a: b",         "a #b",
    "#a",     " lead",  "trail ", "\"q\"",  "it's",      "two\nlines", "tab\there",    "\\back\\",
    "- a",    "[a]",    "{a: 1}", "&a",     "*a",        "!a",         "%a",           "@a",
    "`a",     "|",      ">",      "?",      "1e5",       "0x10",       "\u7334\u5b50", "\U0001F600",
    "\u2028", "\ufeff", "\u0085", "\x01",   "\x7f",      "a\r\nb",     "---",          "...",
    "true",   "a:",     "a\n\n",  "  \n  ", "caf\u00e9", "key: |",     "\n",           "'",
    "\"",     "=",
};

rc::Gen<std::string> anyText() {
    return rc::gen::oneOf(
        rc::gen::elementOf(awkwardTexts), rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~')),
        rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(awkwardTexts)),
                     [](const std::vector<std::string>& parts) {
                         std::string text;
                         for (const std::string& part : parts)
                             text += part;
                         return text;
                     }));
}

LoraList anyAdapters() {
    LoraList adapters(*rc::gen::inRange<std::size_t>(0, 4));
    for (LoraChoice& adapter : adapters)
        adapter = {.file = "a" + *anyText(),
                   .strength = *rc::gen::inRange(-100, 100) / 7.0,
                   .expert = *rc::gen::element(ExpertChoice::ByName, ExpertChoice::All, ExpertChoice::High,
                                               ExpertChoice::Low)};
    return adapters;
}

KeyframeList anyKeyframes() {
    KeyframeList keyframes(*rc::gen::inRange<std::size_t>(0, 4));
    for (Keyframe& keyframe : keyframes) {
        const auto unit = *rc::gen::element(PlaceUnit::Frame, PlaceUnit::Seconds, PlaceUnit::Percent);
        const int value = *rc::gen::inRange(0, 100);
        keyframe = {.place = {.unit = unit, .value = unit == PlaceUnit::Frame ? value : value / 7.0},
                    .image = "a" + *anyText()};
    }
    return keyframes;
}

std::string anyLegalText(const ProjectKey& key) {
    if (key.choices != nullptr)
        return std::string((*rc::gen::elementOf(key.choices())).name);
    if (const auto* range = std::get_if<IntegerRange>(&key.range)) {
        const std::int64_t steps =
            std::min<std::int64_t>((range->maximum - range->minimum) / range->step, 1000);
        return std::to_string(range->minimum + range->step * *rc::gen::inRange<std::int64_t>(0, steps));
    }
    if (const auto* range = std::get_if<RealRange>(&key.range))
        return fmt::format("{}",
                           std::min(range->minimum + *rc::gen::inRange(0, 1000) / 997.0, range->maximum));
    if (std::holds_alternative<bool Project::*>(key.member))
        return *rc::gen::arbitrary<bool>() ? "true" : "false";
    if (std::holds_alternative<Seed Project::*>(key.member))
        return seedText(*rc::gen::oneOf(
            rc::gen::just(Seed()),
            rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](auto seed) { return Seed(seed); })));
    if (std::holds_alternative<LoraList Project::*>(key.member))
        return loraText(anyAdapters());
    if (std::holds_alternative<KeyframeList Project::*>(key.member))
        return keyframesText(anyKeyframes());
    if (std::holds_alternative<GpuChoice Project::*>(key.member))
        return *rc::gen::element<std::string>("auto", "none", "0", "3,0,3");
    return *anyText();
}

Project anyProject() {
    Project project;
    for (const ProjectKey& key : projectKeys())
        if (*rc::gen::weightedElement<bool>({{1, true}, {3, false}}))
            setFromText(project, key, anyLegalText(key));
    return project;
}

TEST(ProjectWriter, WhatIsSavedReadsBackTheSame) {
    EXPECT_TRUE(rc::check([] {
        const Project project = anyProject();
        RC_ASSERT(readProject(saveProjectText(project), "p").project == project);
        RC_ASSERT(readProject(resolvedYaml(project), "p").project == project);
    }));
}

TEST(ProjectWriter, SavingOverAnyOtherProjectReadsBackTheSame) {
    EXPECT_TRUE(rc::check([] {
        const Project before = anyProject();
        const Project after = anyProject();
        const std::string text = saveProjectText(
            after, *rc::gen::arbitrary<bool>() ? saveProjectText(before) : resolvedYaml(before));
        RC_ASSERT(readProject(text, "p").project == after);
        RC_ASSERT(saveProjectText(after, text) == text);
    }));
}

TEST(ProjectWriter, HoldsWhatDiffersFromTheDefaultsInSectionOrder) {
    Project project;
    project.seed = 7;
    project.blockQ = 64;
    project.prompt = "a: b";
    EXPECT_EQ(saveProjectText(project),
              "version: 3\n"
              "prompt: \"a: b\"\n"
              "seed: 7\n"
              "flash_block_sizes:\n"
              "  block_q: 64\n");
}

constexpr const char* handWritten =
    "# My project\n"
    "version: 1\n"
    "\n"
    "prompt: >\n"
    "  a red\n"
    "  ball\n"
    "# the size\n"
    "height:   96   # tall\n"
    "seed: 3 # lucky\n"
    "learning_rate: 1.e-5\n"
    "flash_block_sizes:   # tiles\n"
    "    block_q: 128   # rows\n"
    "    # more\n"
    "    block_kv: 1024\n"
    "workers: 2\n"
    "# the end\n";

Project handWrittenProject() {
    return parseProject(handWritten, "p").project;
}

TEST(ProjectWriter, AnUnchangedProjectKeepsItsTextByteForByte) {
    EXPECT_EQ(saveProjectText(handWrittenProject(), handWritten), handWritten);
}

TEST(ProjectWriter, ChangesOnlyTheLinesOfChangedValues) {
    Project project = handWrittenProject();
    project.height = 64;
    project.width = 128;
    project.prompt = "a blue ball";
    project.blockQ = 256;
    project.blockKvCompute = 256;
    EXPECT_EQ(saveProjectText(project, handWritten),
              "# My project\n"
              "version: 1\n"
              "\n"
              "prompt: a blue ball\n"
              "# the size\n"
              "height:   64   # tall\n"
              "width: 128\n"
              "seed: 3 # lucky\n"
              "learning_rate: 1.e-5\n"
              "flash_block_sizes:   # tiles\n"
              "    block_q: 256   # rows\n"
              "    # more\n"
              "    block_kv: 1024\n"
              "    block_kv_compute: 256\n"
              "workers: 2\n"
              "# the end\n");
}

TEST(ProjectWriter, RefusedTextsStandInPlaceOfValues) {
    Project project = handWrittenProject();
    project.seed = 4;
    const RefusedTexts refused{{findProjectKey("height"), "17x"},
                               {findProjectKey("num_inference_steps"), "a: b"},
                               {findProjectKey("flash_block_sizes.block_kv"), ""}};
    const std::string text = saveProjectText(project, handWritten, refused);
    EXPECT_THAT(text, HasSubstr("height:   17x   # tall\n"));
    EXPECT_THAT(text, HasSubstr("num_inference_steps: \"a: b\"\n"));
    EXPECT_THAT(text, HasSubstr("    block_kv: \n"));
    EXPECT_THAT(text, HasSubstr("seed: 4 # lucky\n"));
    EXPECT_EQ(saveProjectText(project, text, refused), text);
    EXPECT_EQ(readProject(text, "p", listOverrides(project, refused)).project, project);
    EXPECT_EQ(readProject(text, "p").places.find("height")->second.text, "17x");
    EXPECT_THAT(saveProjectText(project, {}, refused), HasSubstr("height: 17x\n"));
}

TEST(ProjectWriter, KeepsLinesThatNameNoKey) {
    const std::string text = "version: 1\nprompt: a\nno_such_key: 5  # why\nseed: 1\n";
    Project project = readProject(text, "p").project;
    EXPECT_EQ(saveProjectText(project, text), text);
    project.seed = 2;
    EXPECT_EQ(saveProjectText(project, text), "version: 1\nprompt: a\nno_such_key: 5  # why\nseed: 2\n");
}

TEST(ProjectWriter, TakesKeysOfAGroupThatAreWrittenOutsideOfIt) {
    const std::string text =
        "version: 1\nprompt: a\nflash_block_sizes:\n  block_q: 128\nflash_block_sizes.block_kv: 512\n";
    Project project = parseProject(text, "p").project;
    EXPECT_EQ(project.blockKv, 512);
    EXPECT_EQ(saveProjectText(project, text), text);
    project.blockKv = 1024;
    EXPECT_EQ(readProject(saveProjectText(project, text), "p").project, project);
}

TEST(ProjectWriter, BracketsBecomeABlockOnlyWhenAValueChanges) {
    const std::string text =
        "prompt: a\nflash_block_sizes: {  # tiles\n  \"block_q\": 128,\n  \"block_q_dq\": 512,\n}\nseed: 1\n";
    Project project = parseProject(text, "p").project;
    EXPECT_EQ(saveProjectText(project, text), "version: 3\n" + text);
    project.blockQ = 64;
    EXPECT_EQ(saveProjectText(project, text),
              "version: 3\nprompt: a\nflash_block_sizes:\n  block_q: 64\n  block_q_dq: 512\nseed: 1\n");
}

TEST(ProjectWriter, KeepsAWholeMaxDiffusionFileBesideTheChangedLine) {
    const std::string text = "prompt: a\nadam_b1: 0.9 # no\nheight: 720\nlora_config: {\n  rank: [64],\n}\n";
    Project project = parseProject(text, "p").project;
    project.height = 480;
    EXPECT_EQ(saveProjectText(project, text),
              "version: 3\nprompt: a\nadam_b1: 0.9 # no\nheight: 480\nlora_config: {\n  rank: [64],\n}\n");
}

TEST(ProjectWriter, ResolvedYamlHoldsEveryKey) {
    const std::string text = resolvedYaml(Project());
    for (const ProjectKey& key : projectKeys())
        EXPECT_THAT(text, HasSubstr(std::string(key.name.substr(key.name.find('.') + 1)) + ": "));
}

TEST(ProjectWriter, AnyBytesAreWrittenAsUtf8) {
    using namespace std::string_literals;
    Project project;
    project.name = "caf\xe9 \xf0\x9f";
    EXPECT_EQ(readProject(resolvedYaml(project), "p").project.name, "caf\ufffd \ufffd");
    project.name = "a\0b"s;
    EXPECT_THAT(saveProjectText(project), HasSubstr("run_name: \"a\\u0000b\"\n"));
}

TEST(ProjectWriter, PathsUnderHomeAreStoredWithATilde) {
    Project project;
    project.model = std::string(std::getenv("HOME")) + "/models/wan";
    EXPECT_THAT(resolvedYaml(project), HasSubstr("pretrained_model_name_or_path: ~/models/wan\n"));
    EXPECT_EQ(readProject(resolvedYaml(project), "p").project.model, project.model);
}

}  // namespace

}  // namespace meshreel
