// SPDX-License-Identifier: GPL-3.0-or-later
// Downloads from a server on this machine that does what servers and networks do to them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "download_fixture.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/stop_token.h"
#include "engine/base/strings.h"
#include "engine/catalogue/model_download.h"
#include "engine/catalogue/model_offers.h"
#include "engine/catalogue/published_file.h"
#include "tests/support/http_server.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::answerWithFile;
using testing::computeSha256;
using testing::Download;
using ::testing::HasSubstr;
using testing::HttpAnswer;
using testing::HttpRequest;
using testing::HttpServer;
using testing::someBytes;
using testing::someWeights;

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

}  // namespace
}  // namespace meshreel
