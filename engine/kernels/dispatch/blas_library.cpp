// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/blas_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/system.h"
#include "engine/kernels/dispatch/blas_cores.h"
#include "engine/kernels/dispatch/plain_product.h"

namespace meshreel {

namespace {

constexpr const char* libraryName = "libopenblas.so.0";
constexpr const char* installHint = "Install the package libopenblas0-pthread";

// A buffer of OpenBLAS 0.3 on x86-64.
constexpr std::uint64_t bufferBytes = 128UL << 20U;
// The library's code and tables.
constexpr std::uint64_t libraryBytes = 64UL << 20U;
// For what other threads map between our query and OpenBLAS's.
constexpr std::uint64_t spareBytes = 32UL << 20U;

/// While it exists, replaces the environment by one with these variables: for what a library reads as it
/// loads. Exchanges only the pointer to it, because setenv is not safe beside another thread's getenv; other
/// threads read a whole environment meanwhile too, and it is never freed.
class BorrowedEnvironment {
  public:
    explicit BorrowedEnvironment(std::vector<std::string> variables) {
        static auto& kept = *new std::deque<Surroundings>();
        Surroundings& now = kept.emplace_back();
        now.variables = std::move(variables);
        for (std::string& variable : now.variables)
            now.entries.push_back(variable.data());
        for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
            if (!now.sets(*entry))
                now.entries.push_back(*entry);
        now.entries.push_back(nullptr);
        environ = now.entries.data();
    }
    ~BorrowedEnvironment() { environ = m_own; }
    BorrowedEnvironment(const BorrowedEnvironment&) = delete;
    BorrowedEnvironment& operator=(const BorrowedEnvironment&) = delete;

  private:
    struct Surroundings {
        std::vector<std::string> variables;  // NAME=value
        std::vector<char*> entries;

        [[nodiscard]] bool sets(std::string_view entry) const {
            const std::size_t end = entry.find('=');
            return end != std::string_view::npos &&
                   std::ranges::any_of(variables, [&](const std::string& variable) {
                       return variable.starts_with(entry.substr(0, end + 1));
                   });
        }
    };

    char** m_own = environ;
};

std::string_view chosenByUser() {
    const char* chosen = std::getenv(blasCoreVariable);
    return chosen == nullptr ? std::string_view() : std::string_view(chosen);
}

/// The library with the core that it took for a name.
class LoadedBlas {
  public:
    /// Without a name it takes what it thinks best.
    explicit LoadedBlas(std::string_view wantedCore) {
        requireRoom(libraryBytes + bufferBytes);
        {
            // OpenBLAS would start a thread for each CPU while it loads, each with a buffer, and none would
            // ever get work.
            const BorrowedEnvironment environment(
                {fmt::format("{}={}", blasCoreVariable, wantedCore), "OPENBLAS_NUM_THREADS=1"});
            m_library.reset(::dlopen(libraryName, RTLD_NOW | RTLD_LOCAL));
        }
        if (m_library == nullptr)
            throw Error(ErrorKind::Internal, fmt::format("OpenBLAS cannot be loaded: {}", ::dlerror()),
                        libraryName, installHint);
        requireRoom(bufferBytes + spareBytes);
        symbol<decltype(&openblas_set_num_threads)>("openblas_set_num_threads")(1);
    }

    /// Keeps it for as long as the process lives. Else it goes, with the buffers that it mapped, unless
    /// something else in this process loaded it, too.
    void keep() { static_cast<void>(m_library.release()); }

    [[nodiscard]] BlasProducts products() const {
        return {.sgemm = symbol<decltype(&cblas_sgemm)>("cblas_sgemm"),
                .dgemm = symbol<decltype(&cblas_dgemm)>("cblas_dgemm")};
    }
    [[nodiscard]] std::string core() const {
        return symbol<decltype(&openblas_get_corename)>("openblas_get_corename")();
    }
    /// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64".
    [[nodiscard]] std::string config() const {
        return symbol<decltype(&openblas_get_config)>("openblas_get_config")();
    }
    [[nodiscard]] std::string version() const {
        const std::string text = config();
        return text.substr(0, text.find(' ', text.find(' ') + 1));
    }

    /// Two for each of the threads that it was built for.
    [[nodiscard]] int mostBuffers() const {
        constexpr std::string_view key = "MAX_THREADS=";
        constexpr int buffersPerThread = 2;
        const std::string text = config();
        const std::size_t place = text.find(key);
        int threads = 0;
        if (place != std::string::npos)
            std::from_chars(text.data() + place + key.size(), text.data() + text.size(), threads);
        return threads > 0 ? threads * buffersPerThread : std::numeric_limits<int>::max();
    }

  private:
    struct Unload {
        void operator()(void* library) const { ::dlclose(library); }
    };

    static void requireRoom(std::uint64_t bytes) {
        if (!canMap(bytes))
            throw outOfAddressSpace(sentence("OpenBLAS, which multiplies matrices,"), bytes);
    }

    template <typename Function>
    [[nodiscard]] Function symbol(const char* name) const {
        void* found = ::dlsym(m_library.get(), name);
        if (found == nullptr)
            throw Error(ErrorKind::Internal, fmt::format("OpenBLAS lacks {}", name), libraryName,
                        installHint);
        return reinterpret_cast<Function>(found);
    }

    std::unique_ptr<void, Unload> m_library;
};

/// Asks for one core after another until one is right.
class CoreSearch {
  public:
    BlasLibrary find() {
        tryChosen();
        for (const std::string_view name : preferredBlasCores())
            if (!isFound() && widthOf(name) < m_below)
                tryPreferred(name);
        // Some systems build it for one kind of CPU, whose core has another name than those.
        if (!isFound() && m_refused.empty())
            ask({});
        if (!isFound())
            m_found.products = {.sgemm = &plainSgemm, .dgemm = &plainDgemm};
        sayRefusals();
        return std::move(m_found);
    }

  private:
    enum class Answer : std::uint8_t { Taken, Refused, NoSuchCore };

    [[nodiscard]] bool isFound() const { return m_found.products.sgemm != nullptr; }

    /// Asks for the core of this name, or for the one that OpenBLAS itself would take.
    Answer ask(std::string_view name) {
        LoadedBlas loaded(name);
        m_found.version = loaded.version();
        const std::string core = loaded.core();
        if (!name.empty() && !isSameCore(core, name))
            return Answer::NoSuchCore;
        std::string why = whyTooWide(widthOf(core));
        if (why.empty())
            why = whyWrong(loaded.products());
        m_found.cores.push_back({.name = core, .whyNot = why});
        if (!why.empty()) {
            m_refused.push_back({.name = core, .whyNot = std::move(why)});
            return Answer::Refused;
        }
        m_found.products = loaded.products();
        m_found.core = core;
        m_found.mostBuffers = loaded.mostBuffers();
        loaded.keep();
        return Answer::Taken;
    }

    void tryChosen() {
        const std::string_view chosen = chosenByUser();
        if (chosen.empty())
            return;
        const std::string setting = fmt::format("{}={}", blasCoreVariable, chosen);
        const BlasWidth width = widthOf(chosen);
        if (const std::string why = whyTooWide(width); !why.empty()) {
            m_found.notes.push_back(sentence("{} in the environment is ignored: {}", setting, why));
            return;
        }
        listWider(width, setting);
        if (ask(chosen) == Answer::NoSuchCore) {
            m_found.cores.clear();
            m_found.notes.push_back(
                sentence("{} in the environment is ignored: {} has no such core", setting, m_found.version));
            return;
        }
        m_below = width;
        if (const std::string_view widest = widestOf(width); isFound() && !widest.empty())
            m_found.notes.push_back(
                sentence("OpenBLAS multiplies with its core {}, because {} is set in the environment. "
                         "This CPU runs its core {}, which is faster",
                         m_found.core, setting, widest));
    }

    /// The cores that we would ask for if the user's setting did not forbid them.
    void listWider(BlasWidth width, const std::string& setting) {
        for (const std::string_view name : preferredBlasCores()) {
            if (widthOf(name) <= width)
                continue;
            const std::string why = whyTooWide(widthOf(name));
            m_found.cores.push_back({.name = std::string(name), .whyNot = why.empty() ? setting : why});
        }
    }

    /// The widest that this process may use, if it is wider than `width`.
    static std::string_view widestOf(BlasWidth width) {
        for (const std::string_view name : preferredBlasCores())
            if (widthOf(name) > width && whyTooWide(widthOf(name)).empty())
                return name;
        return {};
    }

    void tryPreferred(std::string_view name) {
        std::string why = whyTooWide(widthOf(name));
        if (why.empty() && ask(name) == Answer::NoSuchCore)
            why = fmt::format("{} has no such core", m_found.version);
        if (!why.empty())
            m_found.cores.push_back({.name = std::string(name), .whyNot = why});
    }

    void sayRefusals() {
        for (const BlasCore& core : m_refused)
            m_found.refusals.push_back(
                m_found.isOwnLoops()
                    ? sentence("OpenBLAS's core {} is not used: {}. Meshreel's own loops multiply in its "
                               "place, which is slower. Install another version of OpenBLAS",
                               core.name, core.whyNot)
                    : sentence("OpenBLAS's core {} is not used: {}. Its core {} takes its place, which is "
                               "slower. Install another version of OpenBLAS",
                               core.name, core.whyNot, m_found.core));
    }

    BlasLibrary m_found;
    std::vector<BlasCore> m_refused;
    BlasWidth m_below = BlasWidth::Unknown;  // only narrower ones are asked for
};

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

    const int m_most = blasLibrary().mostBuffers;
    std::atomic<int> m_buffers = 1;   // never fewer; the first is the trial's
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
    static const BlasLibrary library = CoreSearch().find();
    return library;
}

BlasCall::BlasCall() : m_takesBuffer(!blasLibrary().isOwnLoops()) {
    if (m_takesBuffer)
        m_mapsBuffer = blasBuffers().take();
}

BlasCall::~BlasCall() {
    if (m_takesBuffer)
        blasBuffers().giveBack(m_mapsBuffer);
}

}  // namespace meshreel
