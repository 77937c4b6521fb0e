// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/events/run_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view hostile = "/runs/\"quotes\",\nline\\ {} \x7f ünïcode";

Tensor pictures(std::int64_t time, std::int64_t height, std::int64_t width) {
    Tensor frames = Tensor::empty({time, height, width, 3}, DType::U8);
    for (std::int64_t i = 0; i < frames.elements(); ++i)
        frames.data<std::uint8_t>()[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(251 - 37 * i);
    return frames;
}

/// The event after its way to a line and back.
template <typename Event>
Event sent(const Event& event) {
    const std::optional<std::string> line = eventLine(event);
    EXPECT_TRUE(line) << Event::event;
    EXPECT_EQ(line.value_or("").find('\n'), std::string::npos);
    const std::optional<RunEvent> back = readEventLine(line.value_or(""));
    EXPECT_TRUE(back && std::holds_alternative<Event>(*back)) << *line;
    return back && std::holds_alternative<Event>(*back) ? std::get<Event>(*back) : Event();
}

/// A value that is no default: of each type that fields have, number `index` of its struct.
template <typename Value>
Value other(int index) {
    constexpr int apart = 5;  // so that the frames of DecodedFrames lie within its total
    if constexpr (std::is_same_v<Value, bool>)
        return true;
    else if constexpr (std::is_arithmetic_v<Value>)
        return static_cast<Value>(apart * (index + 1) + (std::is_floating_point_v<Value> ? 0.1 : 0));
    else if constexpr (NamedEnum<Value>)
        return static_cast<Value>(EnumNames<Value>::names.size() - 1);
    else if constexpr (std::is_same_v<Value, VideoFormat>)
        return VideoFormat::Gif;
    else if constexpr (std::is_same_v<Value, Sentence>)
        return sentence("{} videos were written", hostile);
    else if constexpr (std::is_same_v<Value, Tensor>)
        return pictures(2, 1, 3);
    else if constexpr (std::is_same_v<Value, std::optional<double>>)
        return 1.5;
    else if constexpr (std::is_same_v<Value, std::optional<TimingSummary>>)
        return TimingSummary{.load = 1.5};
    else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>)
        return {1, 16, 1L << 40};
    else if constexpr (std::is_same_v<Value, std::vector<DeviceTime>>)
        return {{0.0625, 0.1, 1e-9, 1L << 40, 0.75}, {.computing = 0.5}};
    else if constexpr (std::is_same_v<Value, std::vector<ListedProblem>>)
        return {{.id = "value-off-grid",
                 .severity = Severity::Warning,
                 .key = "width",
                 .line = 3,
                 .text = sentence("{} is off its grid", hostile),
                 .fixes = {{{.key = "width", .value = "64"}, {.key = "height", .value = "32"}}}}};
    else
        return Value(hostile);
}

/// An event with something else than the default in every field.
template <typename Event>
Event sample() {
    Event event;
    if constexpr (Record<Event>)
        forEachField<Event>([&, index = 0]<typename Value>(const RecordField<Event, Value>& each) mutable {
            event.*each.member = other<Value>(index++);
        });
    return event;
}

/// What stands for a value in a comparison.
template <typename Event>
std::string line(const Event& event) {
    return eventLine(event).value_or("no line");
}

TEST(EventLines, EveryFieldOfEveryEventComesBack) {
    std::size_t stay = 0;
    const auto check = [&]<typename Event>(const Event& event) {
        if constexpr (requires { Event::event; }) {
            EXPECT_EQ(line(sent(event)), line(event));
            // A field that either way forgot would read as its default.
            if constexpr (!std::is_same_v<Event, Preview> && !std::is_same_v<Event, DecodedFrames>) {
                const auto json = nlohmann::json::parse(line(event));
                const auto untouched = nlohmann::json::parse(line(Event()));
                for (const std::string_view name : fieldNames<Event>())
                    EXPECT_NE(json.at(std::string(name)), untouched.at(std::string(name)))
                        << Event::event << "." << name;
            }
        } else {
            EXPECT_FALSE(eventLine(event));
            ++stay;
        }
    };
    [&]<std::size_t... index>(std::index_sequence<index...>) {
        (check(sample<std::variant_alternative_t<index, RunEvent>>()), ...);
    }
    (std::make_index_sequence<std::variant_size_v<RunEvent>>());
    EXPECT_EQ(stay, 4U) << "checkpoints, latents, whole videos and times of stages stay in the process";
}

/// Keys are never renamed or removed; later versions may add some at the end.
TEST(EventLines, HaveTheKeysThatOtherProgramsRead) {
    EXPECT_EQ(line(ProblemsFound{{{.id = "value-off-grid",
                                   .key = "width",
                                   .line = 3,
                                   .text = Sentence("p.yaml:3: 70"),
                                   .fixes = {{{.key = "width", .value = "64"}}}}}}),
              R"({"event":"problems","problems":[{"id":"value-off-grid","severity":"error","key":"width",)"
              R"("line":3,"text":"p.yaml:3: 70","fixes":[{"width":"64"}]}]})");
    EXPECT_THAT(line(PhaseFinished{Phase::Decode, 0.5}),
                StartsWith(R"({"event":"phase_finished","phase":"Decode","seconds":0.5)"));
    EXPECT_THAT(line(Progress{.phase = Phase::Load, .steps = 30}),
                StartsWith(R"({"event":"progress","phase":"Load","steps_done":0,"steps":30,"fraction":0.0,)"
                           R"("seconds_left":null,"decoded":0.0)"));
    EXPECT_THAT(
        line(StepRecord{3, 500, 0.5, 1.25, -1, 1, 0}),
        StartsWith(R"({"event":"step","step":3,"timestep":500.0,"sigma":0.5,"seconds":1.25,"min":-1.0,)"
                   R"("max":1.0,"mean":0.0,"expert":1,"work":"full")"));
    EXPECT_THAT(line(StepDeviceTimes{1, {{0.5, 0.25, 0.125, 8}}}),
                StartsWith(R"({"event":"devices","step":1,"devices":[{"computing":0.5,"exchanging":0.25,)"
                           R"("waiting":0.125,"received":8)"));
    EXPECT_THAT(line(Preview{7, Tensor::zeros({1, 1, 1, 3}, DType::U8)}),
                StartsWith(R"({"event":"preview","step":7,"size":[1,1,1],"rgb":"AAAA")"));
    EXPECT_THAT(line(RunOutcome{.folder = "/a", .video = "/a/video.mp4"}),
                StartsWith(R"({"event":"finished","path":"/a","nothing_to_do":false,"video":"/a/video.mp4",)"
                           R"("note":"","timings":null)"));
}

TEST(EventLines, CarryPictures) {
    for (const std::int64_t width : {1, 2, 3, 4}) {  // every padding of base64
        const Preview preview{7, pictures(2, 1, width)};
        const Tensor back = sent(preview).frames;
        ASSERT_EQ(back.shape(), preview.frames.shape());
        EXPECT_TRUE(std::ranges::equal(back.data<std::uint8_t>(), preview.frames.data<std::uint8_t>()));
    }
}

TEST(EventLines, PicturesThatAreNotWholeOrNotOfTheVideoArePassedOver) {
    for (const char* text :
         {R"({"event":"frames","first":0,"total":1,"size":[1,1,2],"rgb":"AAAA"})",
          R"({"event":"frames","first":-1,"total":1,"size":[1,1,1],"rgb":"AAAA"})",
          R"({"event":"frames","first":1,"total":1,"size":[1,1,1],"rgb":"AAAA"})",
          R"({"event":"frames","total":1,"size":[1,1,1],"rgb":"AAAA"})",
          R"({"event":"frames","first":9223372036854775807,"total":16,"size":[1,1,1],"rgb":"AAAA"})",
          R"({"event":"frames","first":0,"total":99999999,"size":[1,1,1],"rgb":"AAAA"})",
          R"({"event":"preview","step":1,"size":[1,1,2],"rgb":"AAAA"})",
          R"({"event":"preview","step":1,"size":[1,1,-1],"rgb":""})",
          R"({"event":"preview","step":1,"size":[1,1,1],"rgb":"AA"})",
          R"({"event":"preview","step":1,"size":[1,1],"rgb":"AAAA"})"})
        EXPECT_FALSE(readEventLine(text)) << text;
}

TEST(EventLines, SayHowAnExceptionEndsTheRun) {
    const RunFailed known = RunFailed::from(Error(ErrorKind::Device, sentence("rank {} is gone", 2)));
    EXPECT_EQ(known.exitCode, 5);
    const RunFailed back = sent(known);
    EXPECT_EQ(back.why.text(), "rank 2 is gone.");
    ASSERT_EQ(back.why.parts().size(), 1U);
    EXPECT_EQ(back.why.parts()[0].pattern(), "rank {} is gone");
    const RunFailed unknown = RunFailed::from(std::runtime_error("odd"));
    EXPECT_EQ(unknown.exitCode, exitCode(ErrorKind::Internal));
    EXPECT_THAT(unknown.why.text(), HasSubstr("odd"));
}

TEST(EventLines, CarryWhatTheirSentencesAreMadeOf) {
    EXPECT_EQ(sent(sample<VideoWritten>()).note.pattern(), "{} videos were written");
    EXPECT_EQ(sent(sample<RunMessage>()).text.pattern(), "{} videos were written");
}

TEST(EventLines, OfEarlierVersionsLackTheirLaterFields) {
    const auto message = readEventLine(R"({"event":"message","level":"warning","text":"slow"})");
    ASSERT_TRUE(message);
    EXPECT_EQ(std::get<RunMessage>(*message).text.text(), "slow");
    EXPECT_TRUE(std::get<RunMessage>(*message).text.pattern().empty());
    const auto step = readEventLine(
        R"({"event":"step","step":3,"timestep":500,"sigma":0.5,"seconds":1.25,"min":-1,"max":1,"mean":0})");
    ASSERT_TRUE(step);
    EXPECT_EQ(std::get<StepRecord>(*step), (StepRecord{3, 500, 0.5, 1.25, -1, 1, 0}));
}

TEST(EventLines, OfNewerVersionsAreReadAsFarAsTheyAreKnown) {
    const auto started = readEventLine(R"({"event":"phase_started","phase":"Dream","depth":[1,2]})");
    ASSERT_TRUE(started);
    EXPECT_EQ(std::get<PhaseStarted>(*started).phase, Phase::Load);
    const auto video = readEventLine(R"({"event":"video","path":"/v","format":"hologram","note":""})");
    ASSERT_TRUE(video);
    EXPECT_EQ(std::get<VideoWritten>(*video).format, VideoFormat::Mp4);
    EXPECT_FALSE(readEventLine(R"({"event":"dream","phase":"Load"})"));
}

TEST(EventLines, ForeignAndDamagedLinesAreIgnored) {
    for (const char* text :
         {"", "hello", "{", "[1]", "{}", R"({"event": 3})", R"({"event": "dance"})", R"({"event": "step"})",
          R"({"event": "progress", "phase": 3})", R"({"event": "devices", "step": 0})",
          R"({"event": "devices", "step": 0, "devices": [3]})", R"({"event": "folder", "path": null})"})
        EXPECT_FALSE(readEventLine(text)) << text;
    const std::string whole = line(sample<StepDeviceTimes>());
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_FALSE(readEventLine(std::string_view(whole).substr(0, length))) << length;
}

TEST(RunEvent, IsHandledByTheFunctionThatTakesIt) {
    std::vector<std::string> taken;
    const auto note = [&](const RunEvent& event) {
        handle(
            event, [&](const PhaseStarted&) { taken.emplace_back("started"); },
            [&](const StepRecord&) { taken.emplace_back("step"); });
    };
    note(StepRecord{});
    note(Progress{});
    note(PhaseStarted{});
    EXPECT_THAT(taken, ElementsAre("step", "started"));
}

}  // namespace
}  // namespace meshreel
