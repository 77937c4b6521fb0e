// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace meshreel::testing {

/// A connection to a server on this machine, which sends and reads bytes as they are.
class SocketClient {
  public:
    explicit SocketClient(std::uint16_t port) : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        constexpr timeval patience{.tv_sec = 60, .tv_usec = 0};
        ::setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        m_isConnected = ::connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~SocketClient() { ::close(m_socket); }
    SocketClient(const SocketClient&) = delete;
    SocketClient& operator=(const SocketClient&) = delete;

    [[nodiscard]] bool isConnected() const { return m_isConnected; }

    /// Returns false when the server does not take all of it.
    bool send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    /// Returns what comes until the server ends the connection, until `end` was read, or nothing comes for a
    /// minute.
    [[nodiscard]] std::string read(std::string_view end = {}) const {
        std::string all;
        std::array<char, 16384> block{};
        while (end.empty() || all.find(end) == std::string::npos) {
            const ssize_t got = ::recv(m_socket, block.data(), block.size(), 0);
            if (got <= 0)
                break;
            all.append(block.data(), static_cast<std::size_t>(got));
        }
        return all;
    }

  private:
    int m_socket;
    bool m_isConnected = false;
};

/// What a server answered.
struct RawAnswer {
    int status = 0;  ///< 0: nothing
    std::string head;
    std::string body;
};

/// The body that chunks carry (RFC 9112, 7.1); what is malformed is left out.
inline std::string joinedChunks(const std::string& chunks) {
    constexpr int hexadecimal = 16;
    std::string body;
    for (std::size_t at = 0; at < chunks.size();) {
        const std::size_t lineEnd = chunks.find("\r\n", at);
        const std::size_t size = std::strtoul(chunks.c_str() + at, nullptr, hexadecimal);
        if (lineEnd == std::string::npos || size == 0 || size > chunks.size())
            break;
        body += chunks.substr(lineEnd + 2, size);
        at = lineEnd + 2 + size + 2;
    }
    return body;
}

inline RawAnswer parseAnswer(const std::string& bytes) {
    constexpr std::string_view protocol = "HTTP/1.1 ";
    const std::size_t end = bytes.find("\r\n\r\n");
    if (!bytes.starts_with(protocol) || end == std::string::npos)
        return {};
    RawAnswer answer{.status = std::stoi(bytes.substr(protocol.size(), 3)),
                     .head = bytes.substr(0, end + 2),
                     .body = bytes.substr(end + 4)};
    if (answer.head.find("Transfer-Encoding: chunked") != std::string::npos)
        answer.body = joinedChunks(answer.body);
    return answer;
}

/// Sends one request as it is and reads the answer to its end.
inline RawAnswer askRaw(std::uint16_t port, std::string_view request) {
    const SocketClient client(port);
    client.send(request);
    return parseAnswer(client.read());
}

/// A request of these lines, which ends the connection.
inline RawAnswer ask(std::uint16_t port, const std::string& method, const std::string& path,
                     const std::string& body = {}, const std::string& headers = {},
                     const std::string& host = "127.0.0.1") {
    std::string request =
        method + ' ' + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + headers;
    if (!body.empty())
        request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return askRaw(port, request + "\r\n" + body);
}

}  // namespace meshreel::testing
