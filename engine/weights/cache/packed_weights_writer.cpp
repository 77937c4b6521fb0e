// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/packed_weights_writer.h"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/error.h"
#include "engine/weights/cache/content_hash.h"
#include "engine/weights/cache/packed_weights_layout.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

Sentence cure() {
    return sentence("Free some space, set XDG_CACHE_HOME to another disk, or run with --no-cache");
}

[[noreturn]] void throwWriteError(const fs::path& file) {
    const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    throw Error(full ? ErrorKind::Resources : ErrorKind::Input,
                sentence("the packed weights could not be written ({})", std::strerror(errno)), file.string(),
                cure());
}

TemporaryBeside temporaryFor(const fs::path& file) {
    try {
        return {file, TemporaryBeside::Kind::File};
    } catch (const Error& failure) {
        throw Error(failure.kind(), failure.message(), failure.where(), cure());
    }
}

}  // namespace

PackedWeightsWriter::PackedWeightsWriter(fs::path file, std::string key)
    : m_file(std::move(file)),
      m_temporary(temporaryFor(m_file)),
      m_end(packedDataAlignment),
      m_directory{{"key", std::move(key)}, {"tensors", nlohmann::json::object()}} {}

void PackedWeightsWriter::writeAt(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(m_temporary.descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            throwWriteError(m_file);
        offset += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void PackedWeightsWriter::add(const std::string& name, const std::string& format,
                              std::span<const std::byte> bytes) {
    writeAt(m_end, bytes);
    m_directory["tensors"][name] = {
        {"format", format}, {"begin", m_end}, {"bytes", bytes.size()}, {"hash", contentHash(bytes)}};
    m_end = (m_end + bytes.size() + packedDataAlignment - 1) / packedDataAlignment * packedDataAlignment;
}

void PackedWeightsWriter::finish() {
    const std::string directory = m_directory.dump();
    const std::span<const std::byte> bytes = std::as_bytes(std::span(directory));
    const PackedWeightsPrefix prefix{.magic = packedWeightsMagic,
                                     .version = packedWeightsVersion,
                                     .fileBytes = m_end + bytes.size(),
                                     .directoryBegin = m_end,
                                     .directoryHash = contentHash(bytes)};
    writeAt(m_end, bytes);
    writeAt(0, std::as_bytes(std::span(&prefix, 1)));
    m_temporary.putIntoPlace();
}

}  // namespace meshreel
