// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/progress_meter.h"

#include <algorithm>

namespace meshreel {

ProgressMeter::ProgressMeter(int steps, int stepsDone) {
    m_progress.steps = steps;
    m_progress.stepsDone = stepsDone;
}

void ProgressMeter::stepFinished(double seconds) {
    ++m_progress.stepsDone;
    ++m_stepsMeasured;
    m_stepSeconds += seconds;
}

Progress ProgressMeter::at(Phase phase) {
    m_progress.phase = phase;
    const int stepsLeft = m_progress.steps - m_progress.stepsDone;
    if (m_stepsMeasured > 0 || stepsLeft == 0) {
        const double perStep = m_stepsMeasured > 0 ? m_stepSeconds / m_stepsMeasured : 0;
        const double left = stepsLeft * perStep + (1 - m_progress.decoded) * m_decodeSeconds;
        const double elapsed = std::chrono::duration<double>(Clock::now() - m_start).count();
        m_progress.secondsLeft = left;
        if (elapsed + left > 0)
            m_progress.fraction = std::max(m_progress.fraction, elapsed / (elapsed + left));
    }
    return m_progress;
}

Progress ProgressMeter::finished() {
    m_progress.phase = Phase::Decode;
    m_progress.decoded = 1;
    m_progress.fraction = 1;
    m_progress.secondsLeft = 0;
    return m_progress;
}

}  // namespace meshreel
