// SPDX-License-Identifier: GPL-3.0-or-later
// `meshreel get` from a server on this machine: kills, Ctrl-C, no network, and what it prints.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "runner.h"
#include "tests/support/http_server.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::HttpAnswer;
using testing::HttpRequest;
using testing::HttpServer;
using ::testing::Not;
using testing::Process;
using testing::ProcessOptions;
using testing::ProcessResult;

/// A safetensors file of a million bytes.
std::string weights() {
    constexpr std::size_t bytes = 1'000'000;
    constexpr std::size_t headerBytes = 120;
    constexpr std::size_t values = bytes - headerBytes - 8;
    std::string header = R"({"a":{"dtype":"U8","shape":[)" + std::to_string(values) +
                         R"(],"data_offsets":[0,)" + std::to_string(values) + "]}}";
    header.resize(headerBytes, ' ');
    std::string length(8, '\0');
    length[0] = static_cast<char>(headerBytes);
    return length + header + std::string(values, 'w');
}

/// In a table of its own, "taew2.1" is one file of about a million bytes without a hash.
class Get : public testing::RunnerTest {
  protected:
    Get() {
        m_environment = options();
        writeTable(m_content.size());
        for (const char* variable : {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY", "HF_TOKEN"})
            m_environment.environment[variable] = "";
        m_environment.environment["MESHREEL_MODELS"] = (file("models")).string();
        m_environment.environment["HF_HUB_CACHE"] = (file("hub")).string();
        m_environment.environment["HF_HOME"] = (file("hub")).string();
        m_environment.environment["COMFYUI_PATH"] = (file("comfy")).string();
    }

    /// A table of one offer, among the resources of the program.
    void writeTable(std::uint64_t bytes) {
        const fs::path own = file("resources");
        fs::remove_all(own);
        fs::create_directories(own / "downloads");
        for (const fs::directory_entry& entry : fs::directory_iterator(resourceFolder()))
            if (entry.path().filename() != "downloads")
                fs::create_symlink(entry.path(), own / entry.path().filename());
        const nlohmann::json offered{{"path", "taew2_1.safetensors"},
                                     {"place", "vae_approx/taew2_1.safetensors"},
                                     {"about_bytes", bytes}};
        const nlohmann::json offer{{"id", "taew2.1"},
                                   {"title", "TAEHV for Wan 2.1"},
                                   {"kind", "small_decoder"},
                                   {"licence", "MIT"},
                                   {"licence_page", "https://github.com/madebyollin/taehv"},
                                   {"repository", "Kijai/WanVideo_comfy"},
                                   {"revision", "main"},
                                   {"files", nlohmann::json::array({offered})}};
        const nlohmann::json table{{"offers", nlohmann::json::array({offer})}};
        writeFileAtomically(own / "downloads" / "offers.json", table.dump());
        m_environment.environment["MESHREEL_RESOURCES"] = own.string();
    }

    [[nodiscard]] ProcessOptions at(const std::string& endpoint) const {
        ProcessOptions there = m_environment;
        there.environment["HF_ENDPOINT"] = endpoint;
        return there;
    }
    [[nodiscard]] fs::path target() const { return file("models") / "vae_approx" / "taew2_1.safetensors"; }
    [[nodiscard]] fs::path partial() const {
        return file("models") / "vae_approx" / ".taew2_1.safetensors.partial";
    }
    [[nodiscard]] std::uint64_t begun() const {
        std::error_code ignored;
        const std::uintmax_t bytes = fs::file_size(partial(), ignored);
        return ignored ? 0 : bytes;
    }

    /// Sends the content in a few seconds.
    [[nodiscard]] HttpServer::Handler slowly() const {
        return [this](const HttpRequest& request) {
            HttpAnswer answer = testing::answerWithFile(request, m_content, {});
            answer.pause = std::chrono::milliseconds(20);
            answer.blockBytes = 10'000;
            return answer;
        };
    }

    std::string m_content = weights();
    ProcessOptions m_environment;
};

TEST_F(Get, GoesOnAfterKills) {
    const HttpServer server(slowly());
    std::uint64_t before = 0;
    for (const int signal : {SIGKILL, SIGINT, SIGTERM, SIGKILL}) {
        SCOPED_TRACE(signal);
        Process process(commandLine({"get", "taew2.1"}), at(server.address()));
        ASSERT_TRUE(waitUntil(process, [&] { return begun() > before + 100'000; }));
        process.send(signal);
        const ProcessResult result = process.wait();
        if (signal == SIGKILL)
            EXPECT_EQ(result.signal, SIGKILL);
        else
            EXPECT_EQ(result.exitCode, 130) << result.err;
        EXPECT_FALSE(fs::exists(target()));
        EXPECT_GT(begun(), before);
        before = begun();
        EXPECT_LT(before, m_content.size());
    }
    const ProcessResult result = meshreel({"get", "taew2.1"}, at(server.address()));
    EXPECT_EQ(result.exitCode, Done) << result.err;
    EXPECT_EQ(server.requests().back().header("range"), "bytes=" + std::to_string(before) + "-");
    EXPECT_TRUE(readFile(target()) == m_content);
    EXPECT_FALSE(fs::exists(partial()));
    // Once more: nobody is asked.
    const std::size_t asked = server.requests().size();
    const auto again =
        nlohmann::json::parse(meshreel({"get", "taew2.1", "--json"}, at(server.address())).out);
    EXPECT_EQ(again.at("files").at(0).at("origin"), "was_here");
    EXPECT_EQ(server.requests().size(), asked);
}

TEST_F(Get, ShowsLicencesBeforeItAsksAnybody) {
    m_environment.environment.erase("MESHREEL_RESOURCES");
    const HttpServer server(slowly());
    const ProcessResult dry = meshreel({"get", "taew2.1", "--dry-run"}, at(server.address()));
    EXPECT_EQ(dry.exitCode, Done);
    EXPECT_THAT(dry.out, HasSubstr("licence  MIT, https://github.com/madebyollin/taehv"));
    EXPECT_THAT(dry.out, HasSubstr("21.6 MiB"));
    const ProcessResult list = meshreel({"get"}, at(server.address()));
    EXPECT_THAT(list.out, HasSubstr("wan2.1-t2v-1.3b"));
    EXPECT_THAT(list.out, HasSubstr("Apache-2.0"));
    EXPECT_TRUE(server.requests().empty());
    EXPECT_FALSE(fs::exists(file("models")));
}

TEST_F(Get, PrintsJson) {
    const HttpServer server(slowly());
    ProcessOptions usual = at(server.address());
    usual.environment.erase("MESHREEL_RESOURCES");
    const auto list = nlohmann::json::parse(meshreel({"get", "--json"}, usual).out);
    EXPECT_EQ(list.at("folder"), file("models").string());
    EXPECT_GT(list.at("offers").size(), 20U);
    const auto& first = list.at("offers").front();
    for (const char* key : {"id",
                            "title",
                            "kind",
                            "licence",
                            "licence_page",
                            "repository",
                            "revision",
                            "needs",
                            "state",
                            "bytes",
                            "bytes_missing",
                            "fits_disk",
                            "fits_memory",
                            "memory_bytes",
                            "files",
                            "fit",
                            "fit_text",
                            "fit_changes",
                            "fit_project",
                            "planned_memory_bytes",
                            "disk_bytes_per_step",
                            "step_seconds_longer"})
        EXPECT_TRUE(first.contains(key)) << key;
    const auto dry =
        nlohmann::json::parse(meshreel({"get", "taew2.1", "--dry-run", "--json"}, m_environment).out);
    EXPECT_EQ(dry.at("files").at(0).at("state"), "missing");
    const auto got = nlohmann::json::parse(meshreel({"get", "taew2.1", "--json"}, at(server.address())).out);
    EXPECT_EQ(got.at("files").at(0).at("origin"), "downloaded");
    EXPECT_EQ(got.at("files").at(0).at("commit"), "c0ffee");
    EXPECT_EQ(got.at("files").at(0).at("compared"), false);
    EXPECT_EQ(got.at("files").at(0).at("replaced"), "");
}

TEST_F(Get, MendsAPageThatLiesInPlaceOfTheFile) {
    const std::string page = "<!DOCTYPE html><html><title>Sign in</title></html>";
    const HttpServer portal([&](const HttpRequest&) {
        return HttpAnswer{.headers = {{"Content-Type", "text/html"}}, .body = page};
    });
    const ProcessResult refused = meshreel({"get", "taew2.1"}, at(portal.address()));
    EXPECT_EQ(refused.exitCode, Mismatched);
    EXPECT_THAT(refused.err, HasSubstr("HF_ENDPOINT"));
    EXPECT_FALSE(fs::exists(target()));
    fs::create_directories(target().parent_path());
    writeFileAtomically(target(), page);
    const auto dry =
        nlohmann::json::parse(meshreel({"get", "taew2.1", "--dry-run", "--json"}, m_environment).out);
    EXPECT_EQ(dry.at("files").at(0).at("state"), "missing");
    const HttpServer server(slowly());
    const ProcessResult mended = meshreel({"get", "taew2.1"}, at(server.address()));
    EXPECT_EQ(mended.exitCode, Done) << mended.err;
    EXPECT_THAT(mended.out, HasSubstr("taew2_1.safetensors.replaced"));
    EXPECT_TRUE(readFile(target()) == m_content);
    EXPECT_EQ(readFile(target().string() + ".replaced"), page);
}

TEST_F(Get, KeepsNoPassword) {
    const HttpServer server(slowly());
    const std::string endpoint = "http://ann:S3cret@" + server.address().substr(7);
    const ProcessResult got = meshreel({"get", "taew2.1", "--json"}, at(endpoint));
    EXPECT_EQ(got.exitCode, Done) << got.err;
    ProcessOptions proxied = at("https://mirror.example");
    proxied.environment["https_proxy"] = "foo://ann:S3cret@127.0.0.1:9";
    fs::remove(target());
    const ProcessResult refused = meshreel({"get", "taew2.1"}, proxied);
    EXPECT_EQ(refused.exitCode, BadInput);
    for (const std::string& text : {got.out, got.err, refused.out, refused.err})
        EXPECT_THAT(text, Not(HasSubstr("S3cret")));
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(file("models")))
        if (entry.is_regular_file()) {
            EXPECT_THAT(readFile(entry.path()), Not(HasSubstr("S3cret"))) << entry.path();
        }
}

/// Of which decoding takes the most, whatever type the weights have. Where memory is short, the project has a
/// budget of what `get` found free: the two processes map different amounts.
TEST_F(Get, SaysOfAModelWhatAPlanSays) {
    ProcessOptions limited = m_environment;
    limited.environment.erase("MESHREEL_RESOURCES");
    limited.addressSpace = std::uint64_t{6} << 30;
    const auto list = nlohmann::json::parse(meshreel({"get", "--json"}, limited).out);
    const auto offer = std::ranges::find_if(
        list.at("offers"), [](const auto& each) { return each.at("id") == "wan2.2-ti2v-5b"; });
    ASSERT_NE(offer, list.at("offers").end());
    const bool isTooLarge = offer->at("fit") == "too_large";
    EXPECT_EQ(offer->at("fits_memory"), !isTooLarge);
    const auto planned = [&](const nlohmann::json& fit) {
        std::string project =
            "version: 3\nprompt: a boat\npretrained_model_name_or_path: Wan-AI/Wan2.2-TI2V-5B-Diffusers\n";
        for (const auto& [key, value] : fit.at("fit_project").items())
            project += key + ": " + value.get<std::string>() + "\n";
        writeFileAtomically(file("project.yaml"), project);
        ProcessOptions roomier = limited;
        roomier.addressSpace = std::uint64_t{7} << 30;
        return meshreel({"plan", file("project.yaml").string()}, roomier);
    };
    const ProcessResult whole = planned(*offer);
    EXPECT_EQ(whole.exitCode, isTooLarge ? NoResources : Done) << whole.err;
    if (isTooLarge && offer->contains("smaller")) {
        const ProcessResult smaller = planned(offer->at("smaller"));
        EXPECT_EQ(smaller.exitCode, Done) << smaller.err;
    }
}

TEST_F(Get, WithoutANetworkItSaysSoOnce) {
    const ProcessResult result = meshreel({"get", "taew2.1"}, at("http://127.0.0.1:9"));
    EXPECT_EQ(result.exitCode, BadInput);
    EXPECT_THAT(result.err, HasSubstr("127.0.0.1:9"));
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1);
    EXPECT_EQ(meshreel({"get", "taew2.3"}, m_environment).exitCode, BadProject);
    EXPECT_EQ(meshreel({"get", "taew2.1"}, at("nowhere")).exitCode, BadProject);
}

TEST_F(Get, ExitCodesTellWhatIsWrong) {
    constexpr std::uint64_t huge = 1'000'000'000'000'000'000;
    writeTable(huge);
    const HttpServer large([](const HttpRequest&) { return HttpAnswer{.tellsLength = false}; });
    const ProcessResult full = meshreel({"get", "taew2.1"}, at(large.address()));
    EXPECT_EQ(full.exitCode, NoResources);
    EXPECT_THAT(full.err, HasSubstr(formatBytes(huge + huge / 100)));  // it is rounded to a hundredth
    writeTable(m_content.size());
    const HttpServer wrong([this](const HttpRequest& request) {
        return testing::answerWithFile(request, m_content, std::string(64, '0'));
    });
    EXPECT_EQ(meshreel({"get", "taew2.1"}, at(wrong.address())).exitCode, Mismatched);
    EXPECT_FALSE(fs::exists(target()) || fs::exists(partial()));
}

TEST_F(Get, AFullDiskKeepsWhatCame) {
    const HttpServer server(slowly());
    ProcessOptions small = at(server.address());
    small.largestFile = 300'000;
    const ProcessResult result = meshreel({"get", "taew2.1"}, small);
    EXPECT_EQ(result.exitCode, NoResources) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("taew2_1.safetensors"), HasSubstr(std::strerror(EFBIG))));
    EXPECT_GT(begun(), 200'000U);
    EXPECT_EQ(meshreel({"get", "taew2.1"}, at(server.address())).exitCode, Done);
    EXPECT_TRUE(readFile(target()) == m_content);
}

}  // namespace
}  // namespace meshreel
