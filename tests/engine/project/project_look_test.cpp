// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/image.h"
#include "engine/media/png_text.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"
#include "engine/tensor/tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string greyPng() {
    Tensor image = Tensor::empty({2, 2, 3}, DType::U8);
    std::ranges::fill(image.data<std::uint8_t>(), std::uint8_t{128});
    return encodePng(image);
}

ProjectLook goldenHour() {
    return {.name = "Golden hour: \"late\"",
            .note = "Low sun",
            .values = {{.key = "prompt", .value = "{prompt}, golden hour"},
                       {.key = "negative_prompt", .value = "grey sky # and rain"},
                       {.key = "num_inference_steps", .value = "8"},
                       {.key = "lora", .value = ""}}};
}

/// A look with adapters as they are spelled.
ProjectLook look() {
    ProjectLook golden = goldenHour();
    Project project;
    project.lora = {{.file = "sun.safetensors", .strength = 0.5}};
    golden.values.back().value = valueText(project, *findProjectKey("lora"));
    std::ranges::sort(golden.values, {}, [](const KeyChange& value) { return findProjectKey(value.key); });
    return golden;
}

/// "line 3 scheduler" of each problem.
std::vector<std::string> refusalsOfLook(const std::string& values) {
    std::vector<std::string> refusals;
    try {
        readLook("meshreel_look: 1\nvalues:\n" + values, "look.png");
    } catch (const ProjectError& error) {
        for (const Problem& problem : error.problems()) {
            EXPECT_EQ(problem.place.file, "look.png");
            refusals.push_back("line " + std::to_string(problem.place.line) + " " + problem.key);
        }
    }
    return refusals;
}

TEST(ProjectLook, NoKeyOfItAsksOrStartsAnything) {
    for (const std::string_view name : lookKeys()) {
        const ProjectKey* key = findProjectKey(name);
        ASSERT_NE(key, nullptr) << name;
        const KeyAccess access = findAccess(*key);
        EXPECT_TRUE(access == KeyAccess::Nothing || access == KeyAccess::Weights) << name;
    }
}

TEST(ProjectLook, ComesBackFromItsText) {
    EXPECT_EQ(readLook(lookText(look()), "look.png"), look());
    const ProjectLook bare{.name = "bare"};
    EXPECT_EQ(readLook(lookText(bare), "look.png"), bare);
}

TEST(ProjectLook, HoldsWhatOfAProjectIsALook) {
    Project project;
    project.prompt = "a ball";
    project.negativePrompt = "rain";
    project.seed = 5;
    project.image = "/home/ann/cat.png";
    project.hosts = "hosts.txt";
    project.numInferenceSteps = 8;
    project.lora = {{.file = "/home/ann/loras/sun.safetensors"}, {.file = "../b.safetensors"}};
    std::vector<std::string> keys;
    for (const KeyChange& value : lookValues(project)) {
        keys.push_back(value.key);
        EXPECT_THAT(value.value, ::testing::Not(HasSubstr("ann"))) << value.key;
        EXPECT_THAT(value.value, ::testing::Not(HasSubstr(".."))) << value.key;
    }
    EXPECT_THAT(keys, ::testing::UnorderedElementsAre("negative_prompt", "lora", "num_inference_steps"));
    project.prompt = "{prompt}, in oil";
    EXPECT_THAT(lookValues(project), SizeIs(4)) << "a style is one";
    EXPECT_THAT(lookValues({}), IsEmpty());
}

TEST(ProjectLook, IsPutAroundThePrompt) {
    Project project;
    project.prompt = "a {prompt} ball";
    project.numInferenceSteps = 8;
    const ProjectLook style{.name = "s",
                            .values = {{.key = "prompt", .value = "{prompt}, oil, {prompt}"},
                                       {.key = "num_inference_steps", .value = "8"}}};
    EXPECT_THAT(lookChanges(style, project),
                ElementsAre(KeyChange{.key = "prompt", .value = "a {prompt} ball, oil, a {prompt} ball"}));
}

TEST(ProjectLook, UsedTwiceIsUsedOnce) {
    const ProjectLook style{.name = "s",
                            .values = {{.key = "prompt", .value = "cinematic, {prompt}, at dawn"}}};
    Project project;
    project.prompt = "a ball";
    const KeyChanges once = lookChanges(style, project);
    ASSERT_THAT(once, SizeIs(1));
    project.prompt = once.front().value;
    EXPECT_EQ(project.prompt, "cinematic, a ball, at dawn");
    EXPECT_THAT(lookChanges(style, project), IsEmpty());
}

TEST(ProjectLook, TheProjectsPathOfAnAdapterStays) {
    Project project;
    project.lora = {{.file = "/elsewhere/oil.safetensors", .strength = 1}};
    const ProjectLook look{.name = "s", .values = lookValues(project)};
    ASSERT_THAT(look.values, SizeIs(1)) << "the name of its file";
    EXPECT_THAT(lookChanges(look, project), IsEmpty());
}

TEST(ProjectLook, AStyleDoesNotRepeatThePromptWithoutEnd) {
    EXPECT_THAT(refusalsOfLook("  prompt: '{prompt}{prompt}{prompt}{prompt}{prompt}{prompt}{prompt}{prompt}"
                               "{prompt}'\n"),
                ElementsAre("line 3 prompt"));
}

TEST(ProjectLook, OtherKeysAreRefused) {
    EXPECT_THAT(refusalsOfLook("  image: /etc/passwd\n"), ElementsAre("line 3 image"));
    EXPECT_THAT(refusalsOfLook("  hosts: hosts.txt\n  seed: 1\n"),
                ElementsAre("line 3 hosts", "line 4 seed"));
    EXPECT_THAT(refusalsOfLook("  no_such_key: 1\n"), ElementsAre("line 3 no_such_key"));
    EXPECT_THAT(refusalsOfLook("  width: 70\n"), SizeIs(1));
    EXPECT_THAT(refusalsOfLook("  prompt: a ball\n"), ElementsAre("line 3 prompt"));
    for (const char* file :
         {"/tmp/a.safetensors", "~/a.safetensors", "../a.safetensors", "x/../../a.safetensors"})
        EXPECT_THAT(refusalsOfLook(std::string("  lora: [{file: ") + file + "}]\n"),
                    ElementsAre("line 3 lora"))
            << file;
    EXPECT_THAT(refusalsOfLook("  lora: [{file: mine/a.safetensors}]\n"), IsEmpty());
}

TEST(ProjectLook, WhatIsNoLookIsRefused) {
    for (const char* text :
         {"", "[]", "a ball", "name: a\n", "meshreel_look: 2\n", "meshreel_look: 1\nrun: rm\n",
          "meshreel_look: 1\nvalues: 5\n", "meshreel_look: 1\nvalues: &a {width: 64}\n", "{"})
        EXPECT_THROW(readLook(text, "look.png"), ProjectError) << text;
}

TEST(ProjectLook, IsAPictureThatCanBeSeen) {
    const testing::TemporaryFolder folder;
    setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    const fs::path file = userLooksFolder() / "golden.png";
    saveLook(file, look(), greyPng());
    EXPECT_TRUE(isLook(file));
    EXPECT_EQ(loadLook(file), look());
    EXPECT_EQ(readImage(file).extent(0), 2);
    writeFileAtomically(userLooksFolder() / "plain.png", greyPng());
    EXPECT_FALSE(isLook(userLooksFolder() / "plain.png"));
    EXPECT_THROW(loadLook(userLooksFolder() / "plain.png"), Error);
    EXPECT_FALSE(isLook(folder / "gone.png"));
    writeFileAtomically(
        userLooksFolder() / "bad.png",
        withPngText(greyPng(), "meshreel_look", "meshreel_look: 1\nvalues: {image: a.png}\n"));
    std::vector<Sentence> unreadable;
    const std::vector<FoundLook> found = looksIn(userLooksFolder(), &unreadable);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found.front().file, file);
    ASSERT_THAT(unreadable, SizeIs(1));
    EXPECT_THAT(unreadable.front().text(), HasSubstr("bad.png"));
    unsetenv("XDG_DATA_HOME");
}

}  // namespace
}  // namespace meshreel
