// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/json_events.h"

#include <fmt/core.h>

#include <cstdio>

namespace meshreel {
namespace {

using Json = nlohmann::ordered_json;

Json stepFields(const StepRecord& record) {
    return {{"step", record.step},       {"timestep", record.timestep}, {"sigma", record.sigma},
            {"seconds", record.seconds}, {"min", record.latentMin},     {"max", record.latentMax},
            {"mean", record.latentMean}};
}

}  // namespace

void JsonEvents::emit(std::string_view event, const Json& fields) {
    Json line{{"event", event}};
    line.update(fields);
    // Paths need not be UTF-8; JSON must.
    fmt::print("{}\n", line.dump(-1, ' ', false, Json::error_handler_t::replace));
    std::fflush(stdout);
}

void JsonEvents::planned(const RunPlan& plan) {
    emit("planned", {{"latent_shape", plan.latentShape.extents()},
                     {"tokens", plan.tokens},
                     {"steps", plan.project.numInferenceSteps},
                     {"workers", plan.workersPerDevice},
                     {"memory_bytes", plan.memory.peak()},
                     {"flops", plan.flops.denoising}});
}

void JsonEvents::folderReady(const std::filesystem::path& folder) {
    emit("folder", {{"path", folder.string()}});
}

void JsonEvents::phaseStarted(Phase phase) {
    emit("phase_started", {{"phase", nameOf(phase)}});
}

void JsonEvents::phaseFinished(Phase phase, double seconds) {
    emit("phase_finished", {{"phase", nameOf(phase)}, {"seconds", seconds}});
}

void JsonEvents::progressed(const Progress& progress) {
    emit("progress", {{"phase", nameOf(progress.phase)},
                      {"steps_done", progress.stepsDone},
                      {"steps", progress.steps},
                      {"fraction", progress.fraction},
                      {"seconds_left", progress.secondsLeft ? Json(*progress.secondsLeft) : Json()}});
}

void JsonEvents::stepFinished(const StepRecord& record, const SamplerSnapshot&) {
    emit("step", stepFields(record));
}

void JsonEvents::videoWritten(const WrittenVideo& video) {
    emit("video", {{"path", video.file.string()},
                   {"format", videoFormatInfo(video.format).name},
                   {"note", video.note}});
}

void JsonEvents::message(MessageLevel level, const std::string& text) {
    emit("message", {{"level", level == MessageLevel::Warning ? "warning" : "info"}, {"text", text}});
}

void JsonEvents::finished(const RunOutcome& outcome) {
    emit("finished", {{"path", outcome.folder.string()},
                      {"nothing_to_do", outcome.nothingToDo},
                      {"video", outcome.video.string()},
                      {"note", outcome.note},
                      {"timings", outcome.timings ? Json(nlohmann::json(*outcome.timings)) : Json()}});
}

void JsonEvents::failed(const std::exception& failure) {
    const auto* known = dynamic_cast<const Error*>(&failure);
    emit("failed",
         {{"why", failure.what()}, {"exit_code", exitCode(known ? known->kind() : ErrorKind::Internal)}});
}

}  // namespace meshreel
