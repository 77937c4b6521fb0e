// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/serve/web_exchange.h"

namespace meshreel {

/// What one client, and all together, may take of a server.
struct WebLimits {
    std::uint64_t body = std::uint64_t{512} << 20;  ///< bytes of a form, files included
    std::uint64_t text = std::uint64_t{16}
                         << 20;         ///< bytes of any other body, and of a form's fields together
    int files = 32;                     ///< of a form
    int fields = 200;                   ///< of a form
    std::chrono::seconds silence{30};   ///< after which a connection is cut that brings nothing
    std::chrono::seconds headers{60};   ///< for all headers, however steadily they come
    std::chrono::seconds upload{1800};  ///< for a whole body
    unsigned connections = 512;
    unsigned connectionsOfAddress = 256;
};

struct WebServerOptions {
    std::string address = "127.0.0.1";  ///< in numbers, or "localhost"
    std::uint16_t port = 0;             ///< 0: any that is free
    std::string certificate = {};       ///< PEM; empty: no TLS
    std::string privateKey = {};        ///< PEM
    std::filesystem::path uploads;      ///< folder in which each request that brings files has one
    WebLimits limits = {};
};

/// An HTTP server, by libmicrohttpd: a thread for each connection, as answers may be made slowly and streams
/// last as long as a run. docs/serve.md says why this library.
class WebServer {
  public:
    /// Called when the headers are read; an answer keeps the body from being read.
    using Entry = std::function<std::optional<WebAnswer>(const WebRequest&)>;
    /// Called with the whole request. What it throws is answered with 500.
    using Handler = std::function<WebAnswer(WebRequest&)>;

    /// Listens at once. Throws Error{Project} for an address or certificate that cannot be used, Error{Input}
    /// for a port that is taken.
    WebServer(WebServerOptions options, Entry entry, Handler handler);
    /// Waits for the connections to end: streams of answers have to end by themselves before.
    ~WebServer();
    WebServer(const WebServer&) = delete;
    WebServer& operator=(const WebServer&) = delete;

    [[nodiscard]] std::uint16_t port() const;

  private:
    struct Inside;

    std::unique_ptr<Inside> m_inside;
};

}  // namespace meshreel
