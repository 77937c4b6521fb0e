// SPDX-License-Identifier: GPL-3.0-or-later
// The server attacked through real sockets.
#include "engine/serve/web_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/serve/client_checks.h"
#include "tests/support/socket_client.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using testing::ask;
using testing::askRaw;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawAnswer;
using testing::SocketClient;

constexpr const char* hello = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";

class WebServerTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::filesystem::path uploads() const { return m_folder / "uploads"; }

    /// A server that says what it was asked.
    void serve(const WebLimits& limits = {}) {
        m_server = std::make_unique<WebServer>(
            WebServerOptions{.uploads = uploads(), .limits = limits},
            [this](const WebRequest& request) { return refusedEntry(request, m_access); },
            [](WebRequest& request) {
                if (request.path == "/fail")
                    throw Error(ErrorKind::Internal, "a defect");
                WebAnswer answer{.type = "text/plain"};
                std::string text = request.method + ' ' + request.path + '\n';
                for (const auto& [name, value] : request.fields)
                    text += name + '=' + value + '\n';
                for (const UploadedFile& file : request.files)
                    text += file.field + ':' + file.name + ':' + readFile(file.path) + ':' +
                            file.path.filename().string() + '\n';
                answer.body = text + request.body;
                return answer;
            });
    }

    [[nodiscard]] std::uint16_t port() const { return m_server->port(); }
    [[nodiscard]] bool answersOthers() const { return askRaw(port(), hello).status == 200; }

    /// Returns how many uploads there are once nobody is being answered.
    [[nodiscard]] std::ptrdiff_t leftUploads() {
        m_server.reset();
        if (!std::filesystem::exists(uploads()))
            return 0;
        return std::distance(std::filesystem::directory_iterator(uploads()),
                             std::filesystem::directory_iterator());
    }

    ServerAccess m_access;

  private:
    testing::TemporaryFolder m_folder;
    std::unique_ptr<WebServer> m_server;
};

/// A form with one file; the name is as the client wants it.
std::string formWithFile(const std::string& name, const std::string& content,
                         const std::string& field = "image") {
    return "--edge\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\na ball\r\n"
           "--edge\r\nContent-Disposition: form-data; name=\"" +
           field + "\"; filename=\"" + name + "\"\r\nContent-Type: image/png\r\n\r\n" + content +
           "\r\n--edge--\r\n";
}
constexpr const char* formType = "Content-Type: multipart/form-data; boundary=edge\r\n";

TEST_F(WebServerTest, AnswersWithoutTellingMuch) {
    serve();
    const RawAnswer answer = ask(port(), "GET", "/a?b=c");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "GET /a\n");
    EXPECT_THAT(answer.head, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(answer.head, Not(HasSubstr("Access-Control"))) << "pages of others read nothing";
}

TEST_F(WebServerTest, RefusesAForeignHostBeforeItReadsTheBody) {
    serve();
    EXPECT_EQ(ask(port(), "GET", "/", {}, {}, "evil.example").status, 421);
    EXPECT_EQ(ask(port(), "GET", "/", {}, "Origin: https://evil.example\r\n").status, 403);
    EXPECT_EQ(askRaw(port(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n").status, 400) << "no Host";
    EXPECT_EQ(
        askRaw(port(), "POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000000\r\n\r\n").status,
        421);
    EXPECT_TRUE(answersOthers());
}

TEST_F(WebServerTest, RefusesWhoHasNoKey) {
    m_access.key = "0123456789abcdef";
    serve();
    EXPECT_EQ(ask(port(), "GET", "/").status, 401);
    EXPECT_EQ(ask(port(), "GET", "/", {}, "Authorization: Bearer 0123456789abcdef\r\n").status, 200);
    EXPECT_EQ(ask(port(), "OPTIONS", "/", {}, "Access-Control-Request-Method: POST\r\n").status, 401);
}

TEST_F(WebServerTest, TakesFilesUnderNamesOfItsOwn) {
    serve();
    const RawAnswer answer =
        ask(port(), "POST", "/", formWithFile("../../../../tmp/evil.PNG", "bytes"), formType);
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.body, HasSubstr("prompt=a ball\n"));
    EXPECT_THAT(answer.body, HasSubstr(":bytes:0.png\n"));
    for (const char* name : {"/etc/passwd", "..", "a/../../b", "x.p/g", "%2e%2e%2f", "a.toolongextension"})
        EXPECT_THAT(ask(port(), "POST", "/", formWithFile(name, "bytes"), formType).body,
                    HasSubstr(":bytes:0\n"))
            << name;
    EXPECT_EQ(leftUploads(), 0) << "they are gone with the request";
}

TEST_F(WebServerTest, RefusesWhatIsTooLarge) {
    serve({.body = 20000, .text = 1000, .files = 2, .fields = 3});
    EXPECT_EQ(ask(port(), "POST", "/", std::string(1001, 'x')).status, 413);
    EXPECT_NE(ask(port(), "POST", "/", formWithFile("a.png", std::string(20000, 'x')), formType).status, 200);
    EXPECT_EQ(
        askRaw(port(), "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999999\r\n\r\n").status,
        413);
    EXPECT_EQ(askRaw(port(), "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n").status, 400);
    // A length that nobody tells: cut off without an answer.
    const std::string chunk = "400\r\n" + std::string(1024, 'x') + "\r\n";
    const SocketClient chunked(port());
    chunked.send("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk);
    EXPECT_NE(testing::parseAnswer(chunked.read()).status, 200);
    std::string form;
    for (int part = 0; part < 5; ++part)
        form += "--edge\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nx\r\n";
    EXPECT_NE(ask(port(), "POST", "/", form + "--edge--\r\n", formType).status, 200);
    std::string words;  // each within the limit of a body, together beyond it
    for (const char* name : {"a", "b"})
        words += std::string("--edge\r\nContent-Disposition: form-data; name=\"") + name + "\"\r\n\r\n" +
                 std::string(600, 'x') + "\r\n";
    EXPECT_NE(ask(port(), "POST", "/", words + "--edge--\r\n", formType).status, 200);
    EXPECT_TRUE(answersOthers());
    EXPECT_EQ(leftUploads(), 0);
}

TEST_F(WebServerTest, HalfRequestsHoldUpNobody) {
    serve({.silence = std::chrono::seconds(2)});
    std::vector<std::unique_ptr<SocketClient>> silent;
    for (const char* beginning :
         {"", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
          "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900\r\n\r\nabc",
          "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=edge\r\n"
          "Content-Length: 900\r\n\r\n--edge\r\nContent-Disposition: form-data; name=\"a\"; "
          "filename=\"b\"\r\n\r\nxyz"})
        for (int times = 0; times < 20; ++times) {
            silent.push_back(std::make_unique<SocketClient>(port()));
            EXPECT_TRUE(silent.back()->send(beginning));
        }
    EXPECT_TRUE(answersOthers());
    for (const auto& client : silent)
        EXPECT_THAT(client->read(), Not(HasSubstr(" 200 "))) << "it is cut after the silence";
    EXPECT_TRUE(answersOthers());
    EXPECT_EQ(leftUploads(), 0);
}

TEST_F(WebServerTest, HeadersThatComeByteByByteAreNotWaitedFor) {
    serve({.headers = std::chrono::seconds(2)});
    for (const char* before : {"", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"}) {
        const SocketClient client(port());
        client.send(before);
        EXPECT_TRUE(*before == '\0' || client.read("GET /\n").find(" 200 ") != std::string::npos);
        client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ");
        const auto began = std::chrono::steady_clock::now();
        while (client.send("x") && std::chrono::steady_clock::now() - began < std::chrono::seconds(20))
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20)) << before;
    }
    EXPECT_TRUE(answersOthers());
}

TEST_F(WebServerTest, AnAnswerMayTakeLongerThanHeaders) {
    serve({.headers = std::chrono::seconds(1)});
    const SocketClient client(port());
    client.send("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 6\r\nConnection: close\r\n\r\n");
    for (const char* part : {"ab", "cd", "ef"}) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        EXPECT_TRUE(client.send(part));
    }
    EXPECT_THAT(client.read(), HasSubstr("POST /\nabcdef"));
}

TEST_F(WebServerTest, GarbageIsRefused) {
    serve({.silence = std::chrono::seconds(2)});
    for (const std::string& garbage :
         {std::string("\r\n\r\n\r\n\r\n"), std::string("\0\0\0\0\r\n\r\n", 8), std::string("GET\r\n\r\n"),
          std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8), "GET / HTTP/1.1\r\n" + std::string(100000, 'x'),
          "GET /" + std::string(100000, 'a') + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
          std::string("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n"),
          std::string("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data\r\n"
                      "Content-Length: 3\r\n\r\nabc")}) {
        const SocketClient client(port());
        client.send(garbage);
        client.send("\r\n\r\n");
        EXPECT_THAT(client.read(" 4"), Not(HasSubstr(" 200 "))) << garbage.substr(0, 40);
    }
    EXPECT_TRUE(answersOthers());
}

TEST_F(WebServerTest, ADefectIsAnsweredAndTellsNothing) {
    serve();
    const RawAnswer answer = ask(port(), "GET", "/fail");
    EXPECT_EQ(answer.status, 500);
    EXPECT_THAT(answer.body, Not(HasSubstr("a defect")));
    EXPECT_TRUE(answersOthers());
}

TEST_F(WebServerTest, ManyClientsAreAnsweredAtOnce) {
    serve();
    constexpr int clients = 100;
    std::atomic<int> answered = 0;
    std::vector<std::thread> threads;
    threads.reserve(clients);
    for (int client = 0; client < clients; ++client)
        threads.emplace_back([&] {
            if (ask(port(), "POST", "/", formWithFile("a.png", std::string(50000, 'x')), formType).status ==
                200)
                ++answered;
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(answered, clients);
}

TEST(WebServerStreams, ArriveAsTheyAreMadeAndEnd) {
    const testing::TemporaryFolder folder;
    const WebServer server(
        {.uploads = folder.path()}, [](const WebRequest&) { return std::nullopt; },
        [](WebRequest&) {
            WebAnswer answer{.type = "text/event-stream"};
            answer.body = WebStream([left = std::make_shared<int>(3)]() -> std::optional<std::string> {
                return --*left >= 0 ? std::optional("data: " + std::to_string(*left) + "\n\n") : std::nullopt;
            });
            return answer;
        });
    const RawAnswer answer = ask(server.port(), "GET", "/");
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.body, HasSubstr("data: 2\n\n"));
    EXPECT_THAT(answer.body, HasSubstr("data: 0\n\n"));
}

TEST(WebServerStart, RefusesWhatItCannotListenOn) {
    const testing::TemporaryFolder folder;
    const auto start = [&](const std::string& address, std::uint16_t port) {
        return std::make_unique<WebServer>(
            WebServerOptions{.address = address, .port = port, .uploads = folder.path()},
            [](const WebRequest&) { return std::nullopt; }, [](WebRequest&) { return WebAnswer(); });
    };
    const auto first = start("127.0.0.1", 0);
    EXPECT_GT(first->port(), 0);
    EXPECT_THROW(start("127.0.0.1", first->port()), Error);
    for (const char* address : {"example.org", "", "127.0.0.1:80", "256.1.1.1"})
        EXPECT_THROW(start(address, 0), Error) << address;
    EXPECT_GT(start("localhost", 0)->port(), 0);
}

TEST(WebServerStart, RefusesACertificateThatIsNone) {
    const testing::TemporaryFolder folder;
    EXPECT_THROW(WebServer(
                     {.certificate = "no", .privateKey = "none", .uploads = folder.path()},
                     [](const WebRequest&) { return std::nullopt; }, [](WebRequest&) { return WebAnswer(); }),
                 Error);
}

}  // namespace
}  // namespace meshreel
