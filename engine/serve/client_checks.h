// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/serve/web_exchange.h"

namespace meshreel {

/// Returns the text with small letters of ASCII in place of capital ones.
std::string inSmallLetters(std::string_view text);

/// Returns whether an address that a server listens on is reached from this machine only: 127.0.0.0/8, ::1
/// and "localhost".
bool isLoopback(std::string_view address);

/// Returns whether a client that writes this Host header means a server that listens on `address`. A page of
/// somebody else whose name was made to lead here writes its own name (DNS rebinding), and is refused: known
/// are "localhost" and this machine's name, loopback addresses and `address`; on all addresses ("0.0.0.0",
/// "::") any that is written in numbers, as no name leads there.
bool isKnownHost(std::string_view header, std::string_view address);

/// Compares in a time that depends on the length of `given` alone.
bool isSameSecret(std::string_view secret, std::string_view given);

/// Returns the key in a file: its first line. Throws Error{Project} when others may read the file, and for a
/// key of less than 16 characters or with spaces; Error{Input} when it cannot be read.
std::string readKeyFile(const std::filesystem::path& file);

/// Where a server is, and who may use it.
struct ServerAccess {
    std::string address = "127.0.0.1";
    std::string key = {};  ///< empty: everybody who reaches it
};

/// Throws Error{Project} for an address that others reach, without a key.
void requireKeyBeyondLoopback(const ServerAccess& access);

/// Returns why a request is refused before its body is read: a foreign Host (421), a page of another origin
/// (403), no key or another (401, but for /health). Nothing for one that is let in.
std::optional<WebAnswer> refusedEntry(const WebRequest& request, const ServerAccess& access);

/// Part of a file that a client asks for.
struct WebRange {
    std::uint64_t first = 0;
    std::uint64_t length = 0;

    friend bool operator==(const WebRange&, const WebRange&) = default;
};

/// Returns the range of a Range header (RFC 9110, 14.2) within `size` bytes: one of "bytes=A-B", "bytes=A-",
/// "bytes=-N". The whole for any other text, which servers may ignore; nothing when it lies outside.
std::optional<WebRange> requestedRange(std::string_view header, std::uint64_t size);

/// An error as OpenAI's clients read it: {"error": {"message", "type", "param", "code"}}. `param`: the field
/// or key to blame, or empty.
WebAnswer webError(unsigned status, std::string_view code, std::string_view message,
                   std::string_view param = {});

}  // namespace meshreel
