// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/png_text.h"

#include <cstdint>
#include <fstream>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"

namespace meshreel {
namespace {

constexpr std::string_view pngSignature = "\x89PNG\r\n\x1a\n";
constexpr std::string_view textChunk = "iTXt";
constexpr std::string_view headerChunk = "IHDR";
constexpr std::string_view lastChunk = "IEND";
constexpr std::size_t chunkHeadBytes = 8;  // length and name
constexpr std::size_t pngChecksumBytes = 4;
constexpr std::size_t mostKeyword = 79;
constexpr int mostChunks = 100'000;  // of a picture of 8 KiB each, 800 MB

std::uint32_t numberAt(std::string_view bytes) {
    std::uint32_t number = 0;
    for (const char byte : bytes.substr(0, 4))
        number = number << 8U | static_cast<unsigned char>(byte);
    return number;
}

std::string bytesOf(std::uint32_t number) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(number >> shift & 0xFFU);
    return bytes;
}

/// The checksum of a chunk's name and data (PNG specification, annex D).
std::uint32_t checksumOf(std::string_view bytes) {
    constexpr std::uint32_t polynomial = 0xEDB88320U;
    std::uint32_t sum = 0xFFFFFFFFU;
    for (const char byte : bytes) {
        sum ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            sum = (sum & 1U) != 0 ? sum >> 1U ^ polynomial : sum >> 1U;
    }
    return sum ^ 0xFFFFFFFFU;
}

std::string chunkOf(std::string_view name, std::string_view data) {
    const std::string named = std::string(name) + std::string(data);
    return bytesOf(static_cast<std::uint32_t>(data.size())) + named + bytesOf(checksumOf(named));
}

/// Returns whether the data of an iTXt chunk begin with the keyword.
bool hasKeyword(std::string_view data, std::string_view keyword) {
    return data.size() > keyword.size() && data.starts_with(keyword) && data[keyword.size()] == '\0';
}

/// The text of an iTXt chunk: keyword, 0, whether it is packed, how, language, 0, translated keyword, 0,
/// text.
std::optional<std::string> textIn(std::string_view data, std::string_view keyword) {
    if (!hasKeyword(data, keyword))
        return std::nullopt;
    data.remove_prefix(keyword.size() + 1);
    if (data.size() < 2 || data[0] != '\0')
        return std::nullopt;
    data.remove_prefix(2);
    for (int name = 0; name < 2; ++name) {
        const std::size_t end = data.find('\0');
        if (end == std::string_view::npos)
            return std::nullopt;
        data.remove_prefix(end + 1);
    }
    return firstInvalidUtf8(data) ? std::nullopt : std::optional(std::string(data));
}

/// Takes so many bytes of a file; fewer at its end.
std::string takeBytes(std::ifstream& file, std::size_t count) {
    std::string bytes(count, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

}  // namespace

std::optional<std::string> readPngText(const std::filesystem::path& file, std::string_view keyword) {
    if (!isFile(file))  // a pipe would wait
        throw Error(ErrorKind::Input, sentence("there is no such file"), withTilde(file));
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        throw Error(ErrorKind::Input, sentence("the file cannot be read"), withTilde(file));
    if (takeBytes(stream, pngSignature.size()) != pngSignature)
        return std::nullopt;
    for (int chunk = 0; chunk < mostChunks; ++chunk) {
        const std::string head = takeBytes(stream, chunkHeadBytes);
        if (head.size() < chunkHeadBytes)
            return std::nullopt;
        const std::size_t length = numberAt(head);
        const std::string_view name = std::string_view(head).substr(4);
        if (name == lastChunk)
            return std::nullopt;
        if (name != textChunk || length > mostPngTextBytes + mostKeyword) {
            stream.seekg(static_cast<std::streamoff>(length + pngChecksumBytes), std::ios::cur);
            continue;
        }
        const std::string data = takeBytes(stream, length);
        const std::string sum = takeBytes(stream, pngChecksumBytes);
        if (data.size() < length || sum.size() < pngChecksumBytes)
            return std::nullopt;
        if (!hasKeyword(data, keyword))
            continue;
        const bool isWhole = numberAt(sum) == checksumOf(std::string(name) + data);
        return isWhole ? textIn(data, keyword) : std::nullopt;
    }
    return std::nullopt;
}

std::string withPngText(std::string_view png, std::string_view keyword, std::string_view text) {
    if (keyword.empty() || keyword.size() > mostKeyword || text.size() > mostPngTextBytes ||
        firstInvalidUtf8(text) || text.find('\0') != std::string_view::npos)
        throw Error(ErrorKind::Internal, "a text that cannot stand in a PNG", std::string(keyword));
    if (!png.starts_with(pngSignature))
        throw Error(ErrorKind::Input, sentence("the picture is no PNG"));
    const std::string added =
        chunkOf(textChunk, std::string(keyword) + std::string(5, '\0') + std::string(text));
    std::string result(pngSignature);
    bool isWhole = false;
    for (std::size_t at = pngSignature.size();
         at + chunkHeadBytes + pngChecksumBytes <= png.size() && !isWhole;) {
        const std::size_t bytes = chunkHeadBytes + numberAt(png.substr(at)) + pngChecksumBytes;
        if (bytes > png.size() - at)
            break;
        const std::string_view name = png.substr(at + 4, 4);
        const bool isReplaced = name == textChunk && hasKeyword(png.substr(at + chunkHeadBytes), keyword);
        if (!isReplaced)
            result += png.substr(at, bytes);
        if (name == headerChunk)
            result += added;  // before the pixels: readers find it at once
        isWhole = name == lastChunk;
        at += bytes;
    }
    if (!isWhole)
        throw Error(ErrorKind::Input, sentence("the picture is no PNG"));
    return result;
}

}  // namespace meshreel
