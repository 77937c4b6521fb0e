// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace meshreel::testing {
namespace {

constexpr int pollMilliseconds = 20;

bool sendAll(int connection, const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t sent = ::send(connection, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= static_cast<std::size_t>(sent);
    }
    return true;
}

std::string smallLetters(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return text;
}

HttpRequest parse(const std::string& text) {
    std::istringstream lines(text);
    HttpRequest request;
    lines >> request.method >> request.path;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line != "\r") {
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos)
            request.headers[smallLetters(line.substr(0, colon))] =
                line.substr(colon + 2, line.find('\r') - colon - 2);
    }
    return request;
}

}  // namespace

HttpServer::HttpServer(Handler answer) : m_answer(std::move(answer)) {
    m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(m_listener, SOMAXCONN) != 0 ||
        ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("no port to listen on");
    m_port = ntohs(address.sin_port);
    m_acceptor = std::thread([this] { accept(); });
}

HttpServer::~HttpServer() {
    m_ends = true;
    m_acceptor.join();
    for (std::thread& connection : m_connections)
        connection.join();
    ::close(m_listener);
}

std::string HttpServer::address() const {
    return "http://127.0.0.1:" + std::to_string(m_port);
}

std::vector<HttpRequest> HttpServer::requests() const {
    const std::lock_guard lock(m_mutex);
    return m_requests;
}

void HttpServer::accept() {
    while (!m_ends) {
        pollfd waiting{.fd = m_listener, .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, pollMilliseconds) <= 0)
            continue;
        const int connection = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection >= 0)
            m_connections.emplace_back([this, connection] { serve(connection); });
    }
}

void HttpServer::serve(int connection) {
    std::string text;
    const auto receiveUntil = [&](const auto& isThere) {
        while (!m_ends && !isThere()) {
            pollfd waiting{.fd = connection, .events = POLLIN, .revents = 0};
            if (::poll(&waiting, 1, pollMilliseconds) <= 0)
                continue;
            char block[4096];
            const ssize_t got = ::recv(connection, block, sizeof block, 0);
            if (got <= 0)
                break;
            text.append(block, static_cast<std::size_t>(got));
        }
    };
    constexpr std::string_view headEnd = "\r\n\r\n";
    receiveUntil([&] { return text.find(headEnd) != std::string::npos; });
    if (const std::size_t end = text.find(headEnd); end != std::string::npos) {
        const std::size_t begin = end + headEnd.size();
        HttpRequest request = parse(text.substr(0, begin));
        const std::string length = request.header("content-length");
        const std::size_t bytes = length.empty() ? 0 : std::stoul(length);
        receiveUntil([&] { return text.size() >= begin + bytes; });
        request.body = text.substr(begin, bytes);
        {
            const std::lock_guard lock(m_mutex);
            m_requests.push_back(request);
        }
        send(connection, request, m_answer(request));
    }
    ::close(connection);
}

void HttpServer::send(int connection, const HttpRequest& request, const HttpAnswer& answer) const {
    std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " -\r\nConnection: close\r\n";
    for (const auto& [name, value] : answer.headers)
        head += name + ": " + value + "\r\n";
    if (answer.tellsLength && !answer.headers.contains("Content-Length"))
        head += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
    head += "\r\n";
    if (!sendAll(connection, head.data(), head.size()) || request.method == "HEAD")
        return;
    const std::size_t last = std::min({answer.body.size(), answer.cutAfter.value_or(answer.body.size()),
                                       answer.stallAfter.value_or(answer.body.size())});
    do {
        for (std::size_t begin = 0; begin < last && !m_ends; begin += answer.blockBytes) {
            std::this_thread::sleep_for(answer.pause);
            if (!sendAll(connection, answer.body.data() + begin, std::min(answer.blockBytes, last - begin)))
                return;
        }
    } while (answer.repeats && last > 0 && !m_ends);
    while (answer.stallAfter && !m_ends) {
        pollfd waiting{.fd = connection, .events = POLLRDHUP, .revents = 0};
        if (::poll(&waiting, 1, pollMilliseconds) > 0)
            return;  // the client gave up
    }
}

HttpAnswer answerWithFile(const HttpRequest& request, const std::string& content, const std::string& sha256,
                          const std::string& tag) {
    HttpAnswer answer;
    answer.headers = {{"ETag", tag}, {"X-Repo-Commit", "c0ffee"}};
    if (request.method == "HEAD") {
        answer.headers["X-Linked-Size"] = answer.headers["Content-Length"] = std::to_string(content.size());
        answer.headers["X-Linked-Etag"] = "\"" + sha256 + "\"";
        return answer;
    }
    const std::string range = request.header("range");
    const std::string onlyIf = request.header("if-range");
    if (range.empty() || (!onlyIf.empty() && onlyIf != tag)) {
        answer.body = content;
        return answer;
    }
    const std::size_t begin = std::stoull(range.substr(std::string("bytes=").size()));
    const std::string total = std::to_string(content.size());
    if (begin >= content.size()) {
        answer.status = 416;
        answer.headers["Content-Range"] = "bytes */" + total;
        return answer;
    }
    answer.status = 206;
    answer.body = content.substr(begin);
    answer.headers["Content-Range"] =
        "bytes " + std::to_string(begin) + "-" + std::to_string(content.size() - 1) + "/" + total;
    return answer;
}

}  // namespace meshreel::testing
