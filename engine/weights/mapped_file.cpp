// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/plain_file.h"
#include "engine/weights/mapped_pages.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

int openForReading(const fs::path& file) {
    const int descriptor = openUnlessPipe(file, O_RDONLY);
    if (descriptor < 0 && errno == ENOENT)
        throw Error(ErrorKind::Input, sentence("there is no such file"), file.string(),
                    sentence("Check the path"));
    if (descriptor < 0)
        throw Error(ErrorKind::Input, sentence("the file cannot be read ({})", std::strerror(errno)),
                    file.string(), sentence("Check its permissions"));
    return descriptor;
}

std::size_t sizeOfRegularFile(int descriptor, const fs::path& file) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        throw Error(ErrorKind::Input, sentence("this is not a file"), file.string(),
                    sentence("Check the path"));
    return static_cast<std::size_t>(status.st_size);
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const fs::path& file) {
    std::shared_ptr<MappedFile> mapped(new MappedFile(file));
    const std::size_t size = sizeOfRegularFile(mapped->m_descriptor, file);
    if (size == 0)
        return mapped;
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, mapped->m_descriptor, 0);
    if (memory == MAP_FAILED)
        throw Error(ErrorKind::Resources,
                    sentence("{} bytes cannot be mapped into memory ({})", size, std::strerror(errno)),
                    file.string(), sentence("Raise the limit on address space (ulimit -v)"));
    mapped->m_bytes = {static_cast<const std::byte*>(memory), size};
    mapped->m_guard.emplace(mapped->m_bytes, mapped->m_path, mapped->m_descriptor);
    return mapped;
}

MappedFile::MappedFile(fs::path file) : m_path(std::move(file)), m_descriptor(openForReading(m_path)) {}

MappedFile::~MappedFile() {
    m_guard.reset();
    if (!m_bytes.empty())
        ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
    ::close(m_descriptor);
}

void MappedFile::throwIfShrunk() const {
    const std::size_t size = sizeOfRegularFile(m_descriptor, m_path);
    if (size < m_bytes.size())
        throw Error(ErrorKind::Input,
                    sentence("the file shrank from {} to {} bytes while it was in use", m_bytes.size(), size),
                    m_path.string(),
                    sentence("Leave it alone while Meshreel runs; restore it and start again"));
}

void MappedFile::prefetch(std::span<const std::byte> part) const {
    prefetchPages(part);
}

void MappedFile::release(std::span<const std::byte> part) const {
    releasePages(part);
}

}  // namespace meshreel
