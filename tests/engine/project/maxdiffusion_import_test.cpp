// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/maxdiffusion_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/project/maxdiffusion_keys.h"
#include "engine/project/project_file.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A part of a config as MaxDiffusion keeps them.
constexpr const char* config =
    "run_name: ''\n"
    "pretrained_model_name_or_path: 'Wan-AI/Wan2.1-T2V-14B-Diffusers'\n"
    "model_name: wan2.1\n"
    "weights_dtype: 'bfloat16'\n"
    "attention: 'ulysses_ring_custom'\n"
    "flash_block_sizes: {\n"
    "  block_q: 512,\n"
    "  block_q_dkv: 512\n"
    "}\n"
    "scan_layers: True\n"
    "learning_rate: 4.e-7\n"
    "ici_context_parallelism: -1\n"
    "prompt: 'a cat'\n"
    "height: 720\n"
    "width: 1280\n"
    "use_experimental_scheduler: True\n";

const ImportedKey& keyOf(const MaxDiffusionImport& imported, std::string_view name) {
    const auto found = std::ranges::find(imported.keys, name, &ImportedKey::name);
    EXPECT_NE(found, imported.keys.end()) << name;
    return found == imported.keys.end() ? imported.keys.front() : *found;
}

TEST(MaxDiffusionImport, TellsWhatBecameOfEveryKey) {
    const MaxDiffusionImport imported = importMaxDiffusion(config, "base_wan_14b.yml");
    EXPECT_EQ(imported.keys.size(), 14U);
    EXPECT_EQ(imported.project.model, "Wan-AI/Wan2.1-T2V-14B-Diffusers");
    EXPECT_EQ(imported.project.weightsDtype, "bfloat16");
    EXPECT_EQ(imported.project.blockQ, 512);
    EXPECT_EQ(imported.project.width, 1280);
    const ImportedKey& width = keyOf(imported, "width");
    EXPECT_EQ(width.fate, ImportFate::Taken);
    EXPECT_EQ(width.result, "width: 1280");
    EXPECT_EQ(width.line, 15);
    for (const char* name : {"scan_layers", "learning_rate", "flash_block_sizes.block_q_dkv", "model_name",
                             "use_experimental_scheduler"}) {
        const ImportedKey& key = keyOf(imported, name);
        EXPECT_EQ(key.fate, ImportFate::Ignored) << name;
        EXPECT_FALSE(key.reason.empty()) << name;
    }
}

TEST(MaxDiffusionImport, AxesOfTheDraftBecomeContextAndShards) {
    const std::vector<std::string> words{"ici_ring_parallelism=2", "ici_ulysses_parallelism=4", "height=480"};
    const MaxDiffusionImport imported = importMaxDiffusion(config, "c.yml", words);
    EXPECT_EQ(imported.project.iciContextParallelism, 8);
    EXPECT_EQ(imported.project.ulyssesShards, 4);
    EXPECT_EQ(imported.project.height, 480);
    EXPECT_EQ(keyOf(imported, "ici_ring_parallelism").fate, ImportFate::Translated);
    EXPECT_EQ(keyOf(imported, "ici_ring_parallelism").result, "ici_context_parallelism: 8");
    EXPECT_EQ(keyOf(imported, "ici_ulysses_parallelism").result, "ulysses_shards: 4");
    EXPECT_EQ(keyOf(imported, "ici_context_parallelism").fate, ImportFate::Ignored);
    EXPECT_EQ(imported.keys.back().line, 0) << "words stand behind the file";
}

TEST(MaxDiffusionImport, TheDraftsAxesInAFile) {
    const MaxDiffusionImport imported = importMaxDiffusion(
        "ici_ring_parallelism: 2\nici_ulysses_parallelism: 2\nattention: ulysses_ring\nprompt: x\n", "c.yml");
    EXPECT_EQ(imported.project.iciContextParallelism, 4);
    EXPECT_EQ(imported.project.ulyssesShards, 2);
    for (const ImportedKey& key : imported.keys)
        EXPECT_TRUE(key.fate == ImportFate::Taken || key.fate == ImportFate::Translated)
            << key.name << ": " << key.reason;
}

TEST(MaxDiffusionImport, OneAxisOfTheDraftIsEnough) {
    const std::vector<std::string> ulysses{"ici_ulysses_parallelism=4"};
    const MaxDiffusionImport heads = importMaxDiffusion(config, "c.yml", ulysses);
    EXPECT_EQ(heads.project.iciContextParallelism, 4);
    EXPECT_EQ(heads.project.ulyssesShards, 4);
    EXPECT_EQ(keyOf(heads, "ici_ulysses_parallelism").result,
              "ulysses_shards: 4, ici_context_parallelism: 4");
    EXPECT_EQ(keyOf(heads, "ici_context_parallelism").fate, ImportFate::Ignored);
    const std::vector<std::string> ring{"ici_ring_parallelism=3"};
    const MaxDiffusionImport tokens = importMaxDiffusion("prompt: x\n", "c.yml", ring);
    EXPECT_EQ(tokens.project.iciContextParallelism, 3);
    EXPECT_EQ(tokens.project.ulyssesShards, Project().ulyssesShards);
}

TEST(MaxDiffusionImport, KeysThatEverybodyHasShowNothingOfAFile) {
    for (const char* text :
         {"prompt: a cat\n", "{\"prompt\": \"hi\", \"seed\": 5}", "seed: 5\nwidth: 64\n"}) {
        EXPECT_FALSE(importMaxDiffusion(text, "one.json", {}).known) << text;
        EXPECT_TRUE(importMaxDiffusion(text, "base_wan_14b.yml", {}).known) << text;
        const std::vector<std::string> named{"pretrained_model_name_or_path=wan2.1-t2v-14b"};
        EXPECT_TRUE(importMaxDiffusion(text, "one.json", named).known) << text;
    }
    EXPECT_TRUE(importMaxDiffusion("prompt: a cat\nici_ulysses_parallelism: 2\n", "one.yml", {}).known);
}

TEST(MaxDiffusionImport, AnAxisOfTheDraftThatIsNoNumberIsBlamedForItsValue) {
    const MaxDiffusionImport stranger =
        importMaxDiffusion(config, "c.yml", std::vector<std::string>{"no_such_key=1"});
    const std::string unknown = testing::patternOf(keyOf(stranger, "no_such_key").reason);
    for (const char* value : {"0", "-1", "two", "100000"}) {
        const std::vector<std::string> words{std::string("ici_ring_parallelism=") + value,
                                             "ici_ulysses_parallelism=2"};
        const MaxDiffusionImport imported = importMaxDiffusion(config, "c.yml", words);
        EXPECT_EQ(keyOf(imported, "ici_ring_parallelism").fate, ImportFate::Refused) << value;
        EXPECT_NE(testing::patternOf(keyOf(imported, "ici_ring_parallelism").reason), unknown);
        EXPECT_EQ(imported.project.ulyssesShards, 2);
        EXPECT_EQ(imported.project.iciContextParallelism, 2);
    }
}

TEST(MaxDiffusionImport, WordsThatSetNothingAreListed) {
    const std::vector<std::string> words{"prompt=a", "cat", "--seed=5", "--verbose"};
    const MaxDiffusionImport imported = importMaxDiffusion({}, {}, words);
    EXPECT_EQ(imported.project.prompt, "a");
    EXPECT_EQ(imported.project.seed, Project().seed);
    ASSERT_EQ(imported.keys.size(), words.size());
    for (const char* word : {"cat", "--seed=5", "--verbose"})
        EXPECT_EQ(keyOf(imported, word).fate, ImportFate::Ignored) << word;
    EXPECT_THAT(keyOf(imported, "cat").reason.text(), HasSubstr("quotes"));
    EXPECT_THAT(keyOf(imported, "--seed=5").reason.text(), HasSubstr("write seed=5"));
}

TEST(MaxDiffusionImport, WhatCannotBeTakenSaysWhy) {
    const std::vector<std::string> words{"height=721", "attention=no_such_mode", "no_such_key=1",
                                         "ici_ring_parallelism=x", "image_url=https://a/b.jpg"};
    const MaxDiffusionImport imported = importMaxDiffusion("prompt: x\n", "c.yml", words);
    for (const char* name : {"height", "attention", "no_such_key", "ici_ring_parallelism", "image_url"}) {
        const ImportedKey& key = keyOf(imported, name);
        EXPECT_EQ(key.fate, ImportFate::Refused) << name << " " << key.result;
        EXPECT_FALSE(key.reason.empty()) << name;
    }
    EXPECT_EQ(imported.project.height, Project().height);
    ASSERT_EQ(imported.keys.size(), 6U);
    EXPECT_THAT(keyOf(imported, "image_url").reason, HasSubstr("Download"));
}

TEST(MaxDiffusionImport, APictureOfThisMachineIsTheImage) {
    const std::vector<std::string> words{"image_url=pictures/cat.png"};
    const MaxDiffusionImport imported = importMaxDiffusion({}, {}, words);
    EXPECT_EQ(imported.project.image, "pictures/cat.png");
    EXPECT_EQ(keyOf(imported, "image_url").result, "image: pictures/cat.png");
}

TEST(MaxDiffusionImport, TheModelFollowsFromTheConfigsName) {
    struct Case {
        const char* config;
        const char* model;
    };
    for (const Case& row :
         {Case{"base_wan_14b.yml", "Wan-AI/Wan2.1-T2V-14B-Diffusers"},
          Case{"base_wan_1_3b.yml", "Wan-AI/Wan2.1-T2V-1.3B-Diffusers"},
          Case{"base_wan_27b.yml", "Wan-AI/Wan2.2-T2V-A14B-Diffusers"},
          Case{"base_wan_i2v_14b.yml", "Wan-AI/Wan2.1-I2V-14B-720P-Diffusers"},
          Case{"base_wan_i2v_27b.yml", "Wan-AI/Wan2.2-I2V-A14B-Diffusers"},
          Case{"base_wan_animate.yml", "Wan-AI/Wan2.2-Animate-14B-Diffusers"},
          Case{"src/maxdiffusion/configs/base_wan_27b.yaml", "Wan-AI/Wan2.2-T2V-A14B-Diffusers"},
          Case{"C:\\configs\\base_wan_27b.yml", "Wan-AI/Wan2.2-T2V-A14B-Diffusers"}}) {
        const std::vector<std::string> words{"height=720", "width=1280"};
        const MaxDiffusionImport imported = importMaxDiffusion({}, row.config, words);
        EXPECT_EQ(imported.project.model, row.model) << row.config;
        EXPECT_EQ(imported.project.height, 720);
        EXPECT_EQ(imported.keys.front().fate, ImportFate::Translated);
        EXPECT_EQ(imported.keys.front().result, std::string("pretrained_model_name_or_path: ") + row.model);
        ASSERT_FALSE(imported.problems.empty()) << "its other keys are not known";
        EXPECT_EQ(imported.problems.front().severity, Severity::Warning);
        EXPECT_THAT(imported.problems.front().text(), HasSubstr("base_wan"));
    }
}

TEST(MaxDiffusionImport, AModelThatIsNamedWinsOverTheConfigsName) {
    const std::vector<std::string> words{"pretrained_model_name_or_path=tiny-wan-t2v"};
    EXPECT_EQ(importMaxDiffusion({}, "base_wan_27b.yml", words).project.model, "tiny-wan-t2v");
    EXPECT_EQ(importMaxDiffusion(config, "base_wan_27b.yml").project.model,
              "Wan-AI/Wan2.1-T2V-14B-Diffusers");
    EXPECT_EQ(importMaxDiffusion(config, "mine.yml", words).project.model, "tiny-wan-t2v");
}

TEST(MaxDiffusionImport, AConfigOfAnotherNameIsNoModelByItself) {
    for (const char* text : {"", "prompt: x\nheight: 720\n"}) {
        const MaxDiffusionImport imported = importMaxDiffusion(text, "configs/base_wan_99b.yml");
        EXPECT_EQ(imported.project.model, "base_wan_99b") << "which is not installed: never another one";
        ASSERT_FALSE(imported.problems.empty());
        EXPECT_EQ(imported.problems.front().severity, Severity::Error);
        EXPECT_EQ(imported.problems.front().key, "pretrained_model_name_or_path");
        EXPECT_THAT(imported.problems.front().text(), HasSubstr("base_wan_99b.yml"));
    }
}

TEST(MaxDiffusionImport, WordsWithoutAConfigSayThatTheModelIsMeshreels) {
    const std::vector<std::string> words{"prompt=a cat", "height=720"};
    const MaxDiffusionImport imported = importMaxDiffusion({}, {}, words);
    EXPECT_EQ(imported.project.model, Project().model);
    ASSERT_FALSE(imported.problems.empty());
    EXPECT_THAT(imported.problems.front().text(),
                AllOf(HasSubstr("tiny-wan-t2v"), HasSubstr("pretrained_model_name_or_path")));
}

TEST(MaxDiffusionImport, CommandsNameTheirConfig) {
    const std::vector<std::string> words{"HF_HOME=/x",       "python",     "src/generate_wan.py",
                                         "base_wan_27b.yml", "height=720", "--verbose"};
    const MaxDiffusionCommand command = readMaxDiffusionCommand(words);
    EXPECT_EQ(command.config, "base_wan_27b.yml");
    EXPECT_THAT(command.words, ::testing::ElementsAre("height=720", "--verbose"));
    const std::vector<std::string> alone{"height=720", "output=a.yml"};
    EXPECT_EQ(readMaxDiffusionCommand(alone).config, "");
    EXPECT_EQ(readMaxDiffusionCommand(alone).words, alone);
}

TEST(MaxDiffusionImport, WhatIsWrittenReadsBackAsTheProject) {
    const MaxDiffusionImport imported = importMaxDiffusion(config, "base_wan_14b.yml");
    EXPECT_EQ(readProject(saveProjectText(imported.project), "p.yaml").project, imported.project);
}

TEST(MaxDiffusionImport, ConfigsAreToldFromProjects) {
    EXPECT_TRUE(isMaxDiffusionConfig("pretrained_model_name_or_path: a\nscan_layers: True\nheight: 720\n"));
    EXPECT_TRUE(isMaxDiffusionConfig("height: 720\nici_ring_parallelism: 2\n"));
    EXPECT_FALSE(isMaxDiffusionConfig("version: 1\nprompt: a ball\n"));
    EXPECT_FALSE(isMaxDiffusionConfig("prompt: a ball\nheight: 720\n"));
    EXPECT_FALSE(isMaxDiffusionConfig("version: 1\nscan_layers: True\n"));
    EXPECT_FALSE(isMaxDiffusionConfig("]["));
}

TEST(MaxDiffusionImport, AnyTextIsReported) {
    for (const char* text : {"", "[1, 2]", "a: &x 1\nb: *x\n", "\t- {", "prompt: [1]\n"}) {
        const MaxDiffusionImport imported = importMaxDiffusion(text, "c.yml");
        EXPECT_TRUE(!imported.problems.empty() || !imported.keys.empty()) << text;
    }
}

TEST(MaxDiffusionKeys, EveryIgnoredKeyHasAReason) {
    for (const std::string_view name : ignoredKeys()) {
        const auto key = findForeignKey(name);
        ASSERT_TRUE(key) << name;
        EXPECT_FALSE(key->reason.empty()) << name;
    }
}

}  // namespace
}  // namespace meshreel
