// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/memory_meter.h"

#include <utility>

namespace meshreel {

namespace {

thread_local std::shared_ptr<MemoryMeter> innermostMeter;

}  // namespace

void MemoryMeter::add(std::size_t bytes) {
    const std::size_t now = m_current += bytes;
    std::size_t peak = m_peak.load();
    while (peak < now && !m_peak.compare_exchange_weak(peak, now)) {
    }
}

MeterScope::MeterScope(std::shared_ptr<MemoryMeter> meter)
    : m_before(std::exchange(innermostMeter, std::move(meter))) {}

MeterScope::~MeterScope() {
    innermostMeter = std::move(m_before);
}

const std::shared_ptr<MemoryMeter>& currentMeter() {
    return innermostMeter;
}

}  // namespace meshreel
