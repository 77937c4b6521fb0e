// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/run_log.h"

#include <QCoreApplication>

#include "engine/base/paths.h"
#include "ui/values/run_texts.h"

namespace meshreel {
namespace {

struct RunLog {
    Q_DECLARE_TR_FUNCTIONS(meshreel::RunLog)
};

}  // namespace

QString phaseTitle(Phase phase) {
    switch (phase) {
        case Phase::Load:
            return RunLog::tr("Loading the model");
        case Phase::Compile:
            return RunLog::tr("Preparing weights");
        case Phase::Conditioning:
            return RunLog::tr("Reading the prompt");
        case Phase::Denoise:
            return RunLog::tr("Denoising");
        case Phase::Decode:
            return RunLog::tr("Decoding the video");
        case Phase::Format:
            return RunLog::tr("Writing the video");
    }
    return {};
}

std::optional<LogLine> logLine(const StudioEvent& event) {
    LogLine line{.when = event.when, .words = {}};
    handle(
        event.event, [&](const PhaseStarted& started) { line.words = phaseTitle(started.phase); },
        [&](const PhaseFinished& finished) {
            line.words = RunLog::tr("%1: done in %2", "phase, duration")
                             .arg(phaseTitle(finished.phase), durationText(finished.seconds));
        },
        [&](const FolderReady& ready) {
            line.words = RunLog::tr("Run folder: %1").arg(QString::fromStdString(withTilde(ready.folder)));
        },
        [&](const StepRecord& step) {
            line.words = RunLog::tr("Step %1: %2", "number of a step, duration")
                             .arg(step.step + 1)
                             .arg(durationText(step.seconds));
        },
        [&](const RunMessage& message) {
            line.words = QString::fromStdString(message.text.text());
            line.isWarning = message.level == MessageLevel::Warning;
        },
        [&](const VideoWritten& video) {
            line.words = QString::fromStdString(video.note.text());
            line.isWarning = true;
        });
    return line.words.isEmpty() ? std::nullopt : std::optional(line);
}

QString warningText(const RunEvent& event) {
    QString text;
    handle(
        event,
        [&](const RunMessage& message) {
            if (message.level == MessageLevel::Warning)
                text = sentenceText(message.text);
        },
        [&](const VideoWritten& video) { text = sentenceText(video.note); });
    return text;
}

}  // namespace meshreel
