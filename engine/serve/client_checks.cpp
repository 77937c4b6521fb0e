// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/client_checks.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/held_file.h"
#include "engine/base/limits.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"

namespace meshreel {
namespace {

/// An address of either family in sixteen bytes; those of IPv4 as ::ffff:a.b.c.d.
using AddressBytes = std::array<unsigned char, 16>;

std::optional<AddressBytes> addressBytes(std::string_view text) {
    const std::string zeroEnded(text);
    AddressBytes bytes{};
    if (::inet_pton(AF_INET6, zeroEnded.c_str(), bytes.data()) == 1)
        return bytes;
    constexpr std::size_t mappedAt = 12;
    bytes = {};
    bytes[mappedAt - 2] = bytes[mappedAt - 1] = 0xff;
    if (::inet_pton(AF_INET, zeroEnded.c_str(), bytes.data() + mappedAt) == 1)
        return bytes;
    return std::nullopt;
}

bool isLoopbackAddress(const AddressBytes& bytes) {
    constexpr AddressBytes ofVersion6{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    constexpr AddressBytes ofVersion4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127};
    constexpr std::size_t netBytes = 13;  // 127.0.0.0/8
    return bytes == ofVersion6 || std::equal(bytes.begin(), bytes.begin() + netBytes, ofVersion4.begin());
}

bool isAnyAddress(std::string_view address) {
    return address == "0.0.0.0" || address == "::";
}

bool isPort(std::string_view text) {
    constexpr std::size_t mostDigits = 5;
    return !text.empty() && text.size() <= mostDigits &&
           std::ranges::all_of(text, [](char each) { return each >= '0' && each <= '9'; });
}

/// The host of "HOST", "HOST:PORT" or "[ADDRESS]:PORT"; nothing for any other text.
std::optional<std::string_view> hostIn(std::string_view header) {
    std::string_view host = header;
    std::string_view rest;
    if (header.starts_with('[')) {
        const std::size_t end = header.find(']');
        if (end == std::string_view::npos)
            return std::nullopt;
        host = header.substr(1, end - 1);
        rest = header.substr(end + 1);
    } else if (const std::size_t colon = header.find(':'); colon != std::string_view::npos) {
        host = header.substr(0, colon);
        rest = header.substr(colon);
    }
    if (host.empty() || (!rest.empty() && (rest.front() != ':' || !isPort(rest.substr(1)))))
        return std::nullopt;
    return host;
}

std::string machineName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

/// Browsers tell the page that a form or script came from; other clients send no such header.
bool isOfForeignPage(const WebRequest& request) {
    const std::string origin = request.header("origin");
    const std::string host = request.header("host");
    if (!origin.empty() && origin != "http://" + host && origin != "https://" + host)
        return true;
    const std::string site = request.header("sec-fetch-site");
    return !site.empty() && site != "same-origin" && site != "none";
}

std::optional<std::uint64_t> wholeNumber(std::string_view digits) {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return failure == std::errc() && end == digits.data() + digits.size() ? std::optional(number)
                                                                          : std::nullopt;
}

}  // namespace

std::string inSmallLetters(std::string_view text) {
    std::string small(text);
    for (char& each : small)
        if (each >= 'A' && each <= 'Z')
            each = static_cast<char>(each - 'A' + 'a');
    return small;
}

bool isLoopback(std::string_view address) {
    if (address == "localhost")
        return true;
    const std::optional<AddressBytes> bytes = addressBytes(address);
    return bytes && isLoopbackAddress(*bytes);
}

bool isKnownHost(std::string_view header, std::string_view address) {
    const std::optional<std::string_view> given = hostIn(header);
    if (!given)
        return false;
    const std::string host = inSmallLetters(*given);
    if (host == "localhost")
        return isLoopback(address) || isAnyAddress(address);
    const std::optional<AddressBytes> bytes = addressBytes(host);
    if (!bytes)
        return !isLoopback(address) && host == inSmallLetters(machineName());
    if (isAnyAddress(address))
        return true;
    return bytes == addressBytes(address) || (isLoopback(address) && isLoopbackAddress(*bytes));
}

bool isSameSecret(std::string_view secret, std::string_view given) {
    volatile unsigned char differ = secret.size() == given.size() ? 0 : 1;
    for (std::size_t index = 0; index < given.size(); ++index) {
        const char expected = secret.empty() ? '\0' : secret[index % secret.size()];
        differ = static_cast<unsigned char>(differ | static_cast<unsigned char>(expected ^ given[index]));
    }
    return differ == 0 && !secret.empty();
}

std::string readKeyFile(const std::filesystem::path& file) {
    constexpr std::size_t fewestCharacters = 16;
    const HeldFile held(file, Links::Follow);
    struct stat status {};
    if (::fstat(held.descriptor(), &status) != 0 || !S_ISREG(status.st_mode))
        throw Error(ErrorKind::Input, sentence("it is no file"), withTilde(file));
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw Error(ErrorKind::Project, sentence("others may read the key"), withTilde(file),
                    sentence("Keep it to yourself: chmod 600 {}", withTilde(file)));
    const std::string text =
        held.readWith([](const std::filesystem::path& path) { return readFile(path, Limit::Text); });
    std::string key = text.substr(0, text.find('\n'));
    if (key.ends_with('\r'))
        key.pop_back();
    const bool isPrintable = std::ranges::all_of(key, [](char each) { return each > ' ' && each < 0x7f; });
    if (key.size() < fewestCharacters || !isPrintable)
        throw Error(ErrorKind::Project,
                    sentence("its first line is no key of {} or more characters without spaces", 16),
                    withTilde(file), sentence("Make one: openssl rand -hex 32"));
    return key;
}

void requireKeyBeyondLoopback(const ServerAccess& access) {
    if (access.key.empty() && !isLoopback(access.address))
        throw Error(ErrorKind::Project,
                    sentence("on {} others reach the server, and it has no key", access.address), "--host",
                    sentence("Give it one with --key-file, or leave out --host for this machine alone"));
}

std::optional<WebAnswer> refusedEntry(const WebRequest& request, const ServerAccess& access) {
    if (!isKnownHost(request.header("host"), access.address)) {
        constexpr unsigned misdirected = 421;
        return webError(misdirected, "unknown_host",
                        "This server does not have the name in the Host header. Use its address");
    }
    if (isOfForeignPage(request)) {
        constexpr unsigned forbidden = 403;
        return webError(forbidden, "foreign_origin", "Pages of other origins may not use this server");
    }
    if (access.key.empty() || request.path == "/health")
        return std::nullopt;
    constexpr std::string_view scheme = "bearer ";  // RFC 9110, 11.1: in letters of either kind
    const std::string given = request.header("authorization");
    const bool hasScheme = inSmallLetters(given.substr(0, scheme.size())) == scheme;
    if (isSameSecret(access.key, hasScheme ? std::string_view(given).substr(scheme.size()) : ""))
        return std::nullopt;
    constexpr unsigned unauthorized = 401;
    WebAnswer answer = webError(unauthorized, "invalid_api_key",
                                "Send the server's key in the header Authorization: Bearer KEY");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    return answer;
}

std::optional<WebRange> requestedRange(std::string_view header, std::uint64_t size) {
    constexpr std::string_view unit = "bytes=";
    const WebRange whole{.first = 0, .length = size};
    if (!header.starts_with(unit))
        return whole;
    const std::string_view range = header.substr(unit.size());
    const std::size_t dash = range.find('-');
    if (dash == std::string_view::npos)
        return whole;
    const std::string_view firstText = range.substr(0, dash);
    const std::string_view lastText = range.substr(dash + 1);
    const std::optional<std::uint64_t> first = wholeNumber(firstText);
    const std::optional<std::uint64_t> last = wholeNumber(lastText);
    if (firstText.empty()) {
        if (!last)
            return whole;
        const std::uint64_t length = std::min(*last, size);
        return length == 0 ? std::nullopt : std::optional(WebRange{size - length, length});
    }
    if (!first || (!lastText.empty() && (!last || *last < *first)))
        return whole;
    if (*first >= size)
        return std::nullopt;
    const std::uint64_t end = lastText.empty() || *last >= size ? size : *last + 1;
    return WebRange{.first = *first, .length = end - *first};
}

WebAnswer webError(unsigned status, std::string_view code, std::string_view message, std::string_view param) {
    constexpr unsigned firstOfServer = 500;
    nlohmann::ordered_json error;
    error["message"] = wellFormedUtf8(message);
    error["type"] = status >= firstOfServer ? "server_error" : "invalid_request_error";
    error["param"] = param.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(wellFormedUtf8(param));
    error["code"] = std::string(code);
    nlohmann::ordered_json json;
    json["error"] = std::move(error);
    WebAnswer answer;
    answer.status = status;
    answer.body = json.dump();
    return answer;
}

}  // namespace meshreel
