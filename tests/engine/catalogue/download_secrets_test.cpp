// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens, passwords and proxies: who is told what, and what is quoted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "download_fixture.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/catalogue/http_connection.h"
#include "engine/catalogue/model_download.h"
#include "tests/support/http_server.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using testing::answerWithFile;
using testing::computeSha256;
using testing::Download;
using ::testing::HasSubstr;
using testing::HttpAnswer;
using testing::HttpRequest;
using testing::HttpServer;
using ::testing::Not;

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

TEST_F(Download, ARefusalNamesLicenceAndToken) {
    const HttpServer server([](const HttpRequest&) { return HttpAnswer{.status = 401}; });
    const Error error = refusal(impatient(server));
    EXPECT_EQ(error.kind(), ErrorKind::Input);
    EXPECT_THAT(error.what(), HasSubstr("https://example.org/licence"));
    EXPECT_THAT(error.what(), HasSubstr("HF_TOKEN"));
    const HttpServer without([](const HttpRequest&) { return HttpAnswer{.status = 404}; });
    EXPECT_THAT(refusal(impatient(without)).problem(), testing::Names("404"));
}

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

}  // namespace
}  // namespace meshreel
