// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/video_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_trust.h"

namespace meshreel {
namespace {

using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The value that a request gives a key; of several the last.
std::optional<std::string> valueOf(const VideoOrder& order, const std::string& key) {
    std::optional<std::string> value;
    for (const KeyChange& change : order.changes)
        if (change.key == key)
            value = change.value;
    return value;
}

std::vector<Problem> problemsOf(const WebFields& fields) {
    try {
        static_cast<void>(readVideoOrder(fields));
    } catch (const ProjectError& refused) {
        return refused.problems();
    }
    return {};
}

std::vector<Problem> problemsOfProject(const Project& project, const NamedUploads& uploads = {}) {
    try {
        static_cast<void>(projectFromNetwork(project, uploads));
    } catch (const ProjectError& refused) {
        return refused.problems();
    }
    return {};
}

TEST(VideoOrder, EveryFieldIsAKeyThatThereIs) {
    for (const VideoField& field : videoFields())
        EXPECT_NE(findProjectKey(field.key), nullptr) << field.field;
}

// As the clients of vLLM-omni send them, in a form or in JSON.
TEST(VideoOrder, ReadsTheFieldsOfClients) {
    const VideoOrder order = readVideoOrder(fieldsOfJson(R"({
        "model": "tiny-wan-t2v", "prompt": "a red ball", "negative_prompt": "blurry", "size": "64x32",
        "seconds": "2", "fps": 8, "num_inference_steps": 4, "guidance_scale": 3.5, "guidance_scale_2": 4,
        "flow_shift": 5, "boundary_ratio": 0.875, "seed": 7, "user": "ann", "n": 1,
        "enable_frame_interpolation": false, "input_reference": null,
        "lora": [{"name": "style.safetensors", "scale": 0.5}],
        "extra_params": {"attention": "flash", "devices": 2}})"));
    EXPECT_EQ(valueOf(order, "pretrained_model_name_or_path"), "tiny-wan-t2v");
    EXPECT_EQ(valueOf(order, "prompt"), "a red ball");
    EXPECT_EQ(valueOf(order, "width"), "64");
    EXPECT_EQ(valueOf(order, "height"), "32");
    EXPECT_EQ(valueOf(order, "num_frames"), "17");
    EXPECT_EQ(valueOf(order, "guidance_scale"), "3.5");
    EXPECT_EQ(valueOf(order, "guidance_scale_high"), "4");
    EXPECT_EQ(valueOf(order, "attention"), "flash");
    EXPECT_EQ(valueOf(order, "devices"), "2");
    EXPECT_THAT(order.files, IsEmpty());
    Project project;
    for (const KeyChange& change : order.changes)
        EXPECT_FALSE(trySetFromText(project, *findProjectKey(change.key), change.value)) << change.key;
    ASSERT_THAT(project.lora, SizeIs(1));
    EXPECT_EQ(project.lora.front().file, "style.safetensors");
    EXPECT_DOUBLE_EQ(project.lora.front().strength, 0.5);
}

TEST(VideoOrder, APresetComesBeforeWhatChangesIt) {
    const VideoOrder order = readVideoOrder(
        {{"extra_params", R"({"flow_shift": 2, "preset": "distill-4"})"}, {"flow_shift", "3"}});
    ASSERT_THAT(order.changes, SizeIs(3));
    EXPECT_EQ(order.changes.front().key, "preset");
    EXPECT_EQ(valueOf(order, "flow_shift"), "3") << "a field of its own wins";
}

TEST(VideoOrder, TakesFilesFromDataAddressesAlone) {
    const VideoOrder order =
        readVideoOrder({{"image_reference", R"({"image_url": "data:image/png;base64,aGk="})"},
                        {"audio_reference", "data:audio/wav;base64,aGk="}});
    ASSERT_THAT(order.files, SizeIs(2));
    EXPECT_EQ(order.files[0].key, "audio");
    EXPECT_EQ(order.files[0].extension, ".wav");
    EXPECT_EQ(order.files[1].key, "image");
    EXPECT_EQ(order.files[1].bytes, "hi");
    const VideoOrder member = readVideoOrder({{"input_reference[image_url]", "data:image/jpeg;base64,aGk="}});
    ASSERT_THAT(member.files, SizeIs(1));
    EXPECT_EQ(member.files[0].key, "image");
    EXPECT_EQ(member.files[0].extension, ".jpg");
    for (const char* reference :
         {"http://169.254.169.254/latest", "https://example.org/a.png", "file:///etc/passwd", "/etc/passwd",
          "../../key", "~/.ssh/id_rsa", "data:image/png,hi", "data:image/png;base64,a",
          R"({"image_url": "http://example.org/a.png"})", R"({"image_url": {"url": "file:///etc/passwd"}})",
          R"({"file_id": "file-1"})", R"({"image_url": 5})", R"({"image_url": {"url": [1]}})", "{", ""})
        EXPECT_THAT(problemsOf({{"input_reference", reference}}), SizeIs(Ge(1U))) << reference;
}

TEST(VideoOrder, NamesEveryFieldThatItDoesNotUnderstand) {
    for (const WebFields& fields : std::vector<WebFields>{{{"promt", "a ball"}},
                                                          {{"size", "big"}},
                                                          {{"size", "64"}},
                                                          {{"seconds", "soon"}},
                                                          {{"seconds", "-1"}},
                                                          {{"seconds", "1e9"}},
                                                          {{"seconds", "nan"}},
                                                          {{"seconds", "2"}, {"num_frames", "17"}},
                                                          {{"n", "2"}},
                                                          {{"num_outputs_per_prompt", "2"}},
                                                          {{"enable_teacache", "true"}},
                                                          {{"metadata", "{}"}},
                                                          {{"size[image_url]", "64x64"}},
                                                          {{"input_reference[file_id]", "a"}},
                                                          {{"generate_sound", "true"}},
                                                          {{"enable_frame_interpolation", "true"}},
                                                          {{"lora", "5"}},
                                                          {{"lora", "[{}]"}},
                                                          {{"lora", "[{\"name\": 5}]"}},
                                                          {{"extra_params", "[]"}},
                                                          {{"extra_params", R"({"no_such_key": 1})"}}}) {
        const std::vector<Problem> problems = problemsOf(fields);
        ASSERT_THAT(problems, SizeIs(1)) << fields.begin()->first << '=' << fields.begin()->second;
        EXPECT_TRUE(fields.contains(problems.front().place.file)) << problems.front().text();
    }
}

TEST(VideoOrder, TakesFilesOfAnyInputInItsKeys) {
    const VideoOrder order = readVideoOrder(
        {{"extra_params", R"({"speech": "data:audio/wav;base64,aGk=", "upscale": 2, "reference_images":
                             ["data:image/png;base64,aGk=", "data:image/png;base64,aG8="]})"}});
    ASSERT_THAT(order.files, SizeIs(3));
    EXPECT_EQ(order.files[0].key, "reference_images");
    EXPECT_EQ(order.files[1].bytes, "ho");
    EXPECT_EQ(order.files[2].key, "speech");
    EXPECT_EQ(valueOf(order, "upscale"), "2");
    EXPECT_THAT(problemsOf({{"extra_params", R"({"image": "data:image/png;base64,?"})"}}), SizeIs(1));
    EXPECT_THAT(
        problemsOf({{"extra_params", R"({"reference_images": ["data:image/png;base64,aGk=", "/etc/a"]})"}}),
        SizeIs(1));
    std::string many;
    for (int file = 0; file < 33; ++file)
        many += std::string(file == 0 ? "" : ",") + "\"data:image/png;base64,aGk=\"";
    EXPECT_THAT(problemsOf({{"extra_params", "{\"reference_images\": [" + many + "]}"}}), SizeIs(1));
}

TEST(VideoOrder, RefusesMalformedJson) {
    for (const char* text : {"", "{", "[]", "5", R"({"a": 1, "a": 2})"})
        EXPECT_THROW(fieldsOfJson(text), Error) << text;
    EXPECT_THROW(fieldsOfJson(std::string(100000, '[')), Error);
}

TEST(NetworkProject, NamesNothingButItsUploads) {
    const auto with = [](std::string_view key, std::string_view value) {
        Project project;
        setFromText(project, *findProjectKey(key), value);
        return project;
    };
    const NamedUploads uploads{{"first.png", "/inbox/1/0.png"}, {"b.png", "/inbox/1/1.png"}};
    for (const ProjectKey& key : projectKeys()) {
        const KeyFromNetwork rule = findNetworkRule(key);
        EXPECT_EQ(rule == KeyFromNetwork::Value, findAccess(key) == KeyAccess::Nothing) << key.name;
        if (rule == KeyFromNetwork::Value)
            continue;
        const bool isList = key.name == "keyframes";
        for (const std::string path :
             {"/etc/passwd", "../first.png", "first.png/", "./first.png", "~/first.png", "c.png"})
            EXPECT_THAT(problemsOfProject(with(key.name, isList ? "[{frame: 0, image: " + path + "}]" : path),
                                          uploads),
                        SizeIs(1))
                << key.name << ' ' << path;
        const bool isUpload = rule == KeyFromNetwork::Upload;
        EXPECT_THAT(problemsOfProject(with(key.name, isList ? "[{frame: 0, image: first.png}]" : "first.png"),
                                      uploads),
                    SizeIs(isUpload ? 0 : 1))
            << key.name;
    }
    for (const char* key : {"image", "speech", "pose_video", "face_video", "background_video"})
        EXPECT_EQ(findNetworkRule(*findProjectKey(key)), KeyFromNetwork::Upload) << key;
    for (const char* key : {"hosts", "wildcards", "mag_ratios_file", "compare_with", "parts.audio_encoder"})
        EXPECT_EQ(findNetworkRule(*findProjectKey(key)), KeyFromNetwork::Refused) << key;
    EXPECT_EQ(projectFromNetwork(with("image", "first.png"), uploads).image, "/inbox/1/0.png");
    EXPECT_EQ(projectFromNetwork(with("audio", "none"), uploads).audio, "none");
    EXPECT_EQ(projectFromNetwork(with("interpolator", "blend"), uploads).interpolator, "blend");
    EXPECT_EQ(projectFromNetwork(with("upscaler", "lanczos"), uploads).upscaler, "lanczos");
    EXPECT_THAT(problemsOfProject(with("upscaler", "blend"), uploads), SizeIs(1))
        << "the word of another key";
    const Project several = projectFromNetwork(with("reference_images", "first.png, b.png"), uploads);
    EXPECT_THAT(several.referenceImages, HasSubstr("/inbox/1/1.png"));
}

TEST(NetworkProject, TakesInstalledModelsByTheirNames) {
    Project project;
    EXPECT_THAT(problemsOfProject(project), IsEmpty()) << "the embedded model";
    for (const char* model : {"/", "..", "/etc", "../models/tiny-wan-t2v", "no-such-model", "~"}) {
        project.model = model;
        EXPECT_THAT(problemsOfProject(project), SizeIs(1)) << model;
    }
    project.model = Project().model;
    for (const char* adapter :
         {"/etc/passwd", "../a.safetensors", "a/b.safetensors", "no-such.safetensors", "~", ""}) {
        project.lora = {{.file = adapter}};
        EXPECT_THAT(problemsOfProject(project), SizeIs(1)) << adapter;
    }
}

}  // namespace
}  // namespace meshreel
