// SPDX-License-Identifier: GPL-3.0-or-later
// `meshreel serve`, asked and attacked through real sockets.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/strings.h"
#include "runner.h"
#include "tests/support/locations.h"
#include "tests/support/socket_client.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Process;
using testing::RawAnswer;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* jsonType = "Content-Type: application/json\r\n";
constexpr const char* formType = "Content-Type: multipart/form-data; boundary=edge\r\n";

/// A request for the smallest video.
nlohmann::json smallVideo(int steps = 2) {
    return {{"prompt", "a red ball"}, {"size", "32x32"},
            {"num_frames", 5},        {"seed", 7},
            {"guidance_scale", 1.0},  {"num_inference_steps", steps}};
}

class Serve : public testing::RunnerTest {
  protected:
    void start(const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"serve", "--port", "0"};
        words.insert(words.end(), more.begin(), more.end());
        m_server = std::make_unique<Process>(commandLine(words), options());
        const auto isReady = [this] { return m_server->outSoFar().find('\n') != std::string::npos; };
        ASSERT_TRUE(testing::waitUntil(*m_server, isReady)) << m_server->errSoFar();
        const std::string line = m_server->outSoFar();
        m_port = static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
    }
    void kill(int signal) {
        m_server->send(signal);
        m_server->wait();
        m_server.reset();
    }
    [[nodiscard]] bool isUp() { return m_server->running(); }

    [[nodiscard]] RawAnswer ask(const std::string& method, const std::string& path,
                                const std::string& body = {}, const std::string& headers = {}) const {
        return testing::ask(m_port, method, path, body, headers);
    }
    [[nodiscard]] RawAnswer post(const nlohmann::json& request) const {
        return ask("POST", "/v1/videos", request.dump(), jsonType);
    }
    [[nodiscard]] std::uint16_t port() const { return m_port; }

    /// The id of a video that is queued.
    [[nodiscard]] std::string queue(const nlohmann::json& request) const {
        const RawAnswer answer = post(request);
        EXPECT_EQ(answer.status, 200) << answer.body;
        return nlohmann::json::parse(answer.body).value("id", "");
    }
    [[nodiscard]] nlohmann::json video(const std::string& id) const {
        return nlohmann::json::parse(ask("GET", "/v1/videos/" + id).body);
    }
    /// Waits for a status; returns the last.
    [[nodiscard]] std::string waitFor(const std::string& id, const std::string& status) const {
        std::string seen;
        for (int tries = 0; tries < 1200 && seen != status && seen != "failed"; ++tries) {
            seen = video(id).value("status", "");
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        return seen;
    }

  private:
    std::unique_ptr<Process> m_server;
    std::uint16_t m_port = 0;
};

TEST_F(Serve, MakesAVideoForAClientOfOpenAis) {
    start();
    const RawAnswer posted = post(smallVideo());
    ASSERT_EQ(posted.status, 200) << posted.body;
    const nlohmann::json queued = nlohmann::json::parse(posted.body);
    const std::string id = queued.at("id");
    EXPECT_THAT(id, StartsWith("video_"));
    EXPECT_EQ(queued.at("object"), "video");
    EXPECT_EQ(queued.at("status"), "queued");
    EXPECT_EQ(queued.at("model"), "tiny-wan-t2v") << "the embedded one, as the request names none";
    EXPECT_EQ(queued.at("size"), "32x32");
    ASSERT_EQ(waitFor(id, "completed"), "completed") << video(id).dump();
    EXPECT_EQ(video(id).at("progress"), 100);
    const std::string place = "/v1/videos/" + id;

    const RawAnswer whole = ask("GET", place + "/content");
    EXPECT_EQ(whole.status, 200);
    EXPECT_THAT(whole.body, HasSubstr("ftyp"));
    const RawAnswer part = ask("GET", place + "/content", {}, "Range: bytes=4-7\r\n");
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.body, "ftyp");
    EXPECT_THAT(part.head, HasSubstr("Content-Range: bytes 4-7/" + std::to_string(whole.body.size())));
    EXPECT_EQ(ask("GET", place + "/content", {}, "Range: bytes=99999999-\r\n").status, 416);
    EXPECT_THAT(ask("GET", place + "/content?variant=thumbnail").body, StartsWith("\x89PNG"));
    EXPECT_EQ(ask("GET", place + "/content?variant=spritesheet").status, 400);

    const std::string run = "/meshreel/v1/runs/" + id;
    const RawAnswer archive = ask("GET", run + "/folder");
    EXPECT_EQ(archive.status, 200);
    EXPECT_THAT(archive.body, AllOf(HasSubstr("/project.yaml"), HasSubstr("/steps.csv")));
    EXPECT_EQ(archive.body.size() % 512, 0U);
    const RawAnswer events = ask("GET", run + "/events");
    EXPECT_THAT(events.head, HasSubstr("text/event-stream"));
    EXPECT_THAT(events.body, AllOf(HasSubstr("\"event\":\"planned\""), HasSubstr("\"event\":\"finished\"")));
    EXPECT_THAT(events.body, Not(HasSubstr(file("").string()))) << "where files lie is nothing to clients";
    EXPECT_THAT(ask("GET", run + "/project").body, HasSubstr("prompt: a red ball"));

    const nlohmann::json list = nlohmann::json::parse(ask("GET", "/v1/videos?limit=1").body);
    ASSERT_THAT(list.at("data"), SizeIs(1));
    EXPECT_EQ(list.at("first_id"), id);
    EXPECT_EQ(list.at("has_more"), false);
    EXPECT_EQ(ask("DELETE", place).status, 200);
    EXPECT_EQ(ask("GET", place).status, 404);
}

TEST_F(Serve, TakesFilesAndProjectsOfForms) {
    start();
    const std::string picture = readFile(testing::sourceFolder() / "configs" / "first-frame.png");
    const auto part = [](const std::string& name, const std::string& value, const std::string& more = {}) {
        return "--edge\r\nContent-Disposition: form-data; name=\"" + name + "\"" + more + "\r\n\r\n" + value +
               "\r\n";
    };
    const std::string form =
        part("prompt", "a red ball") + part("model", "tiny-wan-i2v") + part("size", "32x32") +
        part("num_frames", "5") + part("num_inference_steps", "1") +
        part("input_reference", picture, "; filename=\"../../first.png\"") + "--edge--\r\n";
    const RawAnswer posted = ask("POST", "/v1/videos", form, formType);
    ASSERT_EQ(posted.status, 200) << posted.body;
    const std::string id = nlohmann::json::parse(posted.body).at("id");
    EXPECT_EQ(waitFor(id, "completed"), "completed") << video(id).dump();
    const std::string text = testing::projectText(testing::smallRun());
    const RawAnswer planned = ask("POST", "/meshreel/v1/plan", text, "Content-Type: application/yaml\r\n");
    EXPECT_EQ(planned.status, 200);
    const nlohmann::json plan = nlohmann::json::parse(planned.body);
    EXPECT_EQ(plan.at("can_run"), true) << planned.body;
    EXPECT_TRUE(plan.at("plan").is_object());
    EXPECT_EQ(ask("POST", "/meshreel/v1/runs", text).status, 200);
    for (const char* line : {"image: /etc/passwd", "image: ../a.png", "hosts: hosts.txt", "wildcards: words",
                             "pretrained_model_name_or_path: /", "compare_with: run"})
        EXPECT_EQ(ask("POST", "/meshreel/v1/runs", text + line + "\n").status, 400) << line;
}

/// A form as a client writes it: its boundary, and how it spells the headers of a part.
std::string clientForm(const std::string& boundary, const std::string& disposition,
                       const std::vector<std::pair<std::string, std::string>>& parts) {
    std::string form;
    for (const auto& [name, value] : parts)
        form.append("--")
            .append(boundary)
            .append("\r\n")
            .append(disposition)
            .append(": form-data; name=\"")
            .append(name)
            .append(value)
            .append("\r\n");
    return form + "--" + boundary + "--\r\n";
}

// Written from the sources of the clients.
TEST_F(Serve, TakesTheRequestsOfClients) {
    start();
    const std::string picture = readFile(testing::sourceFolder() / "configs" / "first-frame.png");
    const std::string plain = "\"\r\n\r\n";
    const std::string attached = "\"; filename=\"first.png\"\r\nContent-Type: image/png\r\n\r\n";
    const auto sized = [&](const std::string& field) {
        return std::vector<std::pair<std::string, std::string>>{{"prompt", plain + "a red ball"},
                                                                {"model", plain + "tiny-wan-i2v"},
                                                                {"size", plain + "32x32"},
                                                                {"seconds", plain + "0.3"},
                                                                {field, attached + picture}};
    };
    struct Case {
        std::string client;
        std::string headers;
        std::string body;
        std::vector<std::string> project;  ///< lines that it gives
    };
    const std::vector<Case> cases{
        {"openai-python 2, without a file",
         "Accept: application/json\r\nContent-Type: application/json\r\nUser-Agent: OpenAI/Python 2.8.0\r\n"
         "X-Stainless-Lang: python\r\nX-Stainless-Async: false\r\nAuthorization: Bearer unused\r\n",
         R"({"prompt":"a red ball","model":"tiny-wan-t2v","seconds":"0.3","size":"32x32"})",
         {"num_frames: 5", "width: 32"}},
        {"openai-python, with a file",
         "Accept: application/json\r\nUser-Agent: OpenAI/Python 2.8.0\r\n"
         "Content-Type: multipart/form-data; boundary=0a1b2c3d4e5f60718293a4b5c6d7e8f9\r\n",
         clientForm("0a1b2c3d4e5f60718293a4b5c6d7e8f9", "Content-Disposition", sized("input_reference")),
         {"pretrained_model_name_or_path: tiny-wan-i2v", "num_frames: 5"}},
        {"openai-node, which sends a form always",
         "accept: application/json\r\nuser-agent: OpenAI/JS 6.9.0\r\naccept-language: *\r\nsec-fetch-mode: "
         "cors\r\n"
         "content-type: multipart/form-data; boundary=----formdata-undici-048372615243\r\n",
         clientForm("----formdata-undici-048372615243", "Content-Disposition", sized("input_reference")),
         {"height: 32"}},
        {"openai-python, a reference in the form",
         "Content-Type: multipart/form-data; boundary=abc\r\n",
         clientForm(
             "abc", "Content-Disposition",
             {{"prompt", plain + "a red ball"},
              {"model", plain + "tiny-wan-i2v"},
              {"size", plain + "32x32"},
              {"seconds", plain + "0.3"},
              {"input_reference[image_url]", plain + "data:image/png;base64," + encodeBase64(picture)}}),
         {"width: 32"}},
        {"curl -d, as the documents of SGLang have it",
         "User-Agent: curl/7.88.1\r\nAccept: */*\r\nContent-Type: application/json\r\n"
         "Authorization: Bearer sk-proj-1234567890\r\n",
         "{\n        \"prompt\": \"a red ball\",\n        \"size\": \"32x32\",\n        \"num_frames\": 5\n  "
         "    }",
         {"prompt: a red ball"}},
        {"curl -d without a type",
         "User-Agent: curl/7.88.1\r\nContent-Type: application/x-www-form-urlencoded\r\n",
         R"({"prompt": "a red ball & more=less", "size": "32x32", "num_frames": 5})",
         {"prompt: a red ball & more=less"}},
        {"curl -d, a form without files",
         "User-Agent: curl/7.88.1\r\nContent-Type: application/x-www-form-urlencoded\r\n",
         "prompt=a+red+ball&size=32x32&num_frames=5",
         {"prompt: a red ball", "num_frames: 5"}},
        {"curl -F, as the documents of vLLM-omni have it",
         "User-Agent: curl/7.88.1\r\nAccept: application/json\r\n"
         "Content-Type: multipart/form-data; boundary=------------------------d74496d66958873e\r\n",
         clientForm("------------------------d74496d66958873e", "Content-Disposition",
                    {{"prompt", plain + "a red ball"},
                     {"negative_prompt", plain + "过曝，静态"},
                     {"width", plain + "32"},
                     {"height", plain + "32"},
                     {"num_frames", plain + "5"},
                     {"fps", plain + "16"},
                     {"num_inference_steps", plain + "2"},
                     {"guidance_scale", plain + "4.0"},
                     {"flow_shift", plain + "12.0"},
                     {"seed", plain + "42"}}),
         {"guidance_scale: 4", "seed: 42", "flow_shift: 12"}}};
    for (const Case& each : cases) {
        const RawAnswer answer = ask("POST", "/v1/videos", each.body, each.headers);
        ASSERT_EQ(answer.status, 200) << each.client << answer.body;
        const std::string id = nlohmann::json::parse(answer.body).at("id");
        const std::string project = ask("GET", "/meshreel/v1/runs/" + id + "/project").body;
        for (const std::string& line : each.project)
            EXPECT_THAT(project, HasSubstr(line)) << each.client;
        EXPECT_EQ(ask("DELETE", "/v1/videos/" + id).status, 200) << each.client;
    }
}

// vLLM-omni's documents send them always; a model of one expert would make the video without them.
TEST_F(Serve, NamesWhatAModelHasNoUseFor) {
    start();
    nlohmann::json request = smallVideo();
    request["guidance_scale_2"] = 3.0;
    request["boundary_ratio"] = 0.875;
    const RawAnswer answer = post(request);
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, AllOf(HasSubstr("guidance_scale_high"), HasSubstr("boundary_ratio")));
}

TEST_F(Serve, TellsWhatAFormCanBeMadeFrom) {
    start();
    EXPECT_EQ(ask("GET", "/health").status, 200);
    const nlohmann::json models = nlohmann::json::parse(ask("GET", "/v1/models").body);
    EXPECT_THAT(models.dump(), HasSubstr("\"tiny-wan-t2v\""));
    const nlohmann::json can = nlohmann::json::parse(ask("GET", "/meshreel/v1/capabilities").body);
    const auto& keys = can.at("keys");
    const auto width = std::find_if(keys.begin(), keys.end(),
                                    [](const nlohmann::json& key) { return key.at("name") == "width"; });
    ASSERT_NE(width, keys.end());
    EXPECT_TRUE(width->contains("minimum") && width->contains("step"));
}

TEST_F(Serve, NoPathFromTheNetworkLeavesTheInbox) {
    start();
    for (const char* reference :
         {"/etc/passwd", "file:///etc/passwd", "../../../etc/passwd", "http://127.0.0.1:1/a.png"})
        for (const char* field :
             {"input_reference", "image_reference", "video_reference", "audio_reference"}) {
            nlohmann::json request = smallVideo();
            request[field] = reference;
            EXPECT_EQ(post(request).status, 400) << field << ' ' << reference;
        }
    for (const char* key :
         {"image", "hosts", "wildcards", "parts.vae", "parts.audio_encoder", "speech", "pose_video",
          "interpolator", "upscaler", "pretrained_model_name_or_path", "continue_from"}) {
        nlohmann::json request = smallVideo();
        request["extra_params"] = {{key, "/etc/passwd"}};
        EXPECT_EQ(post(request).status, 400) << key;
    }
    for (const char* path :
         {"/v1/videos/..", "/v1/videos/%2e%2e", "/v1/videos/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
          "/v1/videos/../../etc/passwd", "/v1/videos/video_../content",
          "/meshreel/v1/runs/video_%2e%2e/folder", "/v1/videos/video_/content",
          "/v1/videos/video_%00/content", "//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
          "/meshreel/v1/runs//folder", "/v1/videos/", "/", "*"})
        for (const char* method : {"GET", "DELETE"})
            EXPECT_THAT(ask(method, path).status, AnyOf(400, 404, 405)) << method << ' ' << path;
    EXPECT_TRUE(isUp());
}

TEST_F(Serve, ForeignHostsAndPagesGetNothing) {
    start();
    const std::string request = smallVideo().dump();
    EXPECT_EQ(testing::ask(port(), "POST", "/v1/videos", request, jsonType, "evil.example").status, 421);
    EXPECT_EQ(ask("POST", "/v1/videos", request, "Origin: https://evil.example\r\n").status, 403);
    EXPECT_THAT(ask("OPTIONS", "/v1/videos").head, Not(HasSubstr("Access-Control")));
    EXPECT_EQ(nlohmann::json::parse(ask("GET", "/v1/videos").body).at("data").size(), 0U);
}

TEST_F(Serve, BeyondThisMachineItNeedsAKey) {
    for (const char* address : {"0.0.0.0", "::", "192.168.1.5"}) {
        const testing::ProcessResult ended = meshreel({"serve", "--port", "0", "--host", address});
        EXPECT_EQ(ended.exitCode, BadProject) << address;
        EXPECT_THAT(ended.err, HasSubstr("--key-file"));
    }
    writeFileAtomically(file("key"), "0123456789abcdef\n");
    fs::permissions(file("key"), fs::perms::owner_read | fs::perms::owner_write);
    start({"--host", "0.0.0.0", "--key-file", file("key").string()});
    EXPECT_EQ(ask("GET", "/v1/models").status, 401);
    EXPECT_EQ(ask("GET", "/v1/models", {}, "Authorization: Bearer 0123456789abcdee\r\n").status, 401);
    EXPECT_EQ(ask("GET", "/v1/models", {}, "Authorization: Bearer 0123456789abcdef\r\n").status, 200);
    EXPECT_EQ(ask("GET", "/health").status, 200);
}

TEST_F(Serve, AFullQueueIsTold) {
    start({"--most-waiting", "1"});
    const std::string first = queue(smallVideo(900));
    ASSERT_EQ(waitFor(first, "in_progress"), "in_progress");
    const std::string second = queue(smallVideo());
    const RawAnswer third = post(smallVideo());
    EXPECT_EQ(third.status, 429);
    EXPECT_THAT(third.head, HasSubstr("Retry-After: "));
    EXPECT_EQ(ask("DELETE", "/v1/videos/" + first).status, 200) << "it is cancelled";
    EXPECT_EQ(waitFor(second, "completed"), "completed");
    EXPECT_EQ(ask("GET", "/v1/videos/" + first).status, 404);
}

TEST_F(Serve, WhatTheQueueCouldNotReadAgainIsRefused) {
    start();
    nlohmann::json request = smallVideo();
    request["prompt"] = std::string(3 << 20, 'x');
    EXPECT_EQ(post(request).status, 400);
    const std::string id = queue(smallVideo());
    kill(SIGKILL);
    start();
    EXPECT_EQ(waitFor(id, "completed"), "completed");
}

TEST_F(Serve, AFolderThatIsGoneIsNotFound) {
    start();
    const std::string id = queue(smallVideo());
    ASSERT_EQ(waitFor(id, "completed"), "completed");
    EXPECT_EQ(ask("GET", "/v1/videos/" + id + "/content?variant=finished").status, 404)
        << "none was asked for";
    for (const fs::directory_entry& run : fs::directory_iterator(file("home") / "runs"))
        fs::remove_all(run.path());
    for (const char* variant : {"video", "thumbnail", "finished"})
        EXPECT_EQ(ask("GET", "/v1/videos/" + id + "/content?variant=" + variant).status, 404) << variant;
    EXPECT_EQ(ask("GET", "/meshreel/v1/runs/" + id + "/folder").status, 404);
    EXPECT_EQ(ask("DELETE", "/v1/videos/" + id).status, 200);
}

TEST_F(Serve, HandsOutTheFinishedVideo) {
    start();
    nlohmann::json request = smallVideo();
    request["extra_params"] = {{"upscale", 2}, {"interpolate", 2}, {"interpolator", "blend"}};
    const std::string id = queue(request);
    ASSERT_EQ(waitFor(id, "completed"), "completed") << video(id).dump();
    const RawAnswer finished = ask("GET", "/v1/videos/" + id + "/content?variant=finished");
    EXPECT_EQ(finished.status, 200);
    EXPECT_THAT(finished.body, HasSubstr("ftyp"));
    EXPECT_NE(finished.body, ask("GET", "/v1/videos/" + id + "/content").body);
}

TEST_F(Serve, ManyClientsPostWatchAndCancelAtOnce) {
    constexpr int clients = 40;
    start();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    threads.reserve(clients);
    for (int client = 0; client < clients; ++client)
        threads.emplace_back([&, client] {
            nlohmann::json request = smallVideo(1);
            request["seed"] = client;
            const RawAnswer posted = post(request);
            const std::string id =
                posted.status == 200 ? nlohmann::json::parse(posted.body).value("id", "") : "";
            const bool isListed = ask("GET", "/v1/videos").status == 200;
            const bool isKnown = ask("GET", "/v1/videos/" + id).status == 200;
            const bool isGone = ask("DELETE", "/v1/videos/" + id).status == 200;
            wrong += isListed && isKnown && isGone ? 0 : 1;
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
    const auto isEmpty = [this] {
        return nlohmann::json::parse(ask("GET", "/v1/videos").body).at("data").empty();
    };
    for (int tries = 0; tries < 600 && !isEmpty(); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(isEmpty()) << "what was cancelled while it ran leaves the queue when it has stopped";
    EXPECT_EQ(ask("GET", "/health").status, 200);
}

TEST_F(Serve, RefusesWhatCannotRunInASentence) {
    start();
    for (const auto& [field, value] :
         std::vector<std::pair<std::string, nlohmann::json>>{{"size", "33x32"},
                                                             {"size", "big"},
                                                             {"promt", "a ball"},
                                                             {"model", "no-such-model"},
                                                             {"seed", "many"},
                                                             {"num_inference_steps", -1},
                                                             {"fps", "fast"},
                                                             {"n", 2},
                                                             {"lora", "x"},
                                                             {"extra_params", 5}}) {
        nlohmann::json request = smallVideo();
        request[field] = value;
        const RawAnswer answer = post(request);
        EXPECT_EQ(answer.status, 400) << field;
        EXPECT_FALSE(nlohmann::json::parse(answer.body).at("error").at("message").get<std::string>().empty());
    }
    EXPECT_EQ(post(nlohmann::json::object()).status, 400) << "no prompt";
    EXPECT_EQ(ask("POST", "/v1/videos", "{", jsonType).status, 400);
    EXPECT_EQ(ask("PUT", "/v1/videos").status, 405);
    EXPECT_EQ(ask("GET", "/v1/videos?limit=many").status, 400);
    EXPECT_EQ(ask("GET", "/v1/videos?after=video_00").status, 404);
}

TEST_F(Serve, KilledItLosesNoRunAndMakesNoneTwice) {
    start();
    std::vector<std::string> ids;
    for (int seed = 0; seed < 3; ++seed) {
        nlohmann::json request = smallVideo(40);
        request["seed"] = seed;
        ids.push_back(queue(request));
    }
    for (int kills = 0; kills < 3; ++kills) {
        std::this_thread::sleep_for(std::chrono::milliseconds(150 + 130 * kills));
        kill(SIGKILL);
        start();
    }
    for (const std::string& id : ids)
        EXPECT_EQ(waitFor(id, "completed"), "completed") << video(id).dump();
    const nlohmann::json list = nlohmann::json::parse(ask("GET", "/v1/videos?order=asc").body);
    EXPECT_THAT(list.at("data"), SizeIs(3));
    EXPECT_EQ(list.at("data").at(0).at("id"), ids.front());
}

TEST_F(Serve, StoppedItLeavesItsRunToTheNext) {
    start();
    const std::string id = queue(smallVideo(300));
    ASSERT_EQ(waitFor(id, "in_progress"), "in_progress");
    kill(SIGTERM);
    start();
    EXPECT_EQ(waitFor(id, "completed"), "completed") << video(id).dump();
}

TEST_F(Serve, TwoServersWorkOffOneQueue) {
    start();
    const std::string first = queue(smallVideo(100));
    Process other(commandLine({"serve", "--port", "0"}), options());
    ASSERT_TRUE(testing::waitUntil(other, [&] { return other.outSoFar().find('\n') != std::string::npos; }));
    const std::string second = queue(smallVideo());
    EXPECT_EQ(waitFor(first, "completed"), "completed");
    EXPECT_EQ(waitFor(second, "completed"), "completed");
    other.send(SIGTERM);
    other.wait();
}

}  // namespace
}  // namespace meshreel
