// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/memory_watch.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <utility>

#include "engine/base/system.h"

namespace meshreel {
namespace {

// The kernel needs longer than this to hand out the pages of an allocation that matters.
constexpr std::chrono::milliseconds interval{10};
constexpr std::uint64_t kibibyte = 1024;

}  // namespace

ResidentMemory residentMemory() {
    ResidentMemory memory;
    std::ifstream status("/proc/self/status");
    std::string name;
    std::uint64_t kibibytes = 0;
    for (std::string line; std::getline(status, line);) {
        const std::size_t colon = line.find(':');
        name = line.substr(0, colon);
        if (!name.starts_with("Rss"))
            continue;
        kibibytes = std::stoull(line.substr(colon + 1));
        (name == "RssFile" ? memory.mappedFiles : memory.own) += kibibytes * kibibyte;
    }
    return memory;
}

MemoryWatch::MemoryWatch() : m_peak(residentMemory()), m_thread(startThread([this] { run(); })) {}

MemoryWatch::~MemoryWatch() {
    {
        const std::scoped_lock lock(m_mutex);
        m_quit = true;
    }
    m_wake.notify_one();
    m_thread.join();
}

void MemoryWatch::look() {
    const ResidentMemory now = residentMemory();
    m_peak.own = std::max(m_peak.own, now.own);
    m_peak.mappedFiles = std::max(m_peak.mappedFiles, now.mappedFiles);
}

void MemoryWatch::run() {
    std::unique_lock lock(m_mutex);
    while (!m_wake.wait_for(lock, interval, [this] { return m_quit; })) {
        look();
        ++m_looks;
    }
}

ResidentMemory MemoryWatch::takePeak() {
    const std::scoped_lock lock(m_mutex);
    look();
    return std::exchange(m_peak, residentMemory());
}

}  // namespace meshreel
