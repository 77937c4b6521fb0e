// SPDX-License-Identifier: GPL-3.0-or-later
// What servers send that is not the file, and answers that never bring it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "download_fixture.h"
#include "engine/base/error.h"
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
using testing::lfsPointer;
using testing::page;
using testing::someBytes;

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

}  // namespace
}  // namespace meshreel
