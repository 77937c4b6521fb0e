// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/event_lines.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/sentence_json.h"
#include "engine/base/strings.h"

namespace meshreel {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t maxSide = 1 << 16;  // of a preview; so that sizes can be multiplied
constexpr std::int64_t maxFrames = 1 << 24;

constexpr std::array phases{Phase::Load,    Phase::Compile, Phase::Conditioning,
                            Phase::Denoise, Phase::Decode,  Phase::Format};

Json stepFields(const StepRecord& record) {
    return {{"step", record.step},       {"timestep", record.timestep}, {"sigma", record.sigma},
            {"seconds", record.seconds}, {"min", record.latentMin},     {"max", record.latentMax},
            {"mean", record.latentMean}, {"expert", record.expert},     {"work", nameOf(record.work)}};
}

StepRecord stepOf(const Json& event) {
    return {.step = event.at("step").get<int>(),
            .timestep = event.at("timestep").get<double>(),
            .sigma = event.at("sigma").get<double>(),
            .seconds = event.at("seconds").get<double>(),
            .latentMin = event.at("min").get<double>(),
            .latentMax = event.at("max").get<double>(),
            .latentMean = event.at("mean").get<double>(),
            .expert = event.value("expert", 1),
            .work = stepWorkNamed(event.value("work", "")).value_or(StepWork::Everything)};
}

Json fieldsOf(const DeviceTime& time) {
    return {{"computing", time.computing},
            {"exchanging", time.exchanging},
            {"waiting", time.waiting},
            {"received", time.bytesReceived}};
}

DeviceTime deviceTimeOf(const Json& device) {
    return {.computing = device.at("computing").get<double>(),
            .exchanging = device.at("exchanging").get<double>(),
            .waiting = device.at("waiting").get<double>(),
            .bytesReceived = device.at("received").get<std::int64_t>()};
}

StepDeviceTimes deviceTimesOf(const Json& event) {
    StepDeviceTimes times{.step = event.at("step").get<int>(), .devices = {}};
    for (const Json& device : event.at("devices"))
        times.devices.push_back(deviceTimeOf(device));
    return times;
}

Phase phaseOf(const Json& event) {
    const auto name = event.at("phase").get<std::string>();
    const auto* found = std::ranges::find_if(phases, [&](Phase phase) { return nameOf(phase) == name; });
    return found == phases.end() ? Phase::Load : *found;
}

Progress progressOf(const Json& event) {
    Progress progress{.phase = phaseOf(event),
                      .stepsDone = event.at("steps_done").get<int>(),
                      .steps = event.at("steps").get<int>(),
                      .fraction = event.at("fraction").get<double>(),
                      .secondsLeft = std::nullopt};
    progress.decoded = event.value("decoded", 0.0);
    if (event.at("seconds_left").is_number())
        progress.secondsLeft = event.at("seconds_left").get<double>();
    return progress;
}

std::string_view bytesOf(const Tensor& tensor) {
    const std::span<const std::uint8_t> bytes = tensor.data<std::uint8_t>();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Json fieldsOfPictures(const Tensor& frames) {
    return {{"size", {frames.extent(0), frames.extent(1), frames.extent(2)}},
            {"rgb", encodeBase64(bytesOf(frames))}};
}

/// u8 [time, height, width, 3]; nothing when the pictures are not whole.
std::optional<Tensor> picturesOf(const Json& event) {
    constexpr std::int64_t colours = 3;
    const auto sizes = event.at("size").get<std::array<std::int64_t, 3>>();
    const auto bytes = decodeBase64(event.at("rgb").get<std::string>());
    if (!bytes || std::ranges::any_of(sizes, [](std::int64_t size) { return size < 1 || size > maxSide; }) ||
        std::ssize(*bytes) != sizes[0] * sizes[1] * sizes[2] * colours)
        return std::nullopt;
    Tensor frames = Tensor::empty({sizes[0], sizes[1], sizes[2], colours}, DType::U8);
    std::memcpy(frames.raw(), bytes->data(), bytes->size());
    return frames;
}

std::optional<DecodedFrames> decodedFramesOf(const Json& event) {
    const std::optional<Tensor> frames = picturesOf(event);
    const auto first = event.at("first").get<std::int64_t>();
    const auto total = event.at("total").get<std::int64_t>();
    if (!frames || first < 0 || total > maxFrames || first > total - frames->extent(0))
        return std::nullopt;
    return DecodedFrames{.first = first, .total = total, .frames = *frames};
}

WrittenVideo videoOf(const Json& event) {
    const VideoFormatInfo* format = findVideoFormat(event.at("format").get<std::string>());
    return {.file = event.at("path").get<std::string>(),
            .format = format != nullptr ? format->format : VideoFormat::Mp4,
            .note = sentenceAt(event, "note")};
}

RunOutcome outcomeOf(const Json& event) {
    RunOutcome outcome;
    outcome.folder = event.at("path").get<std::string>();
    outcome.nothingToDo = event.at("nothing_to_do").get<bool>();
    outcome.note = sentenceAt(event, "note");
    outcome.video = event.at("video").get<std::string>();
    if (event.at("timings").is_object())
        outcome.timings = nlohmann::json(event.at("timings")).get<TimingSummary>();
    return outcome;
}

/// One event: how it is heard. Returns the end of the run when it is one.
struct Hearing {
    std::string_view event;
    std::optional<ToldEnd> (*deliver)(const Json& event, RunObserver& observer);
};

constexpr std::array hearings{
    Hearing{"folder",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                observer.folderReady(event.at("path").get<std::string>());
                return std::nullopt;
            }},
    Hearing{"phase_started",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                observer.phaseStarted(phaseOf(event));
                return std::nullopt;
            }},
    Hearing{"phase_finished",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                observer.phaseFinished(phaseOf(event), event.at("seconds").get<double>());
                return std::nullopt;
            }},
    Hearing{"cached",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                observer.foundInCache(phaseOf(event));
                return std::nullopt;
            }},
    Hearing{"progress",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                observer.progressed(progressOf(event));
                return std::nullopt;
            }},
    Hearing{"step",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                observer.stepFinished(stepOf(event), {});
                return std::nullopt;
            }},
    Hearing{"devices",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                observer.devicesWorked(deviceTimesOf(event));
                return std::nullopt;
            }},
    Hearing{"preview",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                if (const auto frames = picturesOf(event))
                    observer.preview(event.at("step").get<int>(), *frames);
                return std::nullopt;
            }},
    Hearing{"frames",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                if (const auto frames = decodedFramesOf(event))
                    observer.framesDecoded(*frames);
                return std::nullopt;
            }},
    Hearing{"video",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                observer.videoWritten(videoOf(event));
                return std::nullopt;
            }},
    Hearing{"message",
            [](const Json& event, RunObserver& observer) -> std::optional<ToldEnd> {
                const bool warning = event.at("level").get<std::string>() == "warning";
                observer.message(warning ? MessageLevel::Warning : MessageLevel::Info,
                                 sentenceAt(event, "text"));
                return std::nullopt;
            }},
    Hearing{"finished",
            [](const Json& event, RunObserver&) -> std::optional<ToldEnd> {
                return ToldEnd{.outcome = outcomeOf(event), .why = {}, .exitCode = 0};
            }},
    Hearing{"failed",
            [](const Json& event, RunObserver&) -> std::optional<ToldEnd> {
                return ToldEnd{.outcome = std::nullopt,
                               .why = sentenceAt(event, "why"),
                               .exitCode = event.at("exit_code").get<int>()};
            }},
};

}  // namespace

void EventLines::emit(std::string_view event, const Json& fields) const {
    Json line{{"event", event}};
    line.update(fields);
    // Paths need not be UTF-8; JSON must.
    m_sink(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void EventLines::planned(const RunPlan& plan) {
    emit("planned", {{"latent_shape", plan.latentShape.extents()},
                     {"tokens", plan.tokens},
                     {"steps", plan.steps()},
                     {"workers", plan.workersPerDevice},
                     {"memory_bytes", plan.memory.peak()},
                     {"flops", plan.flops.denoising}});
}

void EventLines::folderReady(const std::filesystem::path& folder) {
    emit("folder", {{"path", folder.string()}});
}

void EventLines::phaseStarted(Phase phase) {
    emit("phase_started", {{"phase", nameOf(phase)}});
}

void EventLines::phaseFinished(Phase phase, double seconds) {
    emit("phase_finished", {{"phase", nameOf(phase)}, {"seconds", seconds}});
}

void EventLines::foundInCache(Phase phase) {
    emit("cached", {{"phase", nameOf(phase)}});
}

void EventLines::progressed(const Progress& progress) {
    emit("progress", {{"phase", nameOf(progress.phase)},
                      {"steps_done", progress.stepsDone},
                      {"steps", progress.steps},
                      {"fraction", progress.fraction},
                      {"seconds_left", progress.secondsLeft ? Json(*progress.secondsLeft) : Json()},
                      {"decoded", progress.decoded}});
}

void EventLines::stepFinished(const StepRecord& record, const SamplerSnapshot&) {
    emit("step", stepFields(record));
}

void EventLines::devicesWorked(const StepDeviceTimes& times) {
    Json devices = Json::array();
    for (const DeviceTime& time : times.devices)
        devices.push_back(fieldsOf(time));
    emit("devices", {{"step", times.step}, {"devices", std::move(devices)}});
}

void EventLines::preview(int step, const Tensor& frames) {
    Json fields{{"step", step}};
    fields.update(fieldsOfPictures(frames));
    emit("preview", fields);
}

void EventLines::framesDecoded(const DecodedFrames& decoded) {
    Json fields{{"first", decoded.first}, {"total", decoded.total}};
    fields.update(fieldsOfPictures(decoded.frames));
    emit("frames", fields);
}

void EventLines::videoWritten(const WrittenVideo& video) {
    Json fields{{"path", video.file.string()}, {"format", videoFormatInfo(video.format).name}};
    putSentence(fields, "note", video.note);
    emit("video", fields);
}

void EventLines::message(MessageLevel level, const Sentence& text) {
    Json fields{{"level", level == MessageLevel::Warning ? "warning" : "info"}};
    putSentence(fields, "text", text);
    emit("message", fields);
}

void EventLines::finished(const RunOutcome& outcome) {
    Json fields{{"path", outcome.folder.string()},
                {"nothing_to_do", outcome.nothingToDo},
                {"video", outcome.video.string()}};
    putSentence(fields, "note", outcome.note);
    fields["timings"] = outcome.timings ? Json(nlohmann::json(*outcome.timings)) : Json();
    emit("finished", fields);
}

void EventLines::failed(const std::exception& failure) {
    const auto* known = dynamic_cast<const Error*>(&failure);
    Json fields;
    putSentence(fields, "why", known != nullptr ? known->asSentence() : Sentence(failure.what()));
    fields["exit_code"] = exitCode(known != nullptr ? known->kind() : ErrorKind::Internal);
    emit("failed", fields);
}

std::optional<ToldEnd> deliverEventLine(std::string_view line, RunObserver& observer) {
    const Json event = Json::parse(line, nullptr, false);
    if (!event.is_object() || !event.contains("event"))
        return std::nullopt;
    const auto name = event.at("event").get<std::string>();
    const auto* hearing = std::ranges::find(hearings, name, &Hearing::event);
    if (hearing == hearings.end())
        return std::nullopt;
    try {
        return hearing->deliver(event, observer);
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

}  // namespace meshreel
