// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controller/run_reporter.h"

#include <algorithm>
#include <utility>

#include "engine/base/paths.h"
#include "engine/project/project_file.h"
#include "ui/controller/clip_conversion.h"
#include "ui/models/key_texts.h"
#include "ui/models/run_texts.h"

namespace meshreel {

namespace {

QString phaseTitle(Phase phase) {
    switch (phase) {
        case Phase::Load:
            return RunReporter::tr("Loading the model");
        case Phase::Compile:
            return RunReporter::tr("Preparing weights");
        case Phase::Conditioning:
            return RunReporter::tr("Reading the prompt");
        case Phase::Denoise:
            return RunReporter::tr("Denoising");
        case Phase::Decode:
            return RunReporter::tr("Decoding the video");
        case Phase::Format:
            return RunReporter::tr("Writing the video");
    }
    return {};
}

/// Small enough that a whole video of them, which no plan counts, does not matter.
QImage forLiveView(const QImage& picture) {
    constexpr int longestSide = 832;  // that of 480p: shown as it is
    if (std::max(picture.width(), picture.height()) <= longestSide)
        return picture;
    return picture.scaled(longestSide, longestSide, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

}  // namespace

void RunReporter::planned(const RunPlan& plan) {
    m_project = resolvedYaml(plan.project);
    m_framesPerSecond = plan.project.fps;
    m_videoSeconds = static_cast<double>(plan.project.numFrames) / plan.project.fps;
}

void RunReporter::log(const QString& words, bool isWarning) {
    m_mailbox.post([&](RunNews& news) { news.log.push_back({QTime::currentTime(), words, isWarning}); });
}

void RunReporter::tell(const StageNews& stage) {
    m_mailbox.post([&stage](RunNews& news) { news.stages.push_back(stage); });
}

void RunReporter::phaseStarted(Phase phase) {
    tell({.phase = phase, .kind = StageNews::Kind::Started});
    log(phaseTitle(phase));
}

void RunReporter::foundInCache(Phase phase) {
    tell({.phase = phase, .kind = StageNews::Kind::FoundInCache});
}

void RunReporter::phaseFinished(Phase phase, double seconds) {
    tell({.phase = phase, .kind = StageNews::Kind::Finished, .seconds = seconds});
    log(tr("%1: done in %2", "phase, duration").arg(phaseTitle(phase), durationText(seconds)));
}

void RunReporter::folderReady(const std::filesystem::path& folder) {
    log(tr("Run folder: %1").arg(QString::fromStdString(withTilde(folder))));
    m_mailbox.post([&folder](RunNews& news) { news.folder = QString::fromStdString(folder.string()); });
}

void RunReporter::progressed(const Progress& progress) {
    RunProgress values{.phase = progress.phase,
                       .phaseTitle = phaseTitle(progress.phase),
                       .stepsDone = progress.stepsDone,
                       .steps = progress.steps,
                       .fraction = progress.fraction,
                       .secondsLeft = progress.secondsLeft,
                       .decoded = progress.decoded};
    m_mailbox.post([&values](RunNews& news) { news.progress = std::move(values); });
}

void RunReporter::stepFinished(const StepRecord& step, const SamplerSnapshot& /*snapshot*/) {
    m_mailbox.post([&step](RunNews& news) { news.steps.push_back(step); });
    log(tr("Step %1: %2", "number of a step, duration").arg(step.step + 1).arg(durationText(step.seconds)));
    if (m_stop.afterStep)
        m_stop.now.request_stop();
}

void RunReporter::devicesWorked(const StepDeviceTimes& times) {
    m_mailbox.post([&times](RunNews& news) { news.devices.push_back(times); });
}

void RunReporter::preview(int /*step*/, const Tensor& frames) {
    Clip clip = clipOf(frames, m_framesPerSecond);
    clip.framesPerSecond = static_cast<double>(clip.frames.size()) / m_videoSeconds;
    m_mailbox.post([&clip](RunNews& news) { news.preview = std::move(clip); });
}

void RunReporter::framesDecoded(const DecodedFrames& decoded) {
    ClipPart part{.clip = clipOf(decoded.frames, m_framesPerSecond),
                  .first = static_cast<int>(decoded.first),
                  .total = static_cast<int>(decoded.total)};
    for (QImage& picture : part.clip.frames)
        picture = forLiveView(picture);
    m_mailbox.post([&part](RunNews& news) { news.decoded.push_back(std::move(part)); });
}

void RunReporter::framesReady(const Tensor& frames) {
    Clip clip = clipOf(frames, m_framesPerSecond);
    clip.project = m_project;
    m_mailbox.post([&clip](RunNews& news) { news.frames = std::move(clip); });
}

void RunReporter::message(MessageLevel level, const Sentence& text) {
    log(QString::fromStdString(text.text()), level == MessageLevel::Warning);
    if (level == MessageLevel::Warning)
        m_mailbox.post([&text](RunNews& news) { news.warnings.append(sentenceText(text)); });
}

void RunReporter::videoWritten(const WrittenVideo& video) {
    if (!video.note.empty())
        message(MessageLevel::Warning, video.note);
}

}  // namespace meshreel
