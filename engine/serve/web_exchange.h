// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace meshreel {

/// Texts by name.
using WebFields = std::map<std::string, std::string, std::less<>>;

/// A file that came with a form.
struct UploadedFile {
    std::string field;           ///< its name in the form
    std::string name;            ///< as the client calls it; never part of a path here
    std::filesystem::path path;  ///< in the request's own folder
};

/// What a client asks, whatever it was sent by.
struct WebRequest {
    std::string method;     ///< "GET"; a HEAD is one, too
    std::string path;       ///< percent-decoded, without the query
    WebFields query;        ///< percent-decoded
    WebFields headers;      ///< names in small letters; of several of one name the last
    WebFields fields = {};  ///< of a form
    std::vector<UploadedFile> files = {};
    std::string body = {};  ///< when it is no form
    /// Folder of the files, made when the first comes; gone with the request unless `keepsUploads`. Its name
    /// is a newRunId().
    std::filesystem::path uploads = {};
    bool keepsUploads = false;

    /// Empty when there is no such header.
    [[nodiscard]] std::string header(std::string_view name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? std::string() : found->second;
    }
};

/// A part of an open file, which it closes unless that was released.
class FileSlice {
  public:
    /// Takes the descriptor.
    FileSlice(int descriptor, std::uint64_t offset, std::uint64_t length)
        : m_descriptor(descriptor), m_offset(offset), m_length(length) {}
    FileSlice(FileSlice&& other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1)),
          m_offset(other.m_offset),
          m_length(other.m_length) {}
    FileSlice& operator=(FileSlice&& other) noexcept {
        std::swap(m_descriptor, other.m_descriptor);
        m_offset = other.m_offset;
        m_length = other.m_length;
        return *this;
    }
    FileSlice(const FileSlice&) = delete;
    FileSlice& operator=(const FileSlice&) = delete;
    ~FileSlice() {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }

    [[nodiscard]] std::uint64_t offset() const { return m_offset; }
    [[nodiscard]] std::uint64_t length() const { return m_length; }
    /// Makes the descriptor the caller's.
    int release() { return std::exchange(m_descriptor, -1); }

  private:
    int m_descriptor;
    std::uint64_t m_offset;
    std::uint64_t m_length;
};

/// A body that is made while it is sent. Called on the thread of the connection, which it may hold up;
/// returns nothing when the body has ended, and throws where the connection is to be cut.
using WebStream = std::function<std::optional<std::string>()>;

/// What a client is told.
struct WebAnswer {
    unsigned status = 200;
    std::string type = "application/json";
    std::variant<std::string, FileSlice, WebStream> body = std::string();
    std::vector<std::pair<std::string, std::string>> headers = {};
};

}  // namespace meshreel
