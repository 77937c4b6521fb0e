// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/disk_rate.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace meshreel {
namespace {

constexpr std::size_t blockBytes = std::size_t{4} << 20;
constexpr std::size_t alignment = 4096;  // of reads without a copy
constexpr std::int64_t fewestBlocks = 2;
constexpr std::int64_t mostBlocks = 64;
constexpr std::chrono::milliseconds longest{100};

class OpenedFile {
  public:
    explicit OpenedFile(const std::filesystem::path& file)
        : m_descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT | O_NONBLOCK)) {}
    ~OpenedFile() {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    OpenedFile(const OpenedFile&) = delete;
    OpenedFile& operator=(const OpenedFile&) = delete;

    [[nodiscard]] int descriptor() const { return m_descriptor; }

  private:
    int m_descriptor;
};

/// Returns the bytes of a regular file that are stored on the disk; 0 when part of it is a hole, which takes
/// no time to read.
std::int64_t bytesOnDisk(int descriptor) {
    constexpr std::int64_t unit = 512;  // of st_blocks
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    return status.st_blocks * unit < status.st_size ? 0 : status.st_size;
}

struct Freed {
    void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

std::optional<double> measureDiskRate(const std::filesystem::path& file) {
    const OpenedFile opened(file);
    const std::int64_t blocks =
        opened.descriptor() < 0 ? 0
                                : bytesOnDisk(opened.descriptor()) / static_cast<std::int64_t>(blockBytes);
    const std::unique_ptr<void, Freed> block(std::aligned_alloc(alignment, blockBytes));
    if (blocks < fewestBlocks || !block)
        return std::nullopt;
    // After the first quarter: headers are in every cache.
    const std::int64_t first = blocks / 4;
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> taken{0};
    std::int64_t read = 0;
    while (read < std::min(blocks - first, mostBlocks) && (read < fewestBlocks || taken < longest)) {
        const auto offset = static_cast<off_t>((first + read) * static_cast<std::int64_t>(blockBytes));
        if (::pread(opened.descriptor(), block.get(), blockBytes, offset) != static_cast<ssize_t>(blockBytes))
            return std::nullopt;
        ++read;
        taken = std::chrono::steady_clock::now() - begin;
    }
    if (read < fewestBlocks || taken.count() <= 0)
        return std::nullopt;
    return static_cast<double>(read) * static_cast<double>(blockBytes) / taken.count();
}

}  // namespace meshreel
