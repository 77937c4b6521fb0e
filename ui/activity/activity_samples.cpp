// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/activity/activity_samples.h"

#include <sys/resource.h>

namespace meshreel {

namespace {

constexpr double microsecondsPerSecond = 1e6;

double secondsOf(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / microsecondsPerSecond;
}

}  // namespace

void ActivitySamples::clear() {
    m_samples.clear();
    m_hasMark = false;
}

void ActivitySamples::add(double seconds, double cpuSeconds, std::uint64_t bytes) {
    if (m_hasMark && seconds > m_lastSeconds)
        m_samples.push_back({.seconds = seconds,
                             .busyCpus = (cpuSeconds - m_lastCpuSeconds) / (seconds - m_lastSeconds),
                             .bytes = bytes});
    m_hasMark = true;
    m_lastSeconds = seconds;
    m_lastCpuSeconds = cpuSeconds;
    if (m_samples.size() > mostSamples)
        thin();
}

void ActivitySamples::thin() {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < m_samples.size(); i += 2)
        m_samples[kept++] = m_samples[i];
    m_samples.resize(kept);
}

double processCpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
}

}  // namespace meshreel
