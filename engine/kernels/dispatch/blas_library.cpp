// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/blas_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/system.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

namespace {

constexpr const char* libraryName = "libopenblas.so.0";
constexpr const char* installHint = "Install the package libopenblas0-pthread";

constexpr const char* coreTypeVariable = "OPENBLAS_CORETYPE";
constexpr const char* avx2Core = "Haswell";

// OpenBLAS's name of the widest single-precision kernels that this CPU runs.
const char* coreType() {
    const CpuFeatures& cpu = offeredCpuFeatures();
    const bool skylakeX = cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl;
    return skylakeX ? "SkylakeX" : avx2Core;
}

// Before main, because setenv is not safe beside another thread's getenv. OpenBLAS would start a thread for
// each CPU while it loads, each with a buffer, and none would ever get work.
[[maybe_unused]] const int coreTypeChosen = ::setenv(coreTypeVariable, coreType(), 0);
[[maybe_unused]] const int threadsChosen = ::setenv("OPENBLAS_NUM_THREADS", "1", 1);

// A buffer of OpenBLAS 0.3 on x86-64.
constexpr std::uint64_t bufferBytes = 128UL << 20U;
// Its code and tables.
constexpr std::uint64_t libraryBytes = 64UL << 20U;
// For what other threads map between our question and OpenBLAS's.
constexpr std::uint64_t spareBytes = 32UL << 20U;

template <typename Function>
Function symbol(void* library, const char* name) {
    void* found = ::dlsym(library, name);
    if (found == nullptr)
        throw Error(ErrorKind::Internal, fmt::format("OpenBLAS lacks {}", name), libraryName, installHint);
    return reinterpret_cast<Function>(found);
}

BlasLibrary load() {
    if (!canMap(libraryBytes + bufferBytes))
        throw outOfAddressSpace(sentence("OpenBLAS, which multiplies matrices,"), libraryBytes + bufferBytes);
    void* library = ::dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw Error(ErrorKind::Internal, fmt::format("OpenBLAS cannot be loaded: {}", ::dlerror()),
                    libraryName, installHint);
    symbol<decltype(&openblas_set_num_threads)>(library, "openblas_set_num_threads")(1);
    return {.sgemm = symbol<decltype(&cblas_sgemm)>(library, "cblas_sgemm"),
            .dgemm = symbol<decltype(&cblas_dgemm)>(library, "cblas_dgemm"),
            .config = symbol<decltype(&openblas_get_config)>(library, "openblas_get_config"),
            .coreName = symbol<decltype(&openblas_get_corename)>(library, "openblas_get_corename")};
}

/// How many buffers OpenBLAS has room for in its tables: two for each of the threads that it was built for,
/// "... SkylakeX MAX_THREADS=64".
int bufferTableSize() {
    constexpr std::string_view key = "MAX_THREADS=";
    constexpr int buffersPerThread = 2;
    const std::string_view config = blasLibrary().config();
    const std::size_t place = config.find(key);
    int threads = 0;
    if (place != std::string_view::npos)
        std::from_chars(config.data() + place + key.size(), config.data() + config.size(), threads);
    return threads > 0 ? threads * buffersPerThread : std::numeric_limits<int>::max();
}

/// The buffers of all calls in this process.
class BlasBuffers {
  public:
    /// True when the call is the first with its buffer.
    bool take() {
        if (takeFree())
            return false;
        const std::lock_guard lock(m_growing);
        while (!takeFree()) {
            if (grow())
                return true;
            if (m_buffers == 0)
                throw outOfAddressSpace(sentence("a product of matrices"), bufferBytes + spareBytes);
            if (const int running = m_running; running >= m_buffers)
                m_running.wait(running);
        }
        return false;
    }

    void giveBack(bool wasMapped) {
        if (wasMapped)
            --m_unmapped;
        --m_running;
        m_running.notify_one();
    }

  private:
    bool takeFree() {
        int running = m_running;
        while (running < m_buffers)
            if (m_running.compare_exchange_weak(running, running + 1))
                return true;
        return false;
    }

    /// OpenBLAS maps the buffer in the call that follows; calls that are about to do so count as well.
    bool grow() {
        const std::uint64_t wanted = (static_cast<std::uint64_t>(m_unmapped) + 1) * bufferBytes + spareBytes;
        if (m_buffers >= m_most || !canMap(wanted))
            return false;
        ++m_unmapped;
        ++m_running;
        ++m_buffers;
        return true;
    }

    const int m_most = bufferTableSize();
    std::atomic<int> m_buffers = 0;   // never fewer
    std::atomic<int> m_running = 0;   // calls; never more than buffers
    std::atomic<int> m_unmapped = 0;  // buffers of calls that have not shown yet that they got theirs
    std::mutex m_growing;
};

BlasBuffers& blasBuffers() {
    static BlasBuffers buffers;
    return buffers;
}

}  // namespace

const BlasLibrary& blasLibrary() {
    static const BlasLibrary library = load();
    return library;
}

BlasCall::BlasCall() : m_mapsBuffer(blasBuffers().take()) {}

BlasCall::~BlasCall() {
    blasBuffers().giveBack(m_mapsBuffer);
}

void chooseAvx2Blas() {
    ::setenv(coreTypeVariable, avx2Core, 1);
}

}  // namespace meshreel
