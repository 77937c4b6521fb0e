// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controller/engine_use.h"

namespace meshreel {

namespace {

QString goingOn(EngineWork work) {
    switch (work) {
        case EngineWork::Run:
            return EngineUse::tr("A run is going on: wait for its end, or cancel it.");
        case EngineWork::BlockSizes:
            return EngineUse::tr("Tune is timing block sizes: wait for its end, or cancel it there.");
        case EngineWork::Sweep:
            return EngineUse::tr("A sweep is being timed: wait for its end, or cancel it there.");
        case EngineWork::Measurement:
            return EngineUse::tr("This machine is being measured: wait for its end, or cancel it.");
    }
    return {};
}

}  // namespace

std::optional<EngineWork> EngineUse::atHand() const {
    return m_works.empty() ? std::nullopt : std::optional(m_works.front());
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
