// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/event_queue.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <utility>

#include "engine/base/listed_problem.h"
#include "engine/base/overloaded.h"
#include "engine/base/paths.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_settings.h"
#include "engine/timing/step_record.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

/// Small enough that a whole video of them, which no plan counts, does not matter.
QImage forLiveView(const QImage& picture) {
    constexpr int longestSide = 832;  // that of 480p: shown as it is
    if (std::max(picture.width(), picture.height()) <= longestSide)
        return picture;
    return picture.scaled(longestSide, longestSide, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

/// Holds what only the engine can use.
bool isOfTheEngine(const RunEvent& event) {
    return std::holds_alternative<RunCheckpoint>(event) || std::holds_alternative<LatentsReady>(event) ||
           std::holds_alternative<StageMeasured>(event);
}

/// Whether a later event of its kind takes its place.
bool onlyNewestCounts(const JobEvent& event) {
    const auto* kept = std::get_if<StudioEvent>(&event);
    return kept != nullptr &&
           (std::holds_alternative<Progress>(kept->event) || std::holds_alternative<Preview>(kept->event));
}

bool isOfKind(const JobEvent& event, std::size_t kind) {
    const auto* kept = std::get_if<StudioEvent>(&event);
    return kept != nullptr && kept->event.index() == kind;
}

}  // namespace

void EventQueue::put(const RunEvent& event) {
    if (isOfTheEngine(event))
        return;
    remember(event);
    StudioEvent kept{.event = event, .when = QTime::currentTime()};
    std::visit(Overloaded{[&](Preview& preview) {
                              kept.pictures = toPictures(std::exchange(preview.frames, {}));
                              kept.pictures.framesPerSecond =
                                  static_cast<double>(kept.pictures.frames.size()) / m_videoSeconds;
                          },
                          [&](DecodedFrames& decoded) {
                              kept.pictures = toPictures(std::exchange(decoded.frames, {}));
                              for (QImage& picture : kept.pictures.frames)
                                  picture = forLiveView(picture);
                          },
                          [&](FramesReady& ready) {
                              kept.pictures = toPictures(std::exchange(ready.frames, {}));
                              kept.pictures.project = m_project;
                              kept.pictures.name = m_name;
                          },
                          [](auto&) {}},
               kept.event);
    append(std::move(kept));
}

std::vector<JobEvent> EventQueue::take() {
    const std::lock_guard lock(m_mutex);
    m_announced = false;
    return std::exchange(m_events, {});
}

void EventQueue::remember(const RunEvent& event) {
    handle(
        event,
        [&](const Planned& planned) {
            const Project& project = planned.plan->project;
            m_project = writesMetadata(project) ? resolvedYaml(project) : std::string();
            m_framesPerSecond = project.fps;
            m_videoSeconds = static_cast<double>(project.numFrames) / project.fps;
        },
        [&](const FolderReady& ready) { m_name = ready.folder.filename().string(); });
}

Clip EventQueue::toPictures(const Tensor& frames) const {
    return toClip(frames, m_framesPerSecond);
}

void EventQueue::append(JobEvent event) {
    bool announce = false;
    {
        const std::lock_guard lock(m_mutex);
        if (onlyNewestCounts(event))
            std::erase_if(m_events, [kind = std::get<StudioEvent>(event).event.index()](
                                        const JobEvent& waiting) { return isOfKind(waiting, kind); });
        m_events.push_back(std::move(event));
        announce = !std::exchange(m_announced, true);
    }
    if (announce)
        emit arrived();
}

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

namespace {

/// What a run tells of its project before it works.
QString problemWords(const ProblemsFound& found) {
    QStringList words;
    for (const ListedProblem& problem : found.problems)
        words += sentenceText(problem.text);
    return words.join(QLatin1String("; "));
}

}  // namespace

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
        [&](const ProblemsFound& found) {
            line.words = problemWords(found);
            line.isWarning = true;
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
        event, [&](const ProblemsFound& found) { text = problemWords(found); },
        [&](const RunMessage& message) {
            if (message.level == MessageLevel::Warning)
                text = sentenceText(message.text);
        },
        [&](const VideoWritten& video) { text = sentenceText(video.note); });
    return text;
}

}  // namespace meshreel

#include "moc_event_queue.cpp"
