// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controller/run_reporter.h"

#include "ui/controller/clip_conversion.h"

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
    }
    return {};
}

}  // namespace

void RunReporter::planned(const RunPlan& plan) {
    m_framesPerSecond = plan.project.fps;
    m_videoSeconds = static_cast<double>(plan.project.numFrames) / plan.project.fps;
}

void RunReporter::folderReady(const std::filesystem::path& folder) {
    m_mailbox.post([&folder](RunNews& news) { news.folder = QString::fromStdString(folder.string()); });
}

void RunReporter::progressed(const Progress& progress) {
    RunProgress values{phaseTitle(progress.phase), progress.stepsDone, progress.steps, progress.fraction,
                       progress.secondsLeft};
    m_mailbox.post([&values](RunNews& news) { news.progress = std::move(values); });
}

void RunReporter::stepFinished(const StepRecord& step, const SamplerSnapshot& /*snapshot*/) {
    m_mailbox.post([&step](RunNews& news) { news.steps.push_back(step); });
}

void RunReporter::preview(int /*step*/, const Tensor& frames) {
    Clip clip = clipOf(frames, m_framesPerSecond);
    clip.framesPerSecond = static_cast<double>(clip.frames.size()) / m_videoSeconds;
    m_mailbox.post([&clip](RunNews& news) { news.preview = std::move(clip); });
}

void RunReporter::framesReady(const Tensor& frames) {
    Clip clip = clipOf(frames, m_framesPerSecond);
    m_mailbox.post([&clip](RunNews& news) { news.frames = std::move(clip); });
}

void RunReporter::message(MessageLevel level, const std::string& text) {
    if (level == MessageLevel::Warning)
        m_mailbox.post([&text](RunNews& news) { news.warnings.append(QString::fromStdString(text)); });
}

void RunReporter::videoWritten(const WrittenVideo& video) {
    if (!video.note.empty())
        message(MessageLevel::Warning, video.note);
}

}  // namespace meshreel
