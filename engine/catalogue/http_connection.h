// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/base/stop_token.h"

namespace meshreel {

/// By their names in small letters.
using HttpHeaders = std::map<std::string, std::string>;

/// With small letters for ASCII's capital ones.
std::string lowerCase(std::string text);

/// Empty where there is none.
std::string valueIn(const HttpHeaders& headers, const std::string& name);

/// A whole number from 0; nothing where the header is missing or anything else.
std::optional<std::uint64_t> numberIn(const HttpHeaders& headers, const std::string& name);

/// How a request ended, and so whether to try again.
enum class HttpOutcome : std::uint8_t {
    Answered,  ///< with a status, which may be a refusal
    Broken,    ///< the connection stalled or ended
    Dropped,   ///< whoever takes the body wanted no more of it
    NoServer,  ///< its name or its port is not there: without a network, waiting would only hide it
    Hopeless,  ///< the address, the certificate or a proxy is wrong, or the answer has no end
};

/// An answer to one request: the last one's status and headers, where several were redirected.
struct HttpAnswer {
    HttpOutcome outcome = HttpOutcome::Answered;
    long status = 0;
    HttpHeaders headers;
    std::string reason;  ///< in English, where there is no answer; quotes nobody's password
};

/// Whether the answer leads elsewhere.
bool isRedirection(const HttpAnswer& answer);

/// The server may answer another time.
bool isBusy(const HttpAnswer& answer);

/// After which time the server wants to be asked again: seconds or a date (RFC 9110, 10.2.3).
std::optional<std::chrono::seconds> retryAfter(const HttpHeaders& headers);

/// Where a part of a file begins and how long the whole is: "bytes 100-199/200", "bytes */200".
struct ContentRange {
    std::optional<std::uint64_t> begin;
    std::optional<std::uint64_t> total;
};

/// Of "content-range"; both are missing where there is none.
ContentRange contentRange(const HttpHeaders& headers);

/// An address of http or https, taken apart as libcurl does when it asks there.
struct HttpAddress {
    bool encrypted = false;
    std::string host;         ///< in small letters; of IPv6 in brackets
    std::string port;         ///< also where the address leaves it out
    std::string credentials;  ///< "user:password"; empty where it names nobody
    std::string plain;        ///< the address without them

    /// This machine itself by one of its own addresses: no name that only looks like one.
    [[nodiscard]] bool isLoopback() const;
    [[nodiscard]] bool hasSameOrigin(const HttpAddress& other) const;
};

/// Nothing for what is none.
std::optional<HttpAddress> parseHttpAddress(const std::string& url);

/// "https://huggingface.co/a" -> "huggingface.co"; with the port where the address names one, and never with
/// a user or a password.
std::string hostOf(const std::string& url);

/// A text that may quote an address, with nothing of a user and a password in it.
std::string withoutCredentials(const std::string& text);

/// One connection to a server, kept from request to request. libcurl reads the variables of proxies itself;
/// what goes to this machine goes through none. No answer is waited for without end: headers have as long as
/// a connection and a stall take and a bounded size, a body has a least speed, redirections a number.
/// Requests throw Error{Cancelled} on the token's stop.
class HttpConnection {
  public:
    struct Server {
        std::string address;      ///< of all requests; where it is encrypted, no redirection leads elsewhere
        std::string token;        ///< goes to its host and port only, and only over https or to this machine
        std::string credentials;  ///< "user:password" in its place; goes to its host and port only
        std::chrono::seconds stall;  ///< below the least speed, after which a request is given up
    };
    /// Takes the bytes of a file, or of a part of it (200, 206), with the answer that they belong to; false
    /// ends the request. The words of other answers are passed over.
    using Body = std::function<bool(const HttpAnswer&, std::span<const char>)>;

    HttpConnection(Server server, StopToken stop);
    ~HttpConnection();
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    /// Asks without its body, and without following a redirection.
    HttpAnswer head(const std::string& url);

    /// `from`: bytes that are there already; `tag`: of the version that they are of. Throws what `body`
    /// throws.
    HttpAnswer get(const std::string& url, std::uint64_t from, const std::string& tag, const Body& body);

    /// A part of a path as it stands in an address.
    [[nodiscard]] std::string escaped(const std::string& part) const;

  private:
    class Handle;
    std::unique_ptr<Handle> m_handle;
};

}  // namespace meshreel
