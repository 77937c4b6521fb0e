// SPDX-License-Identifier: GPL-3.0-or-later
// Downloads from a server on this machine that does what servers and networks do to them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/catalogue/http_connection.h"
#include "engine/catalogue/model_download.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/model_offers.h"
#include "engine/catalogue/published_file.h"
#include "engine/weights/formats/tensor_file.h"
#include "tests/support/http_server.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::answerWithFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpAnswer;
using testing::HttpRequest;
using testing::HttpServer;
using ::testing::Not;

std::string computeSha256(const std::string& bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
    std::string text;
    for (unsigned int index = 0; index < size; ++index)
        text += fmt::format("{:02x}", digest[index]);
    return text;
}

std::string someBytes(std::size_t count, unsigned int seed) {
    std::string bytes(count, '\0');
    for (char& byte : bytes) {
        seed = seed * 1664525U + 1013904223U;
        byte = static_cast<char>(seed >> 24U);
    }
    return bytes;
}

/// A safetensors file of so many bytes.
std::string someWeights(std::size_t count, unsigned int seed) {
    constexpr std::size_t lengthBytes = 8;
    const auto headerOf = [](std::size_t values) {
        return fmt::format(R"({{"a":{{"dtype":"U8","shape":[{0}],"data_offsets":[0,{0}]}}}})", values);
    };
    const std::size_t values = count - lengthBytes - headerOf(count).size();
    std::string header = headerOf(values);
    header.resize(count - lengthBytes - values, ' ');
    std::string file;
    for (std::size_t i = 0; i < lengthBytes; ++i)
        file += static_cast<char>(header.size() >> (8 * i) & 0xffU);
    return file + header + someBytes(values, seed);
}

/// The start of a file as Git LFS stands in for it.
const std::string lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 700000\n";
const std::string page = "<!DOCTYPE html><html><title>Sign in</title></html>";

/// A models folder, caches of other programs, and an offer of one file.
class Download : public ::testing::Test {
  protected:
    Download() {
        for (const char* name : {"HF_HOME", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH",
                                 "XDG_CACHE_HOME", "http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"})
            unsetenv(name);
        setenv("MESHREEL_MODELS", models().c_str(), 1);
        setenv("HF_HUB_CACHE", (m_folder / "hub").c_str(), 1);
        setenv("COMFYUI_PATH", (m_folder / "comfy").c_str(), 1);
        setenv("HOME", m_folder.path().c_str(), 1);
        m_offer.files = {{.path = "split files/a.safetensors",
                          .place = "vae/a.safetensors",
                          .bytes = m_content.size(),
                          .exact = true,
                          .sha256 = computeSha256(m_content)}};
    }
    ~Download() override {
        for (const char* name : {"MESHREEL_MODELS", "HF_HUB_CACHE", "COMFYUI_PATH", "HF_ENDPOINT", "HF_TOKEN",
                                 "HF_HOME", "HF_HUB_OFFLINE", "HF_HUB_DOWNLOAD_TIMEOUT"})
            unsetenv(name);
    }

    [[nodiscard]] fs::path models() const { return m_folder / "models"; }
    [[nodiscard]] fs::path target() const { return models() / "vae" / "a.safetensors"; }

    [[nodiscard]] static DownloadServer impatient(const HttpServer& server) {
        return {.endpoint = server.address(),
                .token = {},
                .stall = std::chrono::seconds(1),
                .backoff = std::chrono::milliseconds(5),
                .tries = 4};
    }

    [[nodiscard]] std::vector<LocatedFile> order() const { return OffersHere({}).locate(m_offer); }

    std::vector<GotFile> get(const DownloadServer& server, const StopToken& stop = {},
                             const DownloadSink& sink = {}) const {
        return getFiles(order(), server, sink, stop);
    }

    /// "127.0.0.1:8080"
    static std::string hostOf(const HttpServer& server) {
        return server.address().substr(server.address().find("//") + 2);
    }

    /// As get(), which throws what this returns.
    Error refusal(const DownloadServer& server) const {
        try {
            get(server);
        } catch (const Error& error) {
            return error;
        }
        ADD_FAILURE() << "nothing was refused";
        return {ErrorKind::Internal, "nothing was refused"};
    }

    void expectWhole() const {
        ASSERT_TRUE(fs::exists(target()));
        EXPECT_TRUE(readFile(target()) == m_content);
        EXPECT_FALSE(fs::exists(partialPath(target())));
        const auto record = readJsonObject(recordPath(target()));
        EXPECT_EQ(record.at("sha256"), computeSha256(m_content));
        EXPECT_EQ(record.at("licence"), "MIT");
    }

    /// The table knows neither hash nor exact size.
    void roundTheTable(std::uint64_t bytes = 700'000) {
        m_offer.files[0].exact = false;
        m_offer.files[0].bytes = bytes;
        m_offer.files[0].sha256.clear();
    }

    void putIntoPlace(const std::string& content) const {
        fs::create_directories(target().parent_path());
        writeFileAtomically(target(), content);
    }

    void expectNothing() const {
        EXPECT_FALSE(fs::exists(target()));
        EXPECT_FALSE(fs::exists(partialPath(target())));
    }

    static std::size_t count(const HttpServer& server, const std::string& method) {
        const std::vector<HttpRequest> requests = server.requests();
        return static_cast<std::size_t>(std::ranges::count(requests, method, &HttpRequest::method));
    }

    /// Answers to GET requests one after another; when they are used up, and to HEAD, as it should be.
    HttpServer::Handler script(std::vector<std::function<void(HttpAnswer&, const HttpRequest&)>> changes) {
        return [this, changes = std::move(changes),
                next = std::make_shared<std::atomic<std::size_t>>(0)](const HttpRequest& request) {
            HttpAnswer answer = answerWithFile(request, m_content, computeSha256(m_content));
            if (request.method == "GET")
                if (const std::size_t index = (*next)++; index < changes.size())
                    changes[index](answer, request);
            return answer;
        };
    }

    testing::TemporaryFolder m_folder;
    std::string m_content = someWeights(700'000, 1);
    ModelOffer m_offer{.id = "a",
                       .title = "A",
                       .kind = OfferKind::Vae,
                       .repository = "org/repo",
                       .revision = "main",
                       .licence = "MIT",
                       .licencePage = "https://example.org/licence",
                       .release = {},
                       .stored = {},
                       .files = {},
                       .needs = {}};
};

TEST_F(Download, BringsTheFileWithItsRecord) {
    const HttpServer server(script({}));
    std::uint64_t told = 0;
    const std::vector<GotFile> got =
        get(impatient(server), {}, [&](const DownloadProgress& progress) { told = progress.done; });
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].origin, FileOrigin::Downloaded);
    EXPECT_EQ(got[0].commit, "c0ffee");
    EXPECT_EQ(told, m_content.size());
    expectWhole();
    EXPECT_EQ(server.requests().front().path, "/org/repo/resolve/main/split%20files/a.safetensors");
    // What is here is not asked for again.
    EXPECT_EQ(get(impatient(server)).at(0).origin, FileOrigin::WasHere);
    EXPECT_EQ(server.requests().size(), 2U);
}

TEST_F(Download, GoesOnAfterACut) {
    const HttpServer server(script({[](HttpAnswer& answer, const HttpRequest&) { answer.cutAfter = 100'000; },
                                    [](HttpAnswer& answer, const HttpRequest&) { answer.cutAfter = 0; },
                                    [](HttpAnswer& answer, const HttpRequest& request) {
                                        EXPECT_EQ(request.header("range"), "bytes=100000-");
                                        EXPECT_EQ(request.header("if-range"), "\"v1\"");
                                        answer.cutAfter = 200'000;
                                    }}));
    get(impatient(server));
    expectWhole();
    EXPECT_EQ(count(server, "GET"), 4U);
}

TEST_F(Download, GivesUpAConnectionThatStalls) {
    const HttpServer server(
        script({[](HttpAnswer& answer, const HttpRequest&) { answer.stallAfter = 50'000; }}));
    get(impatient(server));
    expectWhole();
    EXPECT_EQ(server.requests().back().header("range"), "bytes=50000-");
}

TEST_F(Download, TheTokenGoesToNoOtherHost) {
    const HttpServer other([this](const HttpRequest& request) {
        EXPECT_EQ(request.header("authorization"), "");
        return answerWithFile(request, m_content, computeSha256(m_content));
    });
    const HttpServer server([&](const HttpRequest& request) {
        EXPECT_EQ(request.header("authorization"), "Bearer hf_secret");
        HttpAnswer answer;
        answer.status = 302;
        answer.headers = {{"Location", other.address() + "/blob"},
                          {"X-Linked-Size", std::to_string(m_content.size())},
                          {"X-Linked-Etag", "\"" + computeSha256(m_content) + "\""},
                          {"X-Repo-Commit", "c0ffee"}};
        return answer;
    });
    DownloadServer asked = impatient(server);
    asked.token = "hf_secret";
    EXPECT_EQ(get(asked).at(0).commit, "c0ffee");
    expectWhole();
    EXPECT_EQ(count(other, "GET"), 1U);
}

TEST_F(Download, NoTokenGoesOverAnOpenNetwork) {
    // A proxy stands for the network: it sees what is sent to a server that is not this machine.
    const HttpServer proxy(script({}));
    setenv("http_proxy", proxy.address().c_str(), 1);
    DownloadServer asked = impatient(proxy);
    asked.endpoint = "http://models.example";
    asked.token = "hf_secret";
    get(asked);
    unsetenv("http_proxy");
    expectWhole();
    for (const HttpRequest& request : proxy.requests()) {
        EXPECT_THAT(request.path, HasSubstr("http://models.example/org/repo"));
        EXPECT_EQ(request.header("authorization"), "");
    }
}

TEST_F(Download, FollowsARepositoryThatWasRenamed) {
    const HttpServer server([this](const HttpRequest& request) {
        if (request.path.starts_with("/new/"))
            return answerWithFile(request, m_content, computeSha256(m_content));
        HttpAnswer answer;
        answer.status = 307;
        answer.headers = {{"Location", "/new/repo/resolve/main/a.safetensors"}};
        return answer;
    });
    get(impatient(server));
    expectWhole();
}

TEST_F(Download, WaitsForABusyServer) {
    const auto busy = [](int status) {
        return [status](HttpAnswer& answer, const HttpRequest&) {
            answer = HttpAnswer{.status = status, .headers = {{"Retry-After", "1"}}, .body = "later"};
        };
    };
    const HttpServer server(script({busy(429), busy(503)}));
    const auto begin = std::chrono::steady_clock::now();
    get(impatient(server));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
    expectWhole();
}

TEST_F(Download, GivesUpAServerThatStaysBusy) {
    const HttpServer server([](const HttpRequest&) { return HttpAnswer{.status = 503}; });
    const Error error = refusal(impatient(server));
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_THAT(error.what(), HasSubstr("HTTP 503"));
    EXPECT_EQ(server.requests().size(), 4U);
    const HttpServer later([](const HttpRequest&) {
        return HttpAnswer{.status = 429, .headers = {{"Retry-After", "7200"}}};
    });
    EXPECT_THAT(refusal(impatient(later)).what(), HasSubstr("120 minutes"));
    EXPECT_EQ(later.requests().size(), 1U);
}

TEST_F(Download, BeginsAnewWhereTheRestIsRefused) {
    const HttpServer server(script({[](HttpAnswer& answer, const HttpRequest&) { answer.cutAfter = 100'000; },
                                    [](HttpAnswer& answer, const HttpRequest& request) {
                                        EXPECT_NE(request.header("range"), "");
                                        answer = HttpAnswer{.status = 416};
                                    }}));
    get(impatient(server));
    expectWhole();
    EXPECT_EQ(server.requests().back().header("range"), "");
}

TEST_F(Download, TakesTheWholeFromAServerWithoutRanges) {
    const HttpServer server(
        script({[](HttpAnswer& answer, const HttpRequest&) { answer.cutAfter = 100'000; },
                [this](HttpAnswer& answer, const HttpRequest&) {
                    answer = HttpAnswer{.headers = {{"ETag", "\"v1\""}}, .body = m_content};
                }}));
    get(impatient(server));
    expectWhole();
}

TEST_F(Download, AWeakTagIsNoCondition) {
    const auto weak = [](HttpAnswer& answer, const HttpRequest&) { answer.headers["ETag"] = "W/\"v1\""; };
    const HttpServer server(script({[&](HttpAnswer& answer, const HttpRequest& request) {
                                        weak(answer, request);
                                        answer.cutAfter = 100'000;
                                    },
                                    weak}));
    get(impatient(server));
    expectWhole();
    EXPECT_EQ(server.requests().back().header("range"), "bytes=100000-");
    EXPECT_EQ(server.requests().back().header("if-range"), "");
}

TEST_F(Download, AnotherRangeThanAskedForIsNotMixedIn) {
    const HttpServer server(script({[](HttpAnswer& answer, const HttpRequest&) { answer.cutAfter = 100'000; },
                                    [this](HttpAnswer& answer, const HttpRequest&) {
                                        answer.body = m_content.substr(50'000);
                                        answer.headers["Content-Range"] = "bytes 50000-699999/700000";
                                    }}));
    get(impatient(server));
    expectWhole();
}

TEST_F(Download, AChangedFileIsTakenWhole) {
    const std::string before = someBytes(m_content.size(), 2);
    const HttpServer server(script({[&](HttpAnswer& answer, const HttpRequest& request) {
        answer = answerWithFile(request, before, computeSha256(before), "\"v0\"");
        answer.cutAfter = 300'000;
    }}));
    get(impatient(server));
    expectWhole();
    EXPECT_EQ(server.requests().back().header("if-range"), "\"v0\"");
}

TEST_F(Download, WrongBytesAreRemoved) {
    const std::string wrong = someBytes(m_content.size(), 3);
    const HttpServer server([&](const HttpRequest& request) {
        return request.method == "HEAD" ? answerWithFile(request, m_content, computeSha256(m_content))
                                        : answerWithFile(request, wrong, computeSha256(wrong));
    });
    const Error error = refusal(impatient(server));
    EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
    EXPECT_THAT(error.what(), HasSubstr("SHA-256"));
    expectNothing();
}

TEST_F(Download, ABeginningThatWasDamagedIsMendedByItself) {
    const HttpServer server(script({}));
    {
        const HttpServer cut(
            script({[](HttpAnswer& answer, const HttpRequest&) { answer.cutAfter = 100'000; },
                    [](HttpAnswer& answer, const HttpRequest&) { answer.status = 404; }}));
        refusal(impatient(cut));
    }
    const fs::path partial = partialPath(target());
    ASSERT_EQ(fs::file_size(partial), 100'000U);
    writeFileAtomically(partial, std::string(100'000, 'x'));
    get(impatient(server));
    expectWhole();
}

TEST_F(Download, MoreThanWasToldIsWrong) {
    const HttpServer server(
        script({[this](HttpAnswer& answer, const HttpRequest&) { answer.body = m_content + "more"; }}));
    EXPECT_EQ(refusal(impatient(server)).kind(), ErrorKind::Mismatch);
    expectNothing();
}

TEST_F(Download, AnotherFileOnTheServerIsToldBeforeItIsDownloaded) {
    const std::string other = someBytes(1000, 4);
    const HttpServer server(
        [&](const HttpRequest& request) { return answerWithFile(request, other, computeSha256(other)); });
    EXPECT_EQ(refusal(impatient(server)).kind(), ErrorKind::Mismatch);
    m_offer.files[0].sha256.clear();
    EXPECT_THAT(refusal(impatient(server)).what(), HasSubstr("1000 bytes"));
    EXPECT_EQ(count(server, "GET"), 0U);
    expectNothing();
}

TEST_F(Download, TheServersHashCountsWhereNoneWasPublished) {
    m_offer.files[0].sha256.clear();
    const std::string wrong = someBytes(m_content.size(), 5);
    const HttpServer bad([&](const HttpRequest& request) {
        return answerWithFile(request, request.method == "HEAD" ? m_content : wrong,
                              computeSha256(m_content));
    });
    EXPECT_EQ(refusal(impatient(bad)).kind(), ErrorKind::Mismatch);
    const HttpServer server(script({}));
    EXPECT_EQ(get(impatient(server)).at(0).sha256, computeSha256(m_content));
    expectWhole();
}

TEST_F(Download, ARefusalNamesLicenceAndToken) {
    const HttpServer server([](const HttpRequest&) { return HttpAnswer{.status = 401}; });
    const Error error = refusal(impatient(server));
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_THAT(error.what(), HasSubstr("https://example.org/licence"));
    EXPECT_THAT(error.what(), HasSubstr("HF_TOKEN"));
    const HttpServer without([](const HttpRequest&) { return HttpAnswer{.status = 404}; });
    EXPECT_THAT(refusal(impatient(without)).problem(), testing::Names("404"));
}

TEST_F(Download, NobodyThereIsOneSentence) {
    std::string nowhere;
    {
        const HttpServer server(script({}));
        nowhere = server.address();
    }
    const Error error = refusal({.endpoint = nowhere, .token = {}});
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_THAT(error.problem(), testing::Names(nowhere.substr(nowhere.find("//") + 2)));
}

TEST_F(Download, ADiskThatIsTooSmallIsToldFirst) {
    constexpr std::uint64_t huge = 1'000'000'000'000'000'000;
    roundTheTable(huge);
    for (const bool told : {true, false}) {
        SCOPED_TRACE(told);
        const HttpServer server([&](const HttpRequest& request) {
            HttpAnswer answer = answerWithFile(request, m_content, {});
            if (told)
                answer.headers["X-Linked-Size"] = std::to_string(huge);
            else
                answer = {.tellsLength = false};
            return answer;
        });
        const Error error = refusal(impatient(server));
        EXPECT_EQ(error.kind(), ErrorKind::Resources);
        EXPECT_THAT(error.problem(),
                    testing::Names(formatBytes(told ? huge : publishedBytes(m_offer.files[0]).most)));
        EXPECT_EQ(count(server, "GET"), 0U);
    }
}

TEST_F(Download, AStopKeepsWhatCame) {
    const HttpServer server(script(
        {[](HttpAnswer& answer, const HttpRequest&) { answer.pause = std::chrono::milliseconds(100); }}));
    StopSource stop;
    const auto stopAtFirst = [&](const DownloadProgress& progress) {
        if (progress.done > 0)
            stop.request_stop();
    };
    EXPECT_THROW(get(impatient(server), stop.get_token(), stopAtFirst), Error);
    const std::uint64_t there = fs::file_size(partialPath(target()));
    EXPECT_GT(there, 0U);
    EXPECT_LT(there, m_content.size());
    const std::vector<LocatedFile> begun = order();
    EXPECT_EQ(begun[0].state, FileState::Begun);
    EXPECT_EQ(begun[0].bytesMissing(), m_content.size() - there);
    get(impatient(server));
    expectWhole();
    EXPECT_EQ(server.requests().back().header("range"), "bytes=" + std::to_string(there) + "-");
}

TEST_F(Download, WhatWasBegunCanBeDropped) {
    const HttpServer cut(script({[](HttpAnswer& answer, const HttpRequest&) { answer.cutAfter = 100'000; },
                                 [](HttpAnswer& answer, const HttpRequest&) { answer.status = 404; }}));
    refusal(impatient(cut));
    dropBegun(order());
    EXPECT_EQ(order()[0].state, FileState::Missing);
    for (const fs::directory_entry& entry : fs::directory_iterator(target().parent_path()))
        ADD_FAILURE() << entry.path();
}

TEST_F(Download, ARoundedSizeHoldsToAHundredth) {
    const HttpServer server(script({}));
    roundTheTable(708'000);
    EXPECT_THAT(refusal(impatient(server)).what(), AllOf(HasSubstr("700000"), HasSubstr("708000")));
    EXPECT_EQ(count(server, "GET"), 0U);
    roundTheTable(706'000);
    get(impatient(server));
    EXPECT_EQ(order()[0].state, FileState::Here);
    roundTheTable(708'000);
    EXPECT_EQ(order()[0].state, FileState::Missing);
}

TEST_F(Download, AFileOfUnknownSizeComesWhole) {
    roundTheTable(705'000);
    const HttpServer server([this](const HttpRequest& request) {
        if (request.method == "HEAD")
            return HttpAnswer{.tellsLength = false};
        return HttpAnswer{.body = m_content, .tellsLength = false};
    });
    const GotFile got = get(impatient(server)).at(0);
    EXPECT_EQ(got.sha256, computeSha256(m_content));
    EXPECT_FALSE(got.compared);
    expectWhole();
}

TEST_F(Download, APageOrAPointerIsNotPutIntoPlace) {
    roundTheTable();
    for (const std::string& stranger : {page, lfsPointer}) {
        for (const bool tells : {true, false}) {
            SCOPED_TRACE(stranger.substr(0, 20) + (tells ? " with length" : ""));
            const HttpServer server([&](const HttpRequest& request) {
                HttpAnswer answer{.headers = {{"Content-Type", "text/html; charset=utf-8"}},
                                  .body = stranger,
                                  .tellsLength = tells};
                if (request.method == "HEAD")
                    answer.body = tells ? stranger : std::string();
                return answer;
            });
            const Error error = refusal(impatient(server));
            EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
            EXPECT_THAT(error.what(), HasSubstr(std::to_string(stranger.size()) + " bytes"));
            if (tells) {
                EXPECT_THAT(error.what(), HasSubstr("HF_ENDPOINT"));
            }
            EXPECT_LE(server.requests().size(), 12U);
            expectNothing();
        }
    }
}

TEST_F(Download, WhatCameWithoutAHashMustBeOfItsFormat) {
    roundTheTable();
    const std::string padded = page + std::string(700'000 - page.size(), ' ');
    const HttpServer server([&](const HttpRequest& request) { return answerWithFile(request, padded, {}); });
    const Error error = refusal(impatient(server));
    EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
    expectNothing();
}

TEST_F(Download, WhatIsNoFileAtHomeIsMended) {
    const std::string part = m_content.substr(0, 300'000);
    std::string damaged = m_content;
    damaged.back() ^= 1;
    for (const bool known : {true, false})
        for (const std::string& stranger : {page, lfsPointer, part, damaged}) {
            if (!known && stranger == damaged)
                continue;  // nothing tells it from the published one
            SCOPED_TRACE(fmt::format("{} {}", known, stranger.substr(0, 20)));
            if (!known)
                roundTheTable();
            putIntoPlace(stranger);
            const LocatedFile located = order()[0];
            EXPECT_EQ(located.state, FileState::Missing);
            EXPECT_FALSE(located.wrong.empty());
            const HttpServer server(script({}));
            const GotFile got = get(impatient(server)).at(0);
            EXPECT_EQ(got.origin, FileOrigin::Downloaded);
            EXPECT_TRUE(readFile(got.replaced) == stranger);
            expectWhole();
            EXPECT_EQ(get(impatient(server)).at(0).origin, FileOrigin::WasHere);
            fs::remove_all(models());
        }
}

TEST_F(Download, ALinkThatLeadsNowhereIsMended) {
    fs::create_directories(target().parent_path());
    fs::create_symlink(m_folder / "gone", target());
    const HttpServer server(script({}));
    EXPECT_TRUE(fs::is_symlink(get(impatient(server)).at(0).replaced));
    expectWhole();
}

TEST_F(Download, APageAtHomeThatAnotherProgramHasIsReplacedByItsFile) {
    const fs::path there = m_folder / "comfy" / "models" / "vae" / "a.safetensors";
    fs::create_directories(there.parent_path());
    writeFileAtomically(there, m_content);
    putIntoPlace(page);
    const HttpServer nobody([](const HttpRequest&) { return HttpAnswer{.status = 404}; });
    const GotFile got = get(impatient(nobody)).at(0);
    EXPECT_EQ(got.origin, FileOrigin::Shared);
    EXPECT_EQ(readFile(got.replaced), page);
    expectWhole();
}

TEST_F(Download, WhatAnotherProgramIsWritingIsLeftToIt) {
    for (const bool whole : {true, false})
        for (const char* suffix : {".aria2", ".part", ".crdownload", ".incomplete"}) {
            SCOPED_TRACE(fmt::format("{} {}", whole, suffix));
            roundTheTable();
            putIntoPlace(whole ? m_content : m_content.substr(0, 300'000));
            const fs::path beside = target().string() + suffix;
            writeFileAtomically(beside, "");
            EXPECT_EQ(order()[0].state, FileState::Missing);
            const HttpServer server(script({}));
            const Error error = refusal(impatient(server));
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_THAT(error.what(), HasSubstr(beside.filename().string()));
            EXPECT_TRUE(server.requests().empty());
            EXPECT_TRUE(fs::exists(target()));
            fs::remove(beside);
        }
    // The hash says that it is all there.
    putIntoPlace(m_content);
    m_offer.files[0] = {.path = "a",
                        .place = "vae/a.safetensors",
                        .bytes = m_content.size(),
                        .exact = true,
                        .sha256 = computeSha256(m_content)};
    writeFileAtomically(target().string() + ".part", "");
    EXPECT_EQ(order()[0].state, FileState::Here);
}

TEST_F(Download, WhatIsBeingWrittenElsewhereIsNotShared) {
    roundTheTable();
    const fs::path there = m_folder / "comfy" / "models" / "vae" / "a.safetensors";
    fs::create_directories(there.parent_path());
    writeFileAtomically(there, m_content);
    EXPECT_EQ(order()[0].state, FileState::Elsewhere);
    writeFileAtomically(there.string() + ".aria2", "");
    EXPECT_EQ(order()[0].state, FileState::Missing);
}

TEST_F(Download, AFileThatGrowsIsNotTakenForWhole) {
    roundTheTable();
    putIntoPlace(m_content);
    std::atomic<bool> ends = false;
    std::thread writer([&] {
        while (!ends) {
            fs::last_write_time(target(), fs::file_time_type::clock::now());
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    });
    const HttpServer server(script({}));
    const Error error = refusal(impatient(server));
    const PublishedCheck found = checkPublished(target(), m_offer, m_offer.files[0], FileCheck::Whole);
    EXPECT_TRUE(found.isWritten);
    EXPECT_EQ(error.message(), found.wrong);
    ends = true;
    writer.join();
}

TEST_F(Download, AFilePutThereByHandIsHashedOnce) {
    putIntoPlace(m_content);
    const HttpServer nobody([](const HttpRequest&) { return HttpAnswer{.status = 404}; });
    const GotFile got = get(impatient(nobody)).at(0);
    EXPECT_EQ(got.origin, FileOrigin::WasHere);
    EXPECT_TRUE(got.compared);
    EXPECT_EQ(readJsonObject(recordPath(target())).at("sha256"), computeSha256(m_content));
    EXPECT_TRUE(checkPublished(target(), m_offer, m_offer.files[0], FileCheck::Whole).isRecorded);
    // It counts for just these bytes.
    std::string damaged = m_content;
    damaged.back() ^= 1;
    writeFileAtomically(target(), damaged);
    EXPECT_FALSE(checkPublished(target(), m_offer, m_offer.files[0], FileCheck::Whole).isPublished());
}

TEST_F(Download, TheFirstHashIsKeptAndALaterOneComparedWithIt) {
    roundTheTable();
    std::string content = m_content;
    const HttpServer server([&](const HttpRequest& request) { return answerWithFile(request, content, {}); });
    const GotFile first = get(impatient(server)).at(0);
    EXPECT_FALSE(first.compared);
    EXPECT_EQ(readJsonObject(recordPath(target())).at("sha256"), computeSha256(m_content));
    // Damaged at home, which only this hash tells.
    std::string damaged = m_content;
    damaged.back() ^= 1;
    writeFileAtomically(target(), damaged);
    EXPECT_FALSE(order()[0].wrong.empty());
    const GotFile mended = get(impatient(server)).at(0);
    EXPECT_EQ(mended.firstSha256, "");
    expectWhole();
    // Another file on the server.
    content = someWeights(m_content.size(), 9);
    fs::remove(target());
    const GotFile second = get(impatient(server)).at(0);
    EXPECT_EQ(second.firstSha256, computeSha256(m_content));
    EXPECT_EQ(second.sha256, computeSha256(content));
}

TEST_F(Download, OneAtATimeWritesIntoAFolder) {
    std::string second;
    const HttpServer server([&](const HttpRequest& request) {
        if (request.method == "HEAD")
            second = refusal({}).where();  // while the first is at work
        return answerWithFile(request, m_content, computeSha256(m_content));
    });
    get(impatient(server));
    EXPECT_EQ(second, withTilde(downloadFolder()));
    expectWhole();
}

TEST_F(Download, SomebodysOwnFileOfTheNameIsLeftAlone) {
    const std::string own = someWeights(500'000, 7);
    putIntoPlace(own);
    const HttpServer server(script({}));
    EXPECT_THAT(refusal(impatient(server)).where(), HasSubstr(target().filename().string()));
    EXPECT_TRUE(readFile(target()) == own);
    fs::remove(target());
    fs::create_directories(target() / "mine");
    EXPECT_THAT(refusal(impatient(server)).where(), HasSubstr(target().filename().string()));
    EXPECT_TRUE(fs::exists(target() / "mine"));
    EXPECT_TRUE(server.requests().empty());
}

TEST_F(Download, WhatOtherProgramsHaveIsShared) {
    const HttpServer nobody([](const HttpRequest&) { return HttpAnswer{.status = 404}; });
    for (const fs::path& there :
         {m_folder / "hub" / "models--org--repo" / "snapshots" / "c1" / "split files" / "a.safetensors",
          m_folder / "hub" / "models--other--repo" / "blobs" / computeSha256(m_content),
          m_folder / "comfy" / "models" / "vae" / "a.safetensors"}) {
        SCOPED_TRACE(there.string());
        fs::create_directories(there.parent_path());
        writeFileAtomically(there, m_content);
        EXPECT_EQ(order()[0].state, FileState::Elsewhere);
        EXPECT_EQ(order()[0].bytesMissing(), 0U);
        EXPECT_EQ(get(impatient(nobody)).at(0).origin, FileOrigin::Shared);
        EXPECT_TRUE(fs::equivalent(target(), there));  // the same bytes on disk
        expectWhole();
        fs::remove(there);
        EXPECT_TRUE(readFile(target()) == m_content);  // and they stay
        fs::remove(target());
    }
    EXPECT_TRUE(nobody.requests().empty());
}

TEST_F(Download, ADamagedCacheIsNotShared) {
    const fs::path there = m_folder / "comfy" / "models" / "vae" / "a.safetensors";
    fs::create_directories(there.parent_path());
    writeFileAtomically(there, someBytes(m_content.size(), 6));
    const HttpServer server(script({}));
    EXPECT_EQ(get(impatient(server)).at(0).origin, FileOrigin::Downloaded);
    expectWhole();
}

// Answers that never bring the file.

TEST_F(Download, GivesUpWhatBringsTheFileNoNearerToItsEnd) {
    using Answer = std::function<HttpAnswer(HttpAnswer, const HttpRequest&)>;
    const auto cutAfter = [](HttpAnswer answer, std::size_t bytes) {
        answer.cutAfter = bytes;
        return answer;
    };
    const auto whole = [this] { return HttpAnswer{.headers = {{"ETag", "\"v1\""}}, .body = m_content}; };
    int number = 0;
    const std::vector<std::pair<std::string, Answer>> servers = {
        {"a byte, then 416",
         [&](HttpAnswer answer, const HttpRequest& request) {
             return request.header("range").empty() ? cutAfter(std::move(answer), 1)
                                                    : HttpAnswer{.status = 416};
         }},
        {"another range than was asked for",
         [&](HttpAnswer answer, const HttpRequest& request) {
             if (request.header("range").empty())
                 return cutAfter(std::move(answer), 1000);
             answer.body = m_content;
             answer.headers["Content-Range"] = "bytes 0-699999/700000";
             return answer;
         }},
        {"no ranges, and cuts at other places",
         [&](HttpAnswer, const HttpRequest&) {
             return cutAfter(whole(), 1000 + static_cast<std::size_t>(++number) * 7919 % 5000);
         }},
        {"no ranges, and a little more each time",
         [&](HttpAnswer, const HttpRequest&) {
             return cutAfter(whole(), 70'000 * static_cast<std::size_t>(1 + ++number % 9));
         }},
        {"a few bytes of the rest each time",
         [&](HttpAnswer answer, const HttpRequest&) { return cutAfter(std::move(answer), 10); }},
        {"busy between a few bytes",
         [&](HttpAnswer answer, const HttpRequest&) {
             return ++number % 2 == 0 ? cutAfter(std::move(answer), 100)
                                      : HttpAnswer{.status = 503, .headers = {{"Retry-After", "0"}}};
         }},
        {"an end too early, again and again", [&](HttpAnswer answer, const HttpRequest&) {
             answer.body.resize(std::min<std::size_t>(answer.body.size(), 10));
             return answer;
         }}};
    for (const auto& [name, change] : servers) {
        SCOPED_TRACE(name);
        number = 0;
        const HttpServer server([&](const HttpRequest& request) {
            HttpAnswer answer = answerWithFile(request, m_content, computeSha256(m_content));
            return request.method == "HEAD" ? answer : change(std::move(answer), request);
        });
        const Error error = refusal(impatient(server));
        EXPECT_TRUE(error.kind() == ErrorKind::Input || error.kind() == ErrorKind::Mismatch);
        EXPECT_LE(server.requests().size(), 30U);
        EXPECT_FALSE(fs::exists(target()));
        fs::remove_all(models());
    }
}

TEST_F(Download, ABodyWithoutAnEndIsCutOff) {
    roundTheTable();
    const HttpServer server([this](const HttpRequest& request) {
        if (request.method == "HEAD")
            return HttpAnswer{.tellsLength = false};
        return HttpAnswer{.body = m_content, .tellsLength = false, .repeats = true};
    });
    const Error error = refusal(impatient(server));
    EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
    EXPECT_THAT(error.what(), HasSubstr("707000"));
    EXPECT_LE(count(server, "GET"), 2U);
    expectNothing();
}

TEST_F(Download, ARefusalWithoutAnEndIsARefusal) {
    const HttpServer server([](const HttpRequest& request) {
        HttpAnswer answer{.status = 403, .body = std::string(100'000, 'x'), .tellsLength = false};
        answer.repeats = request.method == "GET";
        if (request.method == "HEAD")
            answer = {.status = 200, .tellsLength = false};
        return answer;
    });
    EXPECT_THAT(refusal(impatient(server)).what(), HasSubstr("HTTP 403"));
    EXPECT_EQ(count(server, "GET"), 1U);
}

TEST_F(Download, RedirectionsWithoutAnEndAreGivenUp) {
    const HttpServer server([&](const HttpRequest& request) {
        if (request.method == "HEAD")
            return answerWithFile(request, m_content, computeSha256(m_content));
        return HttpAnswer{.status = 302, .headers = {{"Location", request.path + "x"}}};
    });
    EXPECT_THAT(refusal(impatient(server)).what(), HasSubstr("redirection"));
    EXPECT_LE(count(server, "GET"), 10U);
}

TEST_F(Download, HeadersWithoutAnEndAreGivenUp) {
    const HttpServer server([&](const HttpRequest& request) {
        HttpAnswer answer = answerWithFile(request, m_content, computeSha256(m_content));
        if (request.method == "GET")
            for (int number = 0; number < 5000; ++number)
                answer.headers["X-" + std::to_string(number)] = std::string(90, 'x');
        return answer;
    });
    EXPECT_THAT(refusal(impatient(server)).problem(), testing::Names(hostOf(server)));
    EXPECT_EQ(count(server, "GET"), 1U);
}

TEST_F(Download, ATrickleIsGivenUp) {
    const HttpServer server([&](const HttpRequest& request) {
        HttpAnswer answer = answerWithFile(request, m_content, computeSha256(m_content));
        answer.pause = std::chrono::milliseconds(200);
        answer.blockBytes = 10;
        return answer;
    });
    EXPECT_THAT(refusal(impatient(server)).problem(), testing::Names(hostOf(server)));
    EXPECT_LE(count(server, "GET"), 4U);
}

TEST_F(Download, ACompressedBodyIsRefused) {
    const HttpServer server(script({[](HttpAnswer& answer, const HttpRequest& request) {
        EXPECT_EQ(request.header("accept-encoding"), "identity");
        answer.headers["Content-Encoding"] = "gzip";
    }}));
    EXPECT_THAT(refusal(impatient(server)).what(), HasSubstr("compressed"));
    EXPECT_EQ(count(server, "GET"), 1U);
}

TEST_F(Download, WaitsThatAServerAsksForHaveAnEndTogether) {
    const HttpServer server([](const HttpRequest&) {
        return HttpAnswer{.status = 429, .headers = {{"Retry-After", "31536000"}}};
    });
    EXPECT_THAT(refusal(impatient(server)).what(), HasSubstr("minutes"));
    EXPECT_EQ(server.requests().size(), 1U);
}

// Secrets.

TEST(HttpAddress, OnlyItsOwnAddressesAreThisMachine) {
    const auto isLoopback = [](const char* url) { return parseHttpAddress(url).value().isLoopback(); };
    for (const char* own : {"http://localhost", "http://LOCALHOST:8080/a", "http://127.0.0.1:1",
                            "http://127.8.9.1", "http://[::1]:80", "http://ann:pw@localhost"})
        EXPECT_TRUE(isLoopback(own)) << own;
    for (const char* other :
         {"http://localhost.evil.org", "http://127.0.0.1.evil.org", "http://127.0.0.1@evil.org",
          "http://localhost:80@evil.org", "http://localhost@evil.org:80", "http://evil.org/@localhost",
          "http://evil.org?x@localhost", "http://evil.org#@127.0.0.1", "http://10.0.0.1", "http://[::2]",
          "http://notlocalhost", "http://128.0.0.1"})
        EXPECT_FALSE(isLoopback(other)) << other;
    EXPECT_EQ(hostOf("http://evil.org?x@localhost"), "evil.org");
    EXPECT_EQ(hostOf("https://ann:pw@mirror.example:8443/a"), "mirror.example:8443");
    EXPECT_EQ(parseHttpAddress("https://ann:p%40w@mirror.example/a").value().credentials, "ann:p@w");
    EXPECT_EQ(parseHttpAddress("https://ann:p%40w@mirror.example/a").value().plain,
              "https://mirror.example/a");
    for (const char* none : {"", "mirror", "ftp://mirror.example", "http://", "http://a b"})
        EXPECT_FALSE(parseHttpAddress(none)) << none;
}

TEST(HttpAddress, NoPasswordIsQuoted) {
    EXPECT_EQ(withoutCredentials("Unsupported proxy 'foo://ann:S3cret@proxy:1'"),
              "Unsupported proxy 'foo://proxy:1'");
    EXPECT_EQ(withoutCredentials("http://ann:a/b@c@host"), "http://host");
    EXPECT_EQ(withoutCredentials("ann:pw@host:3128 and x://a:b@c"), "host:3128 and x://c");
    EXPECT_EQ(withoutCredentials("nothing"), "nothing");
}

TEST_F(Download, NoProxyStandsBetweenThisMachineAndItself) {
    const HttpServer proxy([](const HttpRequest&) { return HttpAnswer{.status = 404}; });
    const HttpServer server(script({}));
    setenv("http_proxy", proxy.address().c_str(), 1);
    DownloadServer asked = impatient(server);
    asked.token = "hf_secret";
    get(asked);
    unsetenv("http_proxy");
    EXPECT_TRUE(proxy.requests().empty());
    EXPECT_EQ(server.requests().back().header("authorization"), "Bearer hf_secret");
}

TEST_F(Download, APasswordIsToldToItsServerAndKeptNowhere) {
    const HttpServer other([this](const HttpRequest& request) {
        EXPECT_EQ(request.header("authorization"), "");
        return answerWithFile(request, m_content, computeSha256(m_content));
    });
    const HttpServer server([&](const HttpRequest& request) {
        EXPECT_EQ(request.header("authorization"), "Basic YW5uOlMzY3JldA==");  // ann:S3cret
        HttpAnswer answer = answerWithFile(request, m_content, computeSha256(m_content));
        if (request.method == "GET")
            answer = {.status = 302, .headers = {{"Location", other.address() + "/blob"}}};
        return answer;
    });
    setenv("HF_ENDPOINT", ("http://ann:S3cret@" + server.address().substr(7)).c_str(), 1);
    setenv("HF_TOKEN", "hf_secret", 1);
    DownloadServer asked = usualServer();
    EXPECT_EQ(asked.endpoint, server.address());
    get(asked);
    expectWhole();
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(models()))
        if (entry.is_regular_file()) {
            EXPECT_THAT(readFile(entry.path()), Not(HasSubstr("S3cret"))) << entry.path();
        }
    fs::remove_all(models());
    const HttpServer refusing([](const HttpRequest&) { return HttpAnswer{.status = 403}; });
    asked.endpoint = refusing.address();
    EXPECT_THAT(refusal(asked).what(), Not(HasSubstr("S3cret")));
}

TEST_F(Download, AnAddressThatHidesAPasswordIsRefusedWithoutIt) {
    for (const char* endpoint : {"http://ann:S3cret/Pw@mirror.example", "http://ann:12/S3cret@mirror.example",
                                 "ftp://ann:S3cret@mirror.example", "http://ann:S3cret#x@mirror.example",
                                 "http://ann:S3cret?x@mirror.example", "ann:S3cret@mirror.example"}) {
        setenv("HF_ENDPOINT", endpoint, 1);
        try {
            usualServer();
            ADD_FAILURE() << endpoint;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Project);
            EXPECT_THAT(error.what(), Not(HasSubstr("S3cret"))) << endpoint;
        }
    }
}

TEST_F(Download, TheUsualVariablesAreRead) {
    setenv("HF_HOME", m_folder.path().c_str(), 1);
    EXPECT_EQ(usualServer().endpoint, "https://huggingface.co");
    EXPECT_EQ(usualServer().token, "");
    writeFileAtomically(m_folder / "token", "hf_kept\n");
    EXPECT_EQ(usualServer().token, "hf_kept");
    setenv("HF_TOKEN", "hf_set", 1);
    setenv("HF_ENDPOINT", "https://mirror.example/", 1);
    setenv("HF_HUB_DOWNLOAD_TIMEOUT", "7", 1);
    EXPECT_EQ(usualServer().token, "hf_set");
    EXPECT_EQ(usualServer().endpoint, "https://mirror.example");
    EXPECT_EQ(usualServer().stall, std::chrono::seconds(7));
    const auto refused = [](const char* name, const char* value) {
        setenv(name, value, 1);
        try {
            usualServer();
            ADD_FAILURE() << name << " " << value;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Project);
            EXPECT_EQ(error.where(), name);
        }
        unsetenv(name);
    };
    unsetenv("HF_TOKEN");
    setenv("HUGGING_FACE_HUB_TOKEN", " hf_old\n", 1);
    EXPECT_EQ(usualServer().token, "hf_old");
    setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "true", 1);
    EXPECT_EQ(usualServer().token, "");
    unsetenv("HF_HUB_DISABLE_IMPLICIT_TOKEN");
    unsetenv("HUGGING_FACE_HUB_TOKEN");
    setenv("TRANSFORMERS_OFFLINE", "YES", 1);
    EXPECT_TRUE(usualServer().offline);
    unsetenv("TRANSFORMERS_OFFLINE");
    refused("HF_ENDPOINT", "ftp://mirror.example");
    refused("HF_ENDPOINT", "https://");
    refused("HF_TOKEN", "hf_a\nX-Other: 1");
    refused("HF_HUB_DOWNLOAD_TIMEOUT", "soon");
    setenv("HF_HUB_OFFLINE", "1", 1);
    EXPECT_EQ(refusal(usualServer()).where(), "HF_HUB_OFFLINE");
}

TEST(Offers, TheTableIsWhole) {
    std::set<std::string> ids;
    std::set<fs::path> places;
    std::set<OfferKind> kinds;
    for (const ModelOffer& offer : modelOffers()) {
        SCOPED_TRACE(offer.id);
        EXPECT_TRUE(ids.insert(offer.id).second);
        kinds.insert(offer.kind);
        for (const OfferedFile& file : offer.files) {
            EXPECT_TRUE(places.insert(file.place).second) << file.place;
            EXPECT_EQ(fs::path(file.path).filename(), file.place.filename());
            EXPECT_TRUE(hasTensorFileName(file.place) || file.place.filename() == "spiece.model");
        }
        EXPECT_EQ(offer.stored.empty(), offer.kind != OfferKind::Model);
        EXPECT_TRUE(offer.licencePage.starts_with("https://"));
        EXPECT_EQ(offer.needs.empty(), offer.kind != OfferKind::Model);
    }
    // Whether a hash is known is said of each file: null where no public document tells it.
    const nlohmann::json table = readJsonObject(resourceFolder() / "downloads" / "offers.json");
    for (const auto& offer : table.at("offers"))
        for (const auto& file : offer.at("files"))
            EXPECT_TRUE(file.contains("sha256")) << file;
    EXPECT_EQ(kinds.size(), EnumNames<OfferKind>::names.size());
    EXPECT_THROW(requireOffer("wan2.1-t2v-1.3"), Error);
}

TEST_F(Download, MistakesInATableAreNamed) {
    const auto message = [this](const std::string& change) {
        const std::string row =
            R"({"id": "a", "title": "A", "kind": "vae", "repository": "o/r", "revision": "main",
            "licence": "MIT", "licence_page": "https://x", "files": [{"path": "a", "place": "vae/a", "bytes": 1}])" +
            change + "}";
        writeFileAtomically(m_folder / "offers.json", "{\"offers\": [" + row + "]}");
        try {
            readOffers(m_folder / "offers.json");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message(""), "");
    EXPECT_THAT(message(R"(, "needs": [["b"]])"), HasSubstr("\"needs\""));
    EXPECT_THAT(message(R"(, "needs": [[]])"), HasSubstr("\"needs\""));
    const auto file = [&](const std::string& text) {
        writeFileAtomically(m_folder / "offers.json", R"({"offers": [{"id": "a", "title": "A", "kind": "vae",
            "repository": "o/r", "revision": "main", "licence": "MIT", "licence_page": "https://x", "files": [)" +
                                                          text + "]}]}");
        try {
            readOffers(m_folder / "offers.json");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(file(R"({"path": "a", "place": "../a", "bytes": 1})"), HasSubstr("\"place\""));
    EXPECT_THAT(file(R"({"path": "/a", "place": "a", "bytes": 1})"), HasSubstr("\"path\""));
    EXPECT_THAT(file(R"({"path": "a", "place": "a"})"), HasSubstr("\"bytes\""));
    EXPECT_THAT(file(R"({"path": "a", "place": "a", "bytes": 1, "sha256": "00"})"), HasSubstr("\"sha256\""));
    EXPECT_EQ(file(R"({"path": "a", "place": "a", "bytes": 1, "sha256": null})"), "");
    EXPECT_THAT(file(""), HasSubstr("\"files\""));
}

TEST_F(Download, NeedsThatAnotherFileSatisfiesAreLeftOut) {
    const ModelOffer& model = requireOffer("wan2.1-t2v-1.3b");
    const auto idsOf = [](const std::vector<LocatedFile>& files) {
        std::vector<std::string> ids;
        for (const LocatedFile& file : files)
            ids.push_back(file.offer->id);
        return ids;
    };
    EXPECT_THAT(idsOf(OffersHere({}).toGet(model)),
                ElementsAre("umt5-xxl-fp8", "umt5-tokenizer", "wan2.1-vae", "wan2.1-t2v-1.3b"));
    CatalogueFile vae;
    vae.identity.part = ModelPart::Vae;
    vae.latentChannels = 48;
    CatalogueFile encoder;
    encoder.identity.part = ModelPart::TextEncoder;
    encoder.textWidth = 4096;
    ModelCatalogue catalogue{
        .models = {}, .files = {vae, encoder}, .tokenizers = {findModel("tiny-wan-t2v") / "tokenizer"}};
    EXPECT_THAT(idsOf(OffersHere(catalogue).toGet(model)), ElementsAre("wan2.1-vae", "wan2.1-t2v-1.3b"));
    catalogue.files[0].latentChannels = 16;
    EXPECT_THAT(idsOf(OffersHere(catalogue).toGet(model)), ElementsAre("wan2.1-t2v-1.3b"));
    const fs::path notOne = m_folder / "tokenizer";
    fs::create_directories(notOne);
    writeFileAtomically(notOne / "spiece.model", page);
    catalogue.tokenizers = {notOne};
    EXPECT_THAT(idsOf(OffersHere(catalogue).toGet(model)), ElementsAre("umt5-tokenizer", "wan2.1-t2v-1.3b"));
    catalogue.tokenizers = {findModel("tiny-wan-t2v") / "tokenizer"};
    catalogue.files[0].onlyDecodes = true;
    EXPECT_THAT(idsOf(OffersHere(catalogue).toGet(model)), ElementsAre("wan2.1-vae", "wan2.1-t2v-1.3b"));
}

TEST_F(Download, AProjectNamesBothExperts) {
    const ModelOffer& offer = requireOffer("wan2.2-t2v-a14b");
    const std::string lines = projectLines(offer, OffersHere({}).locate(offer));
    EXPECT_THAT(lines,
                HasSubstr("pretrained_model_name_or_path: ~/models/diffusion_models/wan2.2_t2v_high_noise"));
    EXPECT_THAT(lines, HasSubstr("transformer_2: ~/models/diffusion_models/wan2.2_t2v_low_noise"));
    EXPECT_EQ(projectLines(requireOffer("wan2.1-vae"), {}), "");
}

}  // namespace
}  // namespace meshreel
