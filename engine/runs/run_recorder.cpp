// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_recorder.h"

namespace meshreel {

RunRecorder::RunRecorder(const RunFolder& folder, Log& log, RunObserver& next)
    : m_folder(folder),
      m_log(log),
      m_steps(folder.steps()),
      m_deviceTimes(folder.deviceTimes()),
      m_next(next) {}

void RunRecorder::planned(const RunPlan& plan) {
    m_next.planned(plan);
}

void RunRecorder::folderReady(const std::filesystem::path& folder) {
    m_next.folderReady(folder);
}

void RunRecorder::videoWritten(const WrittenVideo& video) {
    m_log.info("video written: {}", video.file.filename().string());
    m_next.videoWritten(video);
}

void RunRecorder::phaseStarted(Phase phase) {
    m_log.info("{} started", nameOf(phase));
    m_next.phaseStarted(phase);
}

void RunRecorder::phaseFinished(Phase phase, double seconds) {
    m_log.info("{} finished after {:.3f} s", nameOf(phase), seconds);
    m_next.phaseFinished(phase, seconds);
}

void RunRecorder::foundInCache(Phase phase) {
    m_next.foundInCache(phase);
}

void RunRecorder::progressed(const Progress& progress) {
    m_next.progressed(progress);
}

void RunRecorder::stepFinished(const StepRecord& record, const SamplerSnapshot& snapshot) {
    m_steps.push_back(record);
    // The checkpoint first: a row of steps.csv promises that its step need not be computed again.
    m_folder.writeCheckpoint({snapshot, record});
    m_folder.writeSteps(m_steps);
    m_log.info("step {} finished after {:.3f} s", record.step + 1, record.seconds);
    m_next.stepFinished(record, snapshot);
}

void RunRecorder::devicesWorked(const StepDeviceTimes& times) {
    m_deviceTimes.push_back(times);
    m_folder.writeDeviceTimes(m_deviceTimes);
    m_next.devicesWorked(times);
}

bool RunRecorder::wantsPreviews() const {
    return m_next.wantsPreviews();
}

void RunRecorder::preview(int step, const Tensor& frames) {
    m_next.preview(step, frames);
}

void RunRecorder::framesDecoded(const DecodedFrames& decoded) {
    m_next.framesDecoded(decoded);
}

void RunRecorder::latentsReady(const Tensor& latents) {
    m_folder.writeLatents(latents);
    m_next.latentsReady(latents);
}

void RunRecorder::framesReady(const Tensor& frames) {
    m_next.framesReady(frames);
}

void RunRecorder::message(MessageLevel level, const Sentence& text) {
    m_log.log(level == MessageLevel::Warning ? spdlog::level::warn : spdlog::level::info, "{}", text);
    m_next.message(level, text);
}

}  // namespace meshreel
