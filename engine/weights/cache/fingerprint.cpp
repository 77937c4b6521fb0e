// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/fingerprint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"

namespace meshreel {

std::uint64_t contentHash(std::span<const std::byte> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::string nameHash(std::string_view text) {
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

namespace fs = std::filesystem;
namespace {

constexpr std::size_t hashedPiece = std::size_t{1} << 20;
constexpr std::size_t sampleBytes = 4096;
constexpr std::size_t samplesOfTensor = 4;

class RunningHash {
  public:
    RunningHash() : m_state(XXH3_createState()) { XXH3_128bits_reset(m_state.get()); }

    void add(std::span<const std::byte> bytes) {
        XXH3_128bits_update(m_state.get(), bytes.data(), bytes.size());
    }

    [[nodiscard]] std::string text() const {
        const XXH128_hash_t hash = XXH3_128bits_digest(m_state.get());
        return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
    }

  private:
    struct Free {
        void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, Free> m_state;
};

/// Reads without a map, so that what is hashed does not count as memory in use.
class FingerprintedFile {
  public:
    explicit FingerprintedFile(const fs::path& file)
        : m_path(file), m_descriptor(openUnlessPipe(file, O_RDONLY)) {
        struct stat status {};
        if (m_descriptor < 0 || ::fstat(m_descriptor, &status) != 0)
            refuse(std::strerror(errno));
        if (!S_ISREG(status.st_mode))
            refuse(sentence("it is not a regular file"));
        m_size = static_cast<std::uint64_t>(status.st_size);
    }
    ~FingerprintedFile() { close(); }
    FingerprintedFile(const FingerprintedFile&) = delete;
    FingerprintedFile& operator=(const FingerprintedFile&) = delete;

    [[nodiscard]] std::uint64_t size() const { return m_size; }

    /// Keeps the kernel from reading ahead of samples.
    void expectSamples() const { ::posix_fadvise(m_descriptor, 0, 0, POSIX_FADV_RANDOM); }

    void hash(std::uint64_t begin, std::uint64_t end, RunningHash& hash, const StopToken& stop) {
        m_piece.resize(hashedPiece);
        while (begin < end) {
            throwIfStopped(stop);
            const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(hashedPiece, end - begin));
            const ssize_t got = ::pread(m_descriptor, m_piece.data(), wanted, static_cast<off_t>(begin));
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                refuse(got < 0 ? Sentence(std::strerror(errno)) : sentence("it shrank while it was read"));
            hash.add(std::span(m_piece).first(static_cast<std::size_t>(got)));
            begin += static_cast<std::uint64_t>(got);
        }
    }

  private:
    void close() {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
        m_descriptor = -1;
    }

    [[noreturn]] void refuse(const Sentence& why) {
        Error error(ErrorKind::Input, sentence("the file cannot be read ({})", why), m_path.string(),
                    sentence("Check that it is there and its permissions"));
        close();
        throw error;
    }

    fs::path m_path;
    int m_descriptor;
    std::uint64_t m_size = 0;
    std::vector<std::byte> m_piece;
};

FileFingerprint wholeFingerprint(FingerprintedFile& file, const StopToken& stop) {
    RunningHash hash;
    file.hash(0, file.size(), hash, stop);
    return {.bytes = file.size(), .hash = hash.text(), .sampled = false};
}

void hashSamples(FingerprintedFile& file, const FileTensor& tensor, RunningHash& hash,
                 const StopToken& stop) {
    const std::size_t bytes = tensor.end - tensor.begin;
    if (bytes <= samplesOfTensor * sampleBytes) {
        file.hash(tensor.begin, tensor.end, hash, stop);
        return;
    }
    for (std::size_t sample = 0; sample < samplesOfTensor; ++sample) {
        const std::size_t at = tensor.begin + (bytes - sampleBytes) / (samplesOfTensor - 1) * sample;
        const std::size_t begin = sample + 1 == samplesOfTensor ? tensor.end - sampleBytes : at;
        file.hash(begin, begin + sampleBytes, hash, stop);
    }
}

}  // namespace

FileFingerprint fingerprintFile(const fs::path& path, const StopToken& stop) {
    FingerprintedFile file(path);
    return wholeFingerprint(file, stop);
}

FileFingerprint fingerprintWeights(const TensorFile& weights, const StopToken& stop,
                                   std::uint64_t mostWhole) {
    FingerprintedFile file(weights.path());
    if (file.size() <= mostWhole)
        return wholeFingerprint(file, stop);
    file.expectSamples();
    RunningHash hash;
    hash.add(weights.headerBytes());
    std::vector<const FileTensor*> inFileOrder;
    for (const FileTensor& tensor : weights.tensors())
        inFileOrder.push_back(&tensor);
    std::ranges::sort(inFileOrder, {}, &FileTensor::begin);
    for (const FileTensor* tensor : inFileOrder)
        hashSamples(file, *tensor, hash, stop);
    return {.bytes = file.size(), .hash = hash.text(), .sampled = true};
}

void to_json(nlohmann::json& json, const FileFingerprint& fingerprint) {
    json = {{"bytes", fingerprint.bytes}, {"xxh3", fingerprint.hash}, {"sampled", fingerprint.sampled}};
}

void from_json(const nlohmann::json& json, FileFingerprint& fingerprint) {
    json.at("bytes").get_to(fingerprint.bytes);
    json.at("xxh3").get_to(fingerprint.hash);
    json.at("sampled").get_to(fingerprint.sampled);
}

nlohmann::json checkpointIdentity(const Checkpoint& checkpoint) {
    nlohmann::json files = nlohmann::json::array();
    for (const TensorFile& shard : checkpoint.shards()) {
        std::error_code ignored;
        const fs::path canonical = fs::canonical(shard.path(), ignored);
        const auto changed = fs::last_write_time(shard.path(), ignored).time_since_epoch();
        files.push_back(
            {{"path", (canonical.empty() ? fs::absolute(shard.path()) : canonical).string()},
             {"bytes", shard.fileBytes()},
             {"changed_ns", std::chrono::duration_cast<std::chrono::nanoseconds>(changed).count()},
             {"header", contentHash(shard.headerBytes())}});
    }
    if (checkpoint.patches().empty())
        return files;
    nlohmann::json patches = nlohmann::json::array();
    for (const auto& patch : checkpoint.patches())
        patches.push_back(patch->identity());
    return {{"files", std::move(files)}, {"patches", std::move(patches)}};
}

}  // namespace meshreel
