// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/foreign_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/video_writer.h"
#include "engine/project/maxdiffusion_import.h"
#include "engine/project/project_file.h"
#include "engine/tensor/tensor.h"

namespace meshreel {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

// As ComfyUI's server takes it, with a prompt that quotes another file's key.
constexpr const char* comfyNodes =
    R"({"3": {"class_type": "KSampler", "inputs": {"seed": 815, "steps": 6, "cfg": 5.5}}, )"
    R"("6": {"class_type": "CLIPTextEncode", "inputs": {"text": "say \"nbformat\""}}})";
// As its editor saves it: NaN is what Python writes.
constexpr const char* comfyEditor =
    R"({"last_node_id": 48, "version": 0.4, "links": [], "nodes": [{"id": 3, "type": "KSampler", )"
    R"("is_changed": NaN, "widgets_values": [815, "fixed", 6]}]})";

struct Named {
    const char* text;
    const char* name;
};

TEST(ForeignFile, TextsOfOtherProgramsAreCalledByName) {
    for (const auto& [text, name] : {
             Named{comfyNodes, "a ComfyUI workflow"},
             Named{comfyEditor, "a ComfyUI workflow"},
             Named{"\xef\xbb\xbf\n {\"prompt\": {\"1\": {\"class_type\": \"VAEDecode\"}}}",
                   "a ComfyUI workflow"},
             Named{R"({"model_type": "t2v", "settings_version": 2.3, "prompt": "a", "video_length": 81})",
                   "settings of Wan2GP"},
             Named{R"({"type": "WanGP v8.1 by DeepBeepMeep", "prompt": "a cat"})", "settings of Wan2GP"},
             Named{R"({"sui_image_params": {"prompt": "a cat"}})", "settings of SwarmUI"},
             Named{R"({"_class_name": "WanPipeline", "_diffusers_version": "0.35"})",
                   "a description of a model"},
             Named{R"({"cells": [], "nbformat": 4})", "a Jupyter notebook"},
             Named{"./sd -M vid_gen --diffusion-model wan.gguf -p \"a: cat\"\n", "stable-diffusion.cpp"},
             Named{"python generate.py --task t2v-14B --ckpt_dir ./Wan2.1 --prompt \"x: y\"", "generate.py"},
             Named{"# a cat\nimport torch\nfrom diffusers import WanPipeline\n", "a Python script"},
             Named{"#!/bin/sh\nset -e\n", "a script"},
             Named{"a cat\nNegative prompt: blurry\nSteps: 20, Sampler: Euler, Seed: 5", "WebUI"},
             Named{"<!DOCTYPE html>\n<html></html>", "a web page"},
         }) {
        const auto problem = foreignTextProblem(text);
        ASSERT_TRUE(problem) << text;
        EXPECT_THAT(problem->text(), HasSubstr(name));
        EXPECT_FALSE(problem->hint().empty()) << text;
        const LoadedProject loaded = readProject(text, "given.yaml");
        EXPECT_EQ(loaded.problems.size(), 1U) << "nothing is said of its keys: " << text;
        EXPECT_TRUE(loaded.places.empty()) << text;
        EXPECT_FALSE(importMaxDiffusion(text, "base_wan_14b.yml").known) << text;
    }
}

TEST(ForeignFile, ProjectsAndConfigsAreNot) {
    for (const char* text :
         {"", "# only a comment\n", "version: 3\nprompt: a cat\n", "prompt: run sd-cli -M vid_gen\n",
          "version: 3\nprompt: |\n  Steps: 1, Sampler: x, Seed: 5\n  import torch\n",
          "{\"version\": 3, \"prompt\": \"a cat\"}", "{version: 3, prompt: 'nodes'}",
          "# made by generate.py --task t2v\nheight: 720\nscan_layers: True\n", "][", "just words"})
        EXPECT_FALSE(foreignTextProblem(text)) << text;
}

/// A PNG of 1x1 with a text of one key, as image programs write it; its checksums are not looked at.
std::string pngWithText(const std::string& key, const std::string& value) {
    const auto chunk = [](const std::string& kind, const std::string& data) {
        std::string size(4, '\0');
        for (int i = 0; i < 4; ++i)
            size[static_cast<std::size_t>(i)] = static_cast<char>(data.size() >> (24 - 8 * i));
        return size + kind + data + std::string(4, '\0');
    };
    return "\x89PNG\r\n\x1a\n"s + chunk("IHDR", "\0\0\0\1\0\0\0\1\x08\2\0\0\0"s) +
           chunk("tEXt", key + '\0' + value) + chunk("IEND", {});
}

TEST(ForeignFile, PicturesAndVideosNameTheProgramWhoseSettingsTheyHold) {
    const ScratchFolder folder;
    writeFileAtomically(folder.path() / "comfy.yaml", pngWithText("prompt", comfyNodes));
    writeFileAtomically(folder.path() / "plain.png", pngWithText("Software", "a scanner"));
    VideoOptions options;
    options.metadata["comment"] = comfyEditor;
    const Tensor frames = Tensor::zeros({5, 32, 32, 3}, DType::U8);
    writeVideo(folder.path() / "comfy.mp4", frames, options);
    options.metadata = {{std::string(projectMetadataKey), "version: 3\n"}};
    writeVideo(folder.path() / "own.mp4", frames, options);
    for (const auto& [file, words] : {
             Named{"comfy.yaml", "This is a picture that holds a ComfyUI workflow"},
             Named{"plain.png", "This is a picture, and no project is stored in it"},
             Named{"comfy.mp4", "This is a video that holds a ComfyUI workflow"},
             Named{"own.mp4", "This is a video that holds its project"},
         }) {
        const auto problem = foreignFileProblem(folder.path() / file);
        ASSERT_TRUE(problem) << file;
        EXPECT_THAT(problem->text(), HasSubstr(words));
        EXPECT_THROW(static_cast<void>(loadProject(folder.path() / file)), ProjectError) << file;
    }
    EXPECT_THAT(foreignSettingsIn(folder.path() / "comfy.mp4").text(), HasSubstr("ComfyUI"));
    EXPECT_TRUE(foreignSettingsIn(folder.path() / "own.mp4").empty());
}

TEST(ForeignFile, OtherKindsOfFilesAreNamedByTheirFirstBytes) {
    const ScratchFolder folder;
    for (const auto& [bytes, words] : {
             std::pair{"\x40\0\0\0\0\0\0\0{\"a\": {}}"s, "weights of a model"},
             std::pair{"GGUF\3\0\0\0"s, "weights of a model"},
             std::pair{"PK\3\4model/data.pkl"s, "an archive"},
             std::pair{"%PDF-1.7"s, "a document"},
         }) {
        writeFileAtomically(folder.path() / "p.yaml", bytes);
        const auto problem = foreignFileProblem(folder.path() / "p.yaml");
        ASSERT_TRUE(problem) << words;
        EXPECT_THAT(problem->text(), HasSubstr(words));
    }
    writeFileAtomically(folder.path() / "p.yaml", "prompt: {\"a\": 1}\n");
    EXPECT_FALSE(foreignFileProblem(folder.path() / "p.yaml"));
    EXPECT_FALSE(foreignFileProblem(folder.path() / "missing.yaml"));
}

}  // namespace
}  // namespace meshreel
