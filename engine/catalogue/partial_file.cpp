// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "engine/base/disk_calls.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/base/write_failure.h"
#include "engine/catalogue/model_offers.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

fs::path noteOf(const fs::path& partial) {
    return partial.string() + ".json";
}

json readNote(const fs::path& file) {
    try {
        return readJsonObject(file);
    } catch (const Error&) {
        return json::object();  // none, or one that a power cut damaged: the file begins anew
    }
}

/// Adds the rest of an open file to a hash, and counts its bytes; returns nothing when it cannot be read.
std::optional<std::uint64_t> addTo(Sha256& hash, int descriptor, const StopToken& stop) {
    constexpr std::size_t blockBytes = 1 << 20;
    std::vector<char> block(blockBytes);
    std::uint64_t size = 0;
    for (;;) {
        throwIfStopped(stop);
        const ssize_t got = ::read(descriptor, block.data(), block.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return std::nullopt;
        if (got == 0)
            return size;
        hash.add(std::span(block).first(static_cast<std::size_t>(got)));
        size += static_cast<std::uint64_t>(got);
    }
}

}  // namespace

Sha256::Sha256() : m_context(EVP_MD_CTX_new()) {
    restart();
}

void Sha256::restart() {
    EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr);
}

void Sha256::add(std::span<const char> bytes) {
    EVP_DigestUpdate(m_context.get(), bytes.data(), bytes.size());
}

std::string Sha256::digits() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(m_context.get(), digest.data(), &size);
    return fmt::format("{:02x}", fmt::join(digest.data(), digest.data() + size, ""));
}

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
    EVP_MD_CTX_free(context);
}

std::string computeSha256(const fs::path& file, const StopToken& stop) {
    std::optional<OpenFile> open;
    try {
        open.emplace(file, O_RDONLY);
    } catch (const Error&) {
        return {};
    }
    Sha256 hash;
    return addTo(hash, open->descriptor(), stop) ? hash.digits() : std::string();
}

Error notWritten(const fs::path& file, int code) {
    if (saysFull(code))
        return {ErrorKind::Resources,
                sentence("the disk is full ({}; {} free)", std::strerror(code),
                         formatBytes(freeDiskSpace(file.parent_path()))),
                withTilde(file),
                sentence("Free space, then start the download again: it goes on where it ended")};
    return {ErrorKind::Input, sentence("the file could not be written ({})", std::strerror(code)),
            withTilde(file), writeCure(code, sentence("Choose a models folder that you may write to"))};
}

OpenFile::OpenFile(const fs::path& path, int flags) : m_path(path) {
    constexpr mode_t mode = 0666;  // minus the umask
    m_descriptor = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
    struct stat status {};
    if (m_descriptor < 0 || ::fstat(m_descriptor, &status) != 0)
        throw notWritten(path, errno);
    if (!S_ISREG(status.st_mode)) {
        ::close(m_descriptor);
        throw notWritten(path, EINVAL);
    }
}

OpenFile::~OpenFile() {
    ::close(m_descriptor);
}

PartialFile::PartialFile(const fs::path& target, const std::string& sha256, const StopToken& stop)
    : m_target(target), m_file(partialPath(target), O_RDWR | O_CREAT) {
    const json note = readNote(noteOf(m_file.path()));
    const auto text = [&note](const char* key) {
        const auto found = note.find(key);
        return found != note.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    m_tag = text("etag");
    // Without a tag or a hash, nothing would show that the rest belongs to another version of the file.
    const bool mayGoOn = text("sha256") == sha256 && !(m_tag.empty() && sha256.empty());
    const std::optional<std::uint64_t> there =
        mayGoOn ? addTo(m_hash, m_file.descriptor(), stop) : std::nullopt;
    if (there)
        m_size = *there;
    else
        restart();
}

void PartialFile::restart() {
    if (::ftruncate(m_file.descriptor(), 0) != 0 || ::lseek(m_file.descriptor(), 0, SEEK_SET) != 0)
        throw notWritten(m_file.path(), errno);
    m_size = 0;
    m_hash.restart();
}

void PartialFile::keepNote(const std::string& tag, const std::string& sha256) {
    m_tag = tag;
    writeFileAtomically(noteOf(m_file.path()), json{{"etag", tag}, {"sha256", sha256}}.dump() + "\n");
}

void PartialFile::append(std::span<const char> bytes) {
    m_hash.add(bytes);
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_file.descriptor(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            throw notWritten(m_file.path(), errno);
        m_size += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void PartialFile::putIntoPlace() {
    if (const int code = syncDescriptor(m_file.descriptor()); code != 0)
        throw notWritten(m_file.path(), code);
    if (const int code = renameToFree(m_file.path(), m_target); code != 0)
        throw notWritten(m_target, code);
    std::error_code ignored;
    fs::remove(noteOf(m_file.path()), ignored);
    if (const int code = syncFolder(m_target.parent_path()); code != 0)
        throw notWritten(m_target, code);
}

void PartialFile::removeWithNote(const fs::path& target) {
    std::error_code ignored;
    const fs::path partial = partialPath(target);
    fs::remove(partial, ignored);
    fs::remove(noteOf(partial), ignored);
}

}  // namespace meshreel
