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

void ProgressMeter::decoded(double part, double writingLeft, Clock::time_point now) {
    m_progress.decoded = part;
    m_writingLeft = writingLeft;
    m_lastChunk = Chunk{part, now};
    if (!m_firstChunk)
        m_firstChunk = m_lastChunk;
}

/// As long as the chunks after the first took: that one, of a single frame, is unlike the others, and the
/// first to touch memory and weights. Until there is another it stands for all.
double ProgressMeter::decodeSecondsLeft() const {
    if (!m_firstChunk)
        return m_decodeSeconds;
    const bool onlyFirst = m_lastChunk->part <= m_firstChunk->part;
    const Chunk from = onlyFirst ? Chunk{0, *m_decodeStart} : *m_firstChunk;
    const double seconds = std::chrono::duration<double>(m_lastChunk->end - from.end).count();
    return (1 - m_lastChunk->part) * seconds / (m_lastChunk->part - from.part);
}

Progress ProgressMeter::at(Phase phase, Clock::time_point now) {
    m_progress.phase = phase;
    if (phase == Phase::Decode && !m_decodeStart)
        m_decodeStart = now;
    const int stepsLeft = m_progress.steps - m_progress.stepsDone;
    if (m_stepsMeasured > 0 || stepsLeft == 0) {
        const double perStep = m_stepsMeasured > 0 ? m_stepSeconds / m_stepsMeasured : 0;
        const double decodeLeft = decodeSecondsLeft();
        const double left = stepsLeft * perStep + std::max(decodeLeft, m_writingLeft);
        // Files are written yet: nothing rather than 0, and no less than is shown.
        constexpr double tenth = 0.1;
        m_progress.secondsLeft = left > 0 ? std::optional(std::max(tenth, left)) : std::nullopt;
        // For steps and decoding alone, including those of a stopped run: it belongs to the steps that are
        // counted beside it, however long loading took.
        const double part = m_progress.decoded;
        const double decoded = part < 1 ? decodeLeft * part / (1 - part) : m_decodeSeconds;
        const double done = m_progress.stepsDone * perStep + decoded;
        const double whole = done + stepsLeft * perStep + decodeLeft;
        if (whole > 0)
            m_progress.fraction = std::max(m_progress.fraction, done / whole);
    }
    return m_progress;
}

Progress ProgressMeter::finished() {
    m_progress.phase = Phase::Decode;
    m_progress.decoded = 1;
    m_progress.fraction = 1;
    m_progress.secondsLeft.reset();
    return m_progress;
}

}  // namespace meshreel
