// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace meshreel::testing {

/// What a client asked.
struct HttpRequest {
    std::string method;
    std::string path;
    std::map<std::string, std::string> headers;  ///< names in small letters
    std::string body = {};                       ///< as long as its Content-Length says

    [[nodiscard]] std::string header(const std::string& name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? std::string() : found->second;
    }
};

/// What it is told.
struct HttpAnswer {
    int status = 200;
    std::map<std::string, std::string> headers = {};
    std::string body = {};
    std::optional<std::size_t> cutAfter = {};    ///< bytes of the body, after which the connection ends
    std::optional<std::size_t> stallAfter = {};  ///< bytes of the body, after which nothing comes
    std::chrono::milliseconds pause{0};          ///< before each block of `blockBytes`
    std::size_t blockBytes = 64 * 1024;
    bool tellsLength = true;  ///< else the body ends with the connection
    bool repeats = false;     ///< sends the body again and again until the client leaves
};

/// A server on a port of this machine for tests. Every connection brings one request; `answer` is called on
/// the thread of that connection.
class HttpServer {
  public:
    using Handler = std::function<HttpAnswer(const HttpRequest&)>;

    explicit HttpServer(Handler answer);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// "http://127.0.0.1:PORT".
    [[nodiscard]] std::string address() const;

    /// All so far, in order.
    [[nodiscard]] std::vector<HttpRequest> requests() const;

  private:
    void accept();
    void serve(int connection);
    void send(int connection, const HttpRequest& request, const HttpAnswer& answer) const;

    Handler m_answer;
    int m_listener = -1;
    int m_port = 0;
    std::atomic<bool> m_ends = false;
    mutable std::mutex m_mutex;
    std::vector<HttpRequest> m_requests;
    std::vector<std::thread> m_connections;
    std::thread m_acceptor;
};

/// Answers as Hugging Face does for one file: a HEAD with size, hash and commit, a GET with ranges. The path
/// is not looked at.
HttpAnswer answerWithFile(const HttpRequest& request, const std::string& content, const std::string& sha256,
                          const std::string& tag = "\"v1\"");

}  // namespace meshreel::testing
