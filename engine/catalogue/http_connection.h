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

/// Keyed by names in lower case.
using HttpHeaders = std::map<std::string, std::string>;

/// Returns the text with ASCII capitals in lower case.
std::string lowerCase(std::string text);

/// Returns an empty string when absent.
std::string valueIn(const HttpHeaders& headers, const std::string& name);

/// Returns a whole number from 0; nothing when the header is missing or anything else.
std::optional<std::uint64_t> numberIn(const HttpHeaders& headers, const std::string& name);

/// How a request ended, and so whether to try again.
enum class HttpOutcome : std::uint8_t {
    Answered,  ///< with a status, possibly a refusal
    Broken,    ///< the connection stalled or ended
    Dropped,   ///< the receiver of the body wanted no more of it
    NoServer,  ///< its name or its port is not there: without a network, waiting would only hide it
    Hopeless,  ///< the address, the certificate or a proxy is wrong, or the answer has no end
};

/// What a person must do before asking again helps.
enum class HttpNeed : std::uint8_t {
    Nothing,
    Certificate,  ///< the server's is of an authority that is not known, or the list of them is not there
    ProxyLogin,   ///< the proxy asks for a user and a password
};

/// An answer to one request: the last one's status and headers, where several were redirected.
struct HttpAnswer {
    HttpOutcome outcome = HttpOutcome::Answered;
    long status = 0;
    HttpHeaders headers;
    HttpNeed need = HttpNeed::Nothing;
    std::string reason;  ///< in English, when there is no answer; never quotes a password
    std::string words;   ///< what the server says with another status than 200 and 206, 64 KiB at most
};

/// Returns whether the answer leads elsewhere.
bool isRedirection(const HttpAnswer& answer);

/// Returns whether the server may answer another time.
bool isBusy(const HttpAnswer& answer);

/// After which time the server wants to be asked again: seconds or a date (RFC 9110, 10.2.3).
std::optional<std::chrono::seconds> retryAfter(const HttpHeaders& headers);

/// Where a part of a file begins and how long the whole is: "bytes 100-199/200", "bytes */200".
struct ContentRange {
    std::optional<std::uint64_t> begin;
    std::optional<std::uint64_t> total;
};

/// Parses "content-range"; both values are absent without the header.
ContentRange contentRange(const HttpHeaders& headers);

/// An address of http or https, taken apart as libcurl does when it asks there.
struct HttpAddress {
    bool encrypted = false;
    std::string host;         ///< in lower case; IPv6 in brackets
    std::string port;         ///< also where the address leaves it out
    std::string credentials;  ///< "user:password"; empty when it names nobody
    std::string plain;        ///< the address without them

    /// Returns whether the host is one of this machine's loopback addresses, not a name that only looks like
    /// one.
    [[nodiscard]] bool isLoopback() const;
    [[nodiscard]] bool hasSameOrigin(const HttpAddress& other) const;
};

/// Returns nothing when the URL is not such an address.
std::optional<HttpAddress> parseHttpAddress(const std::string& url);

/// "https://huggingface.co/a" -> "huggingface.co"; with the port where the address names one, and never with
/// a user or a password.
std::string hostOf(const std::string& url);

/// Returns a text that may quote an address, with nothing of a user and a password in it.
std::string withoutCredentials(const std::string& text);

/// One connection to a server, kept from request to request. libcurl reads the variables of proxies itself;
/// what goes to this machine goes through none. No answer is waited for without end: headers have as long as
/// a connection and a stall take and a bounded size, a body has a least speed, redirections a number.
/// Requests throw Error{Cancelled} on the token's stop.
class HttpConnection {
  public:
    struct Server {
        std::string address;      ///< base of all requests; an encrypted one is never redirected elsewhere
        std::string token;        ///< goes to its host and port only, and only over https or to this machine
        std::string credentials;  ///< "user:password" in its place; goes to its host and port only
        std::chrono::seconds stall;  ///< below the least speed, after which a request is given up
    };
    /// Takes the bytes of a file, or of a part of it (200, 206), with the answer that they belong to; false
    /// ends the request. The bodies of other answers are HttpAnswer::words.
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

    /// Sends JSON, and takes the answer's body. Follows no redirection: what was sent is for this server. All
    /// of it takes `deadline` at most; an answer that is not whole by then is Broken. Throws what `body`
    /// throws.
    HttpAnswer post(const std::string& url, const std::string& json, std::chrono::seconds deadline,
                    const Body& body);

    /// Returns a part of a path as it stands in an address.
    [[nodiscard]] std::string escaped(const std::string& part) const;

  private:
    class Handle;
    std::unique_ptr<Handle> m_handle;
};

}  // namespace meshreel
