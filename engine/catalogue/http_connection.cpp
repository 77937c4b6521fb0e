// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/http_connection.h"

#include <curl/curl.h>
#include <fmt/format.h>

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
bool isPrivate(const std::string& url) {
    const std::string host = hostOf(url);
    const std::string name =
        host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
    return url.starts_with("https://") || name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

/// The certificates of authorities. libcurl knows only their place on the system that it was built on.
std::string authoritiesFile() {
    if (const char* asked = std::getenv("SSL_CERT_FILE"); asked != nullptr && *asked != '\0')
        return asked;
    for (const char* usual : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                              "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
        if (isFile(usual))
            return usual;
    return {};
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
};

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

std::string hostOf(const std::string& url) {
    const std::size_t begin = url.find("://");
    const std::string rest = begin == std::string::npos ? url : url.substr(begin + 3);
    const std::string authority = rest.substr(0, rest.find('/'));
    return authority.substr(authority.rfind('@') == std::string::npos ? 0 : authority.rfind('@') + 1);
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
        constexpr long connectSeconds = 20;
        constexpr long mostRedirections = 8;
        constexpr long bufferBytes = 256 * 1024;
        const bool encrypted = m_server.address.starts_with("https://");
        set(CURLOPT_URL, url.c_str());
        set(CURLOPT_USERAGENT, fmt::format("meshreel/{}", versionNumber()).c_str());
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_MAXREDIRS, mostRedirections);
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_REDIR_PROTOCOLS_STR, encrypted ? "https" : "http,https");
        set(CURLOPT_CONNECTTIMEOUT, connectSeconds);
        set(CURLOPT_LOW_SPEED_LIMIT, 1L);
        set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(m_server.stall.count()));
        set(CURLOPT_BUFFERSIZE, bufferBytes);
        if (!m_authorities.empty())
            set(CURLOPT_CAINFO, m_authorities.c_str());
        set(CURLOPT_ERRORBUFFER, m_reason.data());
        m_reason.front() = '\0';
        // libcurl sends this to no other host that it is redirected to.
        if (!m_server.token.empty() && isPrivate(m_server.address)) {
            set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
            set(CURLOPT_XOAUTH2_BEARER, m_server.token.c_str());
        }
    }

    HttpAnswer perform(const Body& body) {
        m_answer = {};
        m_body = &body;
        m_failure = nullptr;
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
        m_answer.reason = m_reason.front() != '\0' ? m_reason.data() : curl_easy_strerror(code);
        if (m_failure)
            std::rethrow_exception(m_failure);
        throwIfStopped(m_stop);
        return std::move(m_answer);
    }

    [[nodiscard]] std::string escaped(const std::string& part) const {
        const std::unique_ptr<char, void (*)(void*)> text(
            curl_easy_escape(m_curl.get(), part.c_str(), static_cast<int>(part.size())), curl_free);
        return text ? text.get() : part;
    }

  private:
    static std::size_t takeHeader(char* bytes, std::size_t, std::size_t count, void* self) {
        constexpr std::size_t mostHeaders = 500;
        HttpAnswer& answer = static_cast<Handle*>(self)->m_answer;
        const std::string_view line(bytes, count);
        if (line.starts_with("HTTP/"))
            answer.headers.clear();  // of the answer that redirected
        else if (const std::size_t colon = line.find(':');
                 colon != std::string_view::npos && answer.headers.size() < mostHeaders)
            answer.headers[lowerCase(std::string(line.substr(0, colon)))] =
                withoutBlanks(line.substr(colon + 1));
        return count;
    }

    static std::size_t takeBody(char* bytes, std::size_t, std::size_t count, void* self) {
        auto& handle = *static_cast<Handle*>(self);
        curl_easy_getinfo(handle.m_curl.get(), CURLINFO_RESPONSE_CODE, &handle.m_answer.status);
        try {
            if (!*handle.m_body || (*handle.m_body)(handle.m_answer, std::span(bytes, count)))
                return count;
        } catch (...) {
            handle.m_failure = std::current_exception();
        }
        return CURL_WRITEFUNC_ERROR;
    }

    static int mustStop(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
        return static_cast<Handle*>(self)->m_stop.stop_requested() ? 1 : 0;
    }

    Server m_server;
    StopToken m_stop;
    std::unique_ptr<CURL, CurlFree> m_curl;
    std::string m_authorities = authoritiesFile();
    std::array<char, CURL_ERROR_SIZE> m_reason{};
    HttpAnswer m_answer;
    const Body* m_body = nullptr;
    std::exception_ptr m_failure;
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
    m_handle->prepare(url);
    m_handle->set(CURLOPT_FOLLOWLOCATION, 1L);
    std::unique_ptr<curl_slist, CurlFree> headers;
    if (from > 0) {
        m_handle->set(CURLOPT_RANGE, fmt::format("{}-", from).c_str());
        if (!tag.empty()) {
            headers.reset(curl_slist_append(nullptr, ("If-Range: " + tag).c_str()));
            m_handle->set(CURLOPT_HTTPHEADER, headers.get());
        }
    }
    return m_handle->perform(body);
}

std::string HttpConnection::escaped(const std::string& part) const {
    return m_handle->escaped(part);
}

}  // namespace meshreel
