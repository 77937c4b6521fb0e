// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/client_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

WebRequest requestWith(const WebFields& headers, const std::string& path = "/v1/videos") {
    WebRequest request{.method = "POST", .path = path, .query = {}, .headers = headers};
    request.headers.try_emplace("host", "127.0.0.1:8000");
    return request;
}

unsigned statusOf(const WebRequest& request, const ServerAccess& access) {
    const std::optional<WebAnswer> refused = refusedEntry(request, access);
    return refused ? refused->status : 200;
}

TEST(ClientChecks, LoopbackIsThisMachine) {
    for (const char* address : {"localhost", "127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"})
        EXPECT_TRUE(isLoopback(address)) << address;
    for (const char* address :
         {"0.0.0.0", "::", "192.168.1.5", "128.0.0.1", "127.0.0.1.example.org", "", "::2"})
        EXPECT_FALSE(isLoopback(address)) << address;
}

TEST(ClientChecks, AForeignHostIsUnknown) {
    for (const char* header :
         {"localhost", "LOCALHOST:8000", "127.0.0.1:8000", "127.0.0.1", "[::1]:8000", "[::1]"})
        EXPECT_TRUE(isKnownHost(header, "127.0.0.1")) << header;
    for (const char* header :
         {"", "evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example",
          "192.168.1.5", "localhost:", "localhost:80a", "localhost:800000", "[::1", "::1", "localhost/",
          "localhost@evil.example", "8.8.8.8:8000", "localhost:8000:8000"})
        EXPECT_FALSE(isKnownHost(header, "127.0.0.1")) << header;
    EXPECT_TRUE(isKnownHost("192.168.1.5:8000", "192.168.1.5"));
    EXPECT_FALSE(isKnownHost("192.168.1.6:8000", "192.168.1.5"));
    EXPECT_TRUE(isKnownHost("192.168.1.6:8000", "0.0.0.0"));
    EXPECT_FALSE(isKnownHost("evil.example:8000", "0.0.0.0"));
}

TEST(ClientChecks, OnlyTheWholeKeyIsTheKey) {
    EXPECT_TRUE(isSameSecret("0123456789abcdef", "0123456789abcdef"));
    for (const char* given : {"", "0", "0123456789abcde", "0123456789abcdeg", "0123456789abcdef0",
                              "0123456789abcdef0123456789abcdef"})
        EXPECT_FALSE(isSameSecret("0123456789abcdef", given)) << given;
    EXPECT_FALSE(isSameSecret("", "")) << "no key lets nobody in";
}

TEST(ClientChecks, WithAKeyNobodyComesInWithoutIt) {
    const ServerAccess access{.address = "127.0.0.1", .key = "0123456789abcdef"};
    EXPECT_EQ(statusOf(requestWith({}), access), 401U);
    EXPECT_EQ(statusOf(requestWith({{"authorization", "Bearer 0123456789abcdee"}}), access), 401U);
    EXPECT_EQ(statusOf(requestWith({{"authorization", "0123456789abcdef"}}), access), 401U);
    EXPECT_EQ(statusOf(requestWith({{"authorization", "Bearer 0123456789abcdef"}}), access), 200U);
    EXPECT_EQ(statusOf(requestWith({}, "/health"), access), 200U);
    EXPECT_EQ(statusOf(requestWith({}, "/health/"), access), 401U);
    EXPECT_EQ(statusOf(requestWith({{"host", "evil.example"}, {"authorization", "Bearer 0123456789abcdef"}}),
                       access),
              421U);
}

TEST(ClientChecks, PagesOfOthersAreRefused) {
    const ServerAccess access;
    EXPECT_EQ(statusOf(requestWith({{"origin", "http://127.0.0.1:8000"}}), access), 200U);
    EXPECT_EQ(statusOf(requestWith({{"origin", "https://evil.example"}}), access), 403U);
    EXPECT_EQ(statusOf(requestWith({{"origin", "null"}}), access), 403U);
    EXPECT_EQ(statusOf(requestWith({{"origin", "http://127.0.0.1:8001"}}), access), 403U);
    EXPECT_EQ(statusOf(requestWith({{"sec-fetch-site", "cross-site"}}), access), 403U);
    EXPECT_EQ(statusOf(requestWith({{"sec-fetch-site", "same-origin"}}), access), 200U);
}

TEST(ClientChecks, BeyondLoopbackAKeyIsNeeded) {
    EXPECT_THROW(requireKeyBeyondLoopback({.address = "0.0.0.0"}), Error);
    EXPECT_THROW(requireKeyBeyondLoopback({.address = "192.168.1.5"}), Error);
    EXPECT_NO_THROW(requireKeyBeyondLoopback({.address = "0.0.0.0", .key = "0123456789abcdef"}));
    EXPECT_NO_THROW(requireKeyBeyondLoopback({.address = "::1"}));
}

TEST(ClientChecks, AKeyIsLongAndOnesOwn) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path file = folder / "key";
    const auto keep = [&](const std::string& text, std::filesystem::perms permissions) {
        writeFileAtomically(file, text);
        std::filesystem::permissions(file, permissions);
    };
    constexpr auto own = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    keep("0123456789abcdef\r\nmore\n", own);
    EXPECT_EQ(readKeyFile(file), "0123456789abcdef");
    keep("0123456789abcdef\n", own | std::filesystem::perms::others_read);
    EXPECT_THROW(readKeyFile(file), Error);
    keep("0123456789abcdef\n", own | std::filesystem::perms::group_read);
    EXPECT_THROW(readKeyFile(file), Error);
    for (const char* text : {"", "\n0123456789abcdef", "0123456789abcde\n", "0123456789 abcdef\n"}) {
        keep(text, own);
        EXPECT_THROW(readKeyFile(file), Error) << text;
    }
    EXPECT_THROW(readKeyFile(folder / "none"), Error);
}

TEST(ByteRanges, AreThoseOfOnePart) {
    const auto part = [](std::uint64_t first, std::uint64_t length) {
        return std::optional(WebRange{.first = first, .length = length});
    };
    EXPECT_EQ(requestedRange("bytes=0-9", 100), part(0, 10));
    EXPECT_EQ(requestedRange("bytes=90-", 100), part(90, 10));
    EXPECT_EQ(requestedRange("bytes=90-500", 100), part(90, 10));
    EXPECT_EQ(requestedRange("bytes=-30", 100), part(70, 30));
    EXPECT_EQ(requestedRange("bytes=-300", 100), part(0, 100));
    EXPECT_EQ(requestedRange("bytes=99-99", 100), part(99, 1));
    for (const char* header : {"bytes=100-", "bytes=200-300", "bytes=-0"})
        EXPECT_EQ(requestedRange(header, 100), std::nullopt) << header;
    for (const char* header : {"", "bytes=", "bytes=-", "bytes=9-1", "bytes=a-b", "bytes=0-1,5-6",
                               "lines=0-1", "bytes=99999999999999999999-", "bytes= 0-1"})
        EXPECT_EQ(requestedRange(header, 100), part(0, 100)) << header;
    EXPECT_EQ(requestedRange("bytes=0-", 0), std::nullopt);
}

TEST(WebErrors, HaveTheFormOfOpenAis) {
    const WebAnswer answer = webError(400, "invalid_value", "It is \"wrong\"\xff", "size");
    const nlohmann::json json = nlohmann::json::parse(std::get<std::string>(answer.body));
    EXPECT_EQ(json.at("error").at("code"), "invalid_value");
    EXPECT_EQ(json.at("error").at("param"), "size");
    EXPECT_EQ(json.at("error").at("type"), "invalid_request_error");
}

}  // namespace
}  // namespace meshreel
