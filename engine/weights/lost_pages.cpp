// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/lost_pages.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// A guarded map, as the signal handler reads it: only atomics.
struct Slot {
    std::atomic<std::uintptr_t> begin = 0;
    std::atomic<std::uintptr_t> end = 0;  ///< 0: free
    std::atomic<bool> lost = false;
    // Under the mutex:
    const std::filesystem::path* path = nullptr;
    int descriptor = -1;
};

constexpr std::size_t mostMaps = 4096;
constexpr std::size_t unguarded = mostMaps;

// Signals have one handler in a process, and so has what it looks into.
std::array<Slot, mostMaps> slots;
std::mutex slotsMutex;
std::atomic<std::uintptr_t> pageBytes = 0;
struct sigaction handlerBefore {};

Slot* slotAt(std::uintptr_t address) {
    for (Slot& slot : slots)
        if (address < slot.end.load() && address >= slot.begin.load())
            return &slot;
    return nullptr;
}

/// Puts zeros where the page is gone; a fault of any other kind comes again with the handler before this one.
void onBusError(int signal, siginfo_t* info, void* /*context*/) {
    const int errorBefore = errno;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    Slot* slot = info->si_code > 0 ? slotAt(address) : nullptr;
    void* page = reinterpret_cast<void*>(address / pageBytes.load() * pageBytes.load());
    if (slot != nullptr && ::mmap(page, pageBytes.load(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                                  -1, 0) != MAP_FAILED)
        slot->lost = true;
    else
        ::sigaction(signal, &handlerBefore, nullptr);
    if (info->si_code <= 0)  // sent by a process: it does not come again by itself
        ::raise(signal);
    errno = errorBefore;
}

void installHandler() {
    pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &handlerBefore);
}

bool isShorter(const Slot& slot) {
    struct stat status {};
    return ::fstat(slot.descriptor, &status) == 0 &&
           static_cast<std::uintptr_t>(status.st_size) < slot.end.load() - slot.begin.load();
}

}  // namespace

LostPagesGuard::LostPagesGuard(std::span<const std::byte> map, const std::filesystem::path& path,
                               int descriptor)
    : m_slot(unguarded) {
    static std::once_flag installed;
    std::call_once(installed, installHandler);
    const std::lock_guard lock(slotsMutex);
    for (std::size_t index = 0; index < mostMaps && m_slot == unguarded; ++index)
        if (slots[index].end == 0)
            m_slot = index;
    if (m_slot == unguarded || map.empty()) {
        m_slot = unguarded;
        return;
    }
    Slot& slot = slots[m_slot];
    slot.path = &path;
    slot.descriptor = descriptor;
    slot.lost = false;
    slot.begin = reinterpret_cast<std::uintptr_t>(map.data());
    slot.end = reinterpret_cast<std::uintptr_t>(map.data()) + map.size();
}

LostPagesGuard::~LostPagesGuard() {
    if (m_slot == unguarded)
        return;
    const std::lock_guard lock(slotsMutex);
    slots[m_slot].end = 0;
    slots[m_slot].path = nullptr;
}

void throwIfPagesWereLost() {
    const std::lock_guard lock(slotsMutex);
    for (const Slot& slot : slots)
        if (slot.path != nullptr && (slot.lost || isShorter(slot)))
            throw Error(ErrorKind::Input, sentence("the file was cut short while it was in use"),
                        slot.path->string(),
                        sentence("Leave it alone while Meshreel runs; restore it and start again"));
}

}  // namespace meshreel
