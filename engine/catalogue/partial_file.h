// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"

struct evp_md_ctx_st;

namespace meshreel {

/// Computes SHA-256 incrementally.
class Sha256 {
  public:
    Sha256();

    void restart();
    void add(std::span<const char> bytes);

    /// Returns the digest in hexadecimal. Nothing may be added afterwards.
    std::string digits();

  private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> m_context;
};

/// Returns the SHA-256 of a whole file; empty when it cannot be read. Throws Error{Cancelled}.
std::string computeSha256(const std::filesystem::path& file, const StopToken& stop);

/// Returns what to say of a file or folder that could not be written, for an errno.
Error notWritten(const std::filesystem::path& file, int code);

/// A regular file that is open as long as the object lives. Throws notWritten() for links, pipes and devices.
class OpenFile {
  public:
    OpenFile(const std::filesystem::path& path, int flags);
    ~OpenFile();
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
    int m_descriptor = -1;
};

/// What a file of an earlier run holds already, with what is needed to continue with it. It lies beside its
/// target under the name of partialPath(), with a note of what its rest has to be of. Writing throws
/// notWritten().
class PartialFile {
  public:
    /// `sha256`: of the whole file, if it is known; a beginning of another one is dropped.
    PartialFile(const std::filesystem::path& target, const std::string& sha256, const StopToken& stop);

    [[nodiscard]] std::uint64_t size() const { return m_size; }
    [[nodiscard]] const std::string& tag() const { return m_tag; }

    void restart();

    /// What the bytes from now on belong to.
    void keepNote(const std::string& tag, const std::string& sha256);

    void append(std::span<const char> bytes);

    /// Once, when all bytes are there.
    std::string sha256() { return m_hash.digits(); }

    /// Gives the file its name. Readers never see less than all of it.
    void putIntoPlace();

    /// Removes the file and its note.
    void remove() { removeWithNote(m_target); }

    /// What is left of earlier runs for a target.
    static void removeWithNote(const std::filesystem::path& target);

  private:
    std::filesystem::path m_target;
    OpenFile m_file;
    Sha256 m_hash;
    std::uint64_t m_size = 0;
    std::string m_tag;
};

}  // namespace meshreel
