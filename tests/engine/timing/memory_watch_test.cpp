// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/memory_watch.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstring>

namespace meshreel {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

/// Fresh pages from the system, touched; given back at the end of the scope.
class Pages {
  public:
    Pages(std::size_t bytes, int flags)
        : m_bytes(bytes),
          m_memory(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0)) {
        std::memset(m_memory, 1, bytes);
    }
    ~Pages() { ::munmap(m_memory, m_bytes); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

  private:
    std::size_t m_bytes;
    void* m_memory;
};

TEST(ResidentMemory, CountsPrivateAndSharedPages) {
    for (const int flags : {MAP_PRIVATE, MAP_SHARED}) {
        const std::uint64_t before = residentMemory().own;
        const Pages pages(64 * mebibyte, flags);
        EXPECT_GT(residentMemory().own, before + 60 * mebibyte);
    }
}

TEST(MemoryWatch, SeesWhatIsGoneWhenItIsAsked) {
    MemoryWatch watch;
    const std::uint64_t before = watch.takePeak().own;
    {
        const Pages pages(64 * mebibyte, MAP_PRIVATE);
        for (const std::uint64_t looks = watch.looks(); watch.looks() == looks;)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GT(watch.takePeak().own, before + 60 * mebibyte);
    EXPECT_LT(watch.takePeak().own, before + 32 * mebibyte) << "each call begins anew";
}

}  // namespace
}  // namespace meshreel
