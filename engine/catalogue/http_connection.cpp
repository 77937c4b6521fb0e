// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/http_connection.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/version.h"

namespace meshreel {
namespace {

using std::chrono::seconds;

std::string_view withoutBlanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::uint64_t> wholeNumber(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

/// Nobody between the two programs can read what is sent.
bool isPrivate(const HttpAddress& address) {
    return address.encrypted || address.isLoopback();
}

/// Hosts that no proxy is asked for: those of the user, and this machine.
std::string hostsWithoutProxy(const HttpAddress& server) {
    std::string hosts;
    for (const char* variable : {"NO_PROXY", "no_proxy"})
        if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
            hosts = value;  // libcurl, too, prefers the small letters
    if (withoutBlanks(hosts) == "*")
        return hosts;
    const std::string name =
        server.host.starts_with('[') ? server.host.substr(1, server.host.size() - 2) : server.host;
    return hosts.empty() ? name : hosts + "," + name;
}

/// Where the certificates of authorities lie: libcurl knows only their place on the system that it was built
/// on.
struct Authorities {
    std::string file;
    std::string folder;
};

/// The variables of OpenSSL, of Python's requests (which huggingface_hub asks with) and of curl; the first
/// that is set counts. A folder is one in which each certificate has its hash as a name.
Authorities askedAuthorities() {
    for (const char* variable : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_DIR"})
        if (const char* asked = std::getenv(variable); asked != nullptr && *asked != '\0')
            return isFolder(asked) ? Authorities{.file = {}, .folder = asked}
                                   : Authorities{.file = asked, .folder = {}};
    for (const char* usual : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                              "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
        if (isFile(usual))
            return {.file = usual, .folder = {}};
    return {};
}

bool isOfCertificates(CURLcode code) {
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM ||
           code == CURLE_SSL_CACERT_BADFILE;
}

HttpOutcome outcomeOf(CURLcode code) {
    switch (code) {
        case CURLE_OK:
            return HttpOutcome::Answered;
        case CURLE_WRITE_ERROR:
            return HttpOutcome::Dropped;
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_CONNECT:
            return HttpOutcome::NoServer;
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_URL_MALFORMAT:
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_TOO_MANY_REDIRECTS:
            return HttpOutcome::Hopeless;
        default:
            return HttpOutcome::Broken;
    }
}

struct CurlFree {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
    void operator()(CURLU* address) const { curl_url_cleanup(address); }
};

/// Returns an empty string when the address has no such part.
std::string partOf(CURLU* address, CURLUPart part, unsigned int flags = 0) {
    char* text = nullptr;
    if (curl_url_get(address, part, &text, flags) != CURLUE_OK)
        return {};
    const std::unique_ptr<char, void (*)(void*)> owner(text, curl_free);
    return text;
}

}  // namespace

std::string lowerCase(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) {
        return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter);
    });
    return text;
}

std::string valueIn(const HttpHeaders& headers, const std::string& name) {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
}

std::optional<std::uint64_t> numberIn(const HttpHeaders& headers, const std::string& name) {
    return wholeNumber(valueIn(headers, name));
}

bool isRedirection(const HttpAnswer& answer) {
    const long status = answer.status;
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool isBusy(const HttpAnswer& answer) {
    const long status = answer.status;
    return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

std::optional<seconds> retryAfter(const HttpHeaders& headers) {
    const std::string value = valueIn(headers, "retry-after");
    if (const auto number = wholeNumber(value))
        return seconds(static_cast<std::int64_t>(std::min<std::uint64_t>(*number, 1U << 30U)));
    if (const std::time_t when = value.empty() ? -1 : curl_getdate(value.c_str(), nullptr); when >= 0)
        return seconds(std::max<std::time_t>(0, when - std::time(nullptr)));
    return std::nullopt;
}

ContentRange contentRange(const HttpHeaders& headers) {
    const std::string value = valueIn(headers, "content-range");
    constexpr std::string_view unit = "bytes ";
    if (!lowerCase(value).starts_with(unit))
        return {};
    const std::size_t dash = value.find('-');
    const std::size_t slash = value.find('/');
    ContentRange range;
    if (slash != std::string::npos)
        range.total = wholeNumber(std::string_view(value).substr(slash + 1));
    if (dash != std::string::npos && dash > unit.size())
        range.begin = wholeNumber(std::string_view(value).substr(unit.size(), dash - unit.size()));
    return range;
}

std::optional<HttpAddress> parseHttpAddress(const std::string& url) {
    const std::unique_ptr<CURLU, CurlFree> parts(curl_url());
    if (!parts || curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
        return std::nullopt;
    const std::string scheme = lowerCase(partOf(parts.get(), CURLUPART_SCHEME));
    HttpAddress address{.encrypted = scheme == "https",
                        .host = lowerCase(partOf(parts.get(), CURLUPART_HOST)),
                        .port = partOf(parts.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT),
                        .credentials = {},
                        .plain = {}};
    if ((scheme != "http" && scheme != "https") || address.host.empty())
        return std::nullopt;
    const std::string user = partOf(parts.get(), CURLUPART_USER, CURLU_URLDECODE);
    const std::string password = partOf(parts.get(), CURLUPART_PASSWORD, CURLU_URLDECODE);
    if (!user.empty() || !password.empty())
        address.credentials = user + ":" + password;
    curl_url_set(parts.get(), CURLUPART_USER, nullptr, 0);
    curl_url_set(parts.get(), CURLUPART_PASSWORD, nullptr, 0);
    address.plain = partOf(parts.get(), CURLUPART_URL);
    return address;
}

bool HttpAddress::isLoopback() const {
    const std::string name = host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
    if (name == "localhost" || name == "localhost.")
        return true;
    if (in_addr four{}; ::inet_pton(AF_INET, name.c_str(), &four) == 1)
        return (ntohl(four.s_addr) >> 24U) == 127;
    in6_addr six{};
    return ::inet_pton(AF_INET6, name.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

bool HttpAddress::hasSameOrigin(const HttpAddress& other) const {
    return encrypted == other.encrypted && host == other.host && port == other.port;
}

std::string hostOf(const std::string& url) {
    const std::optional<HttpAddress> address = parseHttpAddress(url);
    if (!address)
        return {};
    const bool usual = address->port == (address->encrypted ? "443" : "80");
    return usual ? address->host : address->host + ":" + address->port;
}

std::string withoutCredentials(const std::string& text) {
    std::string kept;
    std::size_t begin = 0;
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
        // All of the word up to the sign: a password may hold any of an address's other signs.
        const std::size_t blank = text.find_last_of(" \t\r\n\"'", at);
        const std::size_t word = std::max(begin, blank == std::string::npos ? 0 : blank + 1);
        const std::size_t scheme = text.find("://", word);
        kept += text.substr(begin, (scheme < at ? scheme + 3 : word) - begin);
        begin = at + 1;
    }
    return kept + text.substr(begin);
}

/// libcurl's handle with what it calls back for.
class HttpConnection::Handle {
  public:
    Handle(Server server, StopToken stop) : m_server(std::move(server)), m_stop(std::move(stop)) {
        static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
        m_curl.reset(ready == CURLE_OK ? curl_easy_init() : nullptr);
        if (!m_curl)
            throw Error(ErrorKind::Internal, "libcurl does not start");
    }

    template <typename Value>
    void set(CURLoption option, Value value) {
        if (const CURLcode code = curl_easy_setopt(m_curl.get(), option, value); code != CURLE_OK)
            throw Error(ErrorKind::Internal,
                        std::string("libcurl refuses an option: ") + curl_easy_strerror(code));
    }

    void prepare(const std::string& url) {
        curl_easy_reset(m_curl.get());
        constexpr long bufferBytes = 256 * 1024;
        constexpr long leastSpeed = 1024;  // bytes in a second: slower, the smallest model takes weeks
        const std::optional<HttpAddress> address = parseHttpAddress(url);
        const bool encrypted = m_address && m_address->encrypted;
        set(CURLOPT_URL, address ? address->plain.c_str() : url.c_str());
        set(CURLOPT_USERAGENT, fmt::format("meshreel/{}", versionNumber()).c_str());
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_PROTOCOLS_STR, encrypted ? "https" : "http,https");
        set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(connectTime.count()));
        set(CURLOPT_LOW_SPEED_LIMIT, leastSpeed);
        set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(m_server.stall.count()));
        set(CURLOPT_BUFFERSIZE, bufferBytes);
        if (!m_authorities.file.empty())
            set(CURLOPT_CAINFO, m_authorities.file.c_str());
        if (!m_authorities.folder.empty())
            set(CURLOPT_CAPATH, m_authorities.folder.c_str());
        set(CURLOPT_ERRORBUFFER, m_reason.data());
        m_reason.front() = '\0';
        if (m_address && m_address->isLoopback())
            set(CURLOPT_NOPROXY, hostsWithoutProxy(*m_address).c_str());
        if (m_address && address && address->hasSameOrigin(*m_address))
            identify(*address);
    }

    HttpAnswer perform(const Body& body) {
        m_answer = {};
        m_body = &body;
        m_failure = nullptr;
        m_verdict.reset();
        m_headerBytes = 0;
        m_wordBytes = 0;
        m_headersEnded = false;
        m_begin = std::chrono::steady_clock::now();
        set(CURLOPT_HEADERFUNCTION, &Handle::takeHeader);
        set(CURLOPT_HEADERDATA, this);
        set(CURLOPT_WRITEFUNCTION, &Handle::takeBody);
        set(CURLOPT_WRITEDATA, this);
        set(CURLOPT_NOPROGRESS, 0L);
        set(CURLOPT_XFERINFOFUNCTION, &Handle::mustStop);
        set(CURLOPT_XFERINFODATA, this);
        const CURLcode code = curl_easy_perform(m_curl.get());
        curl_easy_getinfo(m_curl.get(), CURLINFO_RESPONSE_CODE, &m_answer.status);
        m_answer.outcome = outcomeOf(code);
        noteNeed(code);
        m_answer.reason =
            withoutCredentials(m_reason.front() != '\0' ? m_reason.data()  // it may quote a proxy
                                                        : curl_easy_strerror(code));
        if (m_failure)
            std::rethrow_exception(m_failure);
        throwIfStopped(m_stop);
        if (m_verdict) {
            m_answer.outcome = m_verdict->outcome;
            m_answer.reason = m_verdict->reason;
        }
        return std::move(m_answer);
    }

    /// Returns where the last answer redirects to; empty if it does not.
    [[nodiscard]] std::string redirection() const {
        char* url = nullptr;
        return curl_easy_getinfo(m_curl.get(), CURLINFO_REDIRECT_URL, &url) == CURLE_OK && url != nullptr
                   ? url
                   : std::string();
    }

    [[nodiscard]] std::string escaped(const std::string& part) const {
        const std::unique_ptr<char, void (*)(void*)> text(
            curl_easy_escape(m_curl.get(), part.c_str(), static_cast<int>(part.size())), curl_free);
        return text ? text.get() : part;
    }

  private:
    static constexpr seconds connectTime{20};

    /// What ended a request before libcurl found anything wrong.
    struct Verdict {
        HttpOutcome outcome;
        std::string reason;
    };

    /// A proxy answers in the server's place, or to the request for a tunnel to it.
    void noteNeed(CURLcode code) {
        constexpr long proxyLogin = 407;
        long ofTunnel = 0;
        curl_easy_getinfo(m_curl.get(), CURLINFO_HTTP_CONNECTCODE, &ofTunnel);
        if (isOfCertificates(code)) {
            m_answer.need = HttpNeed::Certificate;
        } else if (ofTunnel == proxyLogin || m_answer.status == proxyLogin) {
            m_answer.need = HttpNeed::ProxyLogin;
            m_answer.outcome = HttpOutcome::Hopeless;
        }
    }

    /// Tells the server who asks: for its own address only, and the token only where nobody listens.
    void identify(const HttpAddress& address) {
        if (!m_server.credentials.empty()) {
            const std::size_t colon = m_server.credentials.find(':');
            set(CURLOPT_USERNAME, m_server.credentials.substr(0, colon).c_str());
            set(CURLOPT_PASSWORD, m_server.credentials.substr(colon + 1).c_str());
        } else if (!m_server.token.empty() && isPrivate(address)) {
            set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
            set(CURLOPT_XOAUTH2_BEARER, m_server.token.c_str());
        }
    }

    static std::size_t takeHeader(char* bytes, std::size_t, std::size_t count, void* self) {
        constexpr std::size_t mostHeaderBytes = 256 * 1024;
        auto& handle = *static_cast<Handle*>(self);
        HttpHeaders& headers = handle.m_answer.headers;
        handle.m_headerBytes += count;
        if (handle.m_headerBytes > mostHeaderBytes) {
            handle.m_verdict = {HttpOutcome::Hopeless, "its headers have no end"};
            return CURL_WRITEFUNC_ERROR;
        }
        const std::string_view line(bytes, count);
        if (line.starts_with("HTTP/")) {
            headers.clear();  // of an interim answer, such as 100
            handle.m_headersEnded = false;
        } else if (handle.m_headersEnded) {
            return count;  // after the body, where nothing concerns the file
        } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
            headers[lowerCase(std::string(line.substr(0, colon)))] = withoutBlanks(line.substr(colon + 1));
        }
        constexpr long firstFinal = 200;
        long status = 0;
        curl_easy_getinfo(handle.m_curl.get(), CURLINFO_RESPONSE_CODE, &status);
        if (withoutBlanks(line).empty() && status >= firstFinal)
            handle.m_headersEnded = true;
        return count;
    }

    static std::size_t takeBody(char* bytes, std::size_t, std::size_t count, void* self) {
        constexpr std::size_t mostWords = 64 * 1024;
        auto& handle = *static_cast<Handle*>(self);
        curl_easy_getinfo(handle.m_curl.get(), CURLINFO_RESPONSE_CODE, &handle.m_answer.status);
        if (handle.m_answer.status != 200 && handle.m_answer.status != 206) {
            handle.m_wordBytes += count;
            if (handle.m_wordBytes <= mostWords) {
                handle.m_answer.words.append(bytes, count);
                return count;
            }
            handle.m_verdict = {HttpOutcome::Answered, {}};  // its status says all
            return CURL_WRITEFUNC_ERROR;
        }
        try {
            if (!*handle.m_body || (*handle.m_body)(handle.m_answer, std::span(bytes, count)))
                return count;
        } catch (...) {
            handle.m_failure = std::current_exception();
        }
        return CURL_WRITEFUNC_ERROR;
    }

    static int mustStop(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
        auto& handle = *static_cast<Handle*>(self);
        const auto waited = std::chrono::steady_clock::now() - handle.m_begin;
        if (!handle.m_headersEnded && waited > connectTime + handle.m_server.stall) {
            handle.m_verdict = {HttpOutcome::Broken, "no whole answer came in time"};
            return 1;
        }
        return handle.m_stop.stop_requested() ? 1 : 0;
    }

    Server m_server;
    std::optional<HttpAddress> m_address = parseHttpAddress(m_server.address);
    StopToken m_stop;
    std::unique_ptr<CURL, CurlFree> m_curl;
    Authorities m_authorities = askedAuthorities();
    std::array<char, CURL_ERROR_SIZE> m_reason{};
    HttpAnswer m_answer;
    const Body* m_body = nullptr;
    std::exception_ptr m_failure;
    std::optional<Verdict> m_verdict;
    std::size_t m_headerBytes = 0;
    std::size_t m_wordBytes = 0;  ///< of an answer that is not a file
    bool m_headersEnded = false;
    std::chrono::steady_clock::time_point m_begin;
};

HttpConnection::HttpConnection(Server server, StopToken stop)
    : m_handle(std::make_unique<Handle>(std::move(server), std::move(stop))) {}

HttpConnection::~HttpConnection() = default;

HttpAnswer HttpConnection::head(const std::string& url) {
    m_handle->prepare(url);
    m_handle->set(CURLOPT_NOBODY, 1L);
    return m_handle->perform({});
}

HttpAnswer HttpConnection::get(const std::string& url, std::uint64_t from, const std::string& tag,
                               const Body& body) {
    constexpr int mostRedirections = 8;
    std::string asked = url;
    for (int redirections = 0;; ++redirections) {
        m_handle->prepare(asked);
        // A body that is coded on its way is no longer the file.
        std::unique_ptr<curl_slist, CurlFree> headers(
            curl_slist_append(nullptr, "Accept-Encoding: identity"));
        if (from > 0) {
            m_handle->set(CURLOPT_RANGE, fmt::format("{}-", from).c_str());
            if (!tag.empty())
                curl_slist_append(headers.get(), ("If-Range: " + tag).c_str());
        }
        m_handle->set(CURLOPT_HTTPHEADER, headers.get());
        HttpAnswer answer = m_handle->perform(body);
        if (answer.outcome != HttpOutcome::Answered || !isRedirection(answer))
            return answer;
        asked = m_handle->redirection();
        if (asked.empty())
            return answer;
        if (redirections == mostRedirections) {
            answer.outcome = HttpOutcome::Hopeless;
            answer.reason = "one redirection leads to the next";
            return answer;
        }
    }
}

HttpAnswer HttpConnection::post(const std::string& url, const std::string& json,
                                std::chrono::seconds deadline, const Body& body) {
    m_handle->prepare(url);
    std::unique_ptr<curl_slist, CurlFree> headers(
        curl_slist_append(nullptr, "Content-Type: application/json"));
    for (const char* header : {"Accept: application/json", "Accept-Encoding: identity", "Expect:"})
        curl_slist_append(headers.get(), header);
    m_handle->set(CURLOPT_HTTPHEADER, headers.get());
    m_handle->set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(json.size()));
    m_handle->set(CURLOPT_POSTFIELDS, json.data());
    m_handle->set(CURLOPT_TIMEOUT, static_cast<long>(deadline.count()));
    return m_handle->perform(body);
}

std::string HttpConnection::escaped(const std::string& part) const {
    return m_handle->escaped(part);
}

}  // namespace meshreel
