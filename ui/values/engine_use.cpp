// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/engine_use.h"

#include <algorithm>

namespace meshreel {

namespace {

QString goingOn(EngineWork work) {
    switch (work) {
        case EngineWork::Run:
            return EngineUse::tr("A run is in progress: wait until it ends, or cancel it.");
        case EngineWork::BlockSizes:
            return EngineUse::tr("Tune is timing block sizes: wait for its end, or cancel it there.");
        case EngineWork::Sweep:
            return EngineUse::tr("A sweep is being timed: wait for its end, or cancel it there.");
        case EngineWork::Benchmark:
            return EngineUse::tr("Bench is measuring: wait for its end, or cancel it there.");
        case EngineWork::Measurement:
            return EngineUse::tr("This machine is being measured: wait for its end, or cancel it.");
    }
    return {};
}

}  // namespace

std::optional<EngineWork> EngineUse::atHand() const {
    if (m_works.empty())
        return {};
    // A measurement beside other work is about to end.
    const auto work =
        std::ranges::find_if(m_works, [](EngineWork each) { return each != EngineWork::Measurement; });
    return work == m_works.end() ? m_works.front() : *work;
}

QString EngineUse::obstacleTo(EngineWork work) const {
    for (const EngineWork other : m_works)
        if (other != work && !(work == EngineWork::Run && other == EngineWork::Measurement))
            return goingOn(other);
    return {};
}

void EngineUse::set(EngineWork work, bool busy) {
    std::erase(m_works, work);
    if (busy)
        m_works.push_back(work);
    emit changed();
}

}  // namespace meshreel

#include "moc_engine_use.cpp"
