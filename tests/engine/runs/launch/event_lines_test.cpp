// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/event_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Listener : public RunObserver {
  public:
    void folderReady(const std::filesystem::path& folder) override {
        heard.push_back("folder " + folder.string());
    }
    void phaseStarted(Phase phase) override { heard.push_back("+" + std::string(nameOf(phase))); }
    void phaseFinished(Phase phase, double seconds) override {
        heard.push_back("-" + std::string(nameOf(phase)) + " " + std::to_string(seconds));
    }
    void foundInCache(Phase phase) override { heard.push_back("=" + std::string(nameOf(phase))); }
    void progressed(const Progress& value) override { progress = value; }
    void stepFinished(const StepRecord& record, const SamplerSnapshot&) override { steps.push_back(record); }
    void devicesWorked(const StepDeviceTimes& times) override { devices = times; }
    void videoWritten(const WrittenVideo& video) override { heard.push_back("video " + video.file.string()); }
    void message(MessageLevel level, const Sentence& text) override {
        heard.push_back((level == MessageLevel::Warning ? "! " : "i ") + text.text());
        patterns.push_back(text.pattern());
    }

    void preview(int step, const Tensor& frames) override {
        heard.push_back("preview " + std::to_string(step));
        picture = frames;
    }

    void framesDecoded(const DecodedFrames& decoded) override {
        heard.push_back("frames " + std::to_string(decoded.first) + " of " + std::to_string(decoded.total));
        picture = decoded.frames;
    }

    std::vector<std::string> heard;
    std::vector<std::string> patterns;  ///< of messages
    Tensor picture;
    std::vector<StepRecord> steps;
    StepDeviceTimes devices;
    Progress progress;
};

TEST(EventLines, AreHeardAsTheyWereTold) {
    Listener listener;
    EventLines told([&](const std::string& line) {
        EXPECT_EQ(line.find('\n'), std::string::npos);
        EXPECT_FALSE(deliverEventLine(line, listener).has_value());
    });
    const StepRecord step{.step = 3,
                          .timestep = 812.25,
                          .sigma = 0.8125,
                          .seconds = 0.1,
                          .latentMin = -2.5,
                          .latentMax = 3.25,
                          .latentMean = 0.015625};
    told.folderReady("/runs/with \"quotes\"");
    told.phaseStarted(Phase::Denoise);
    told.stepFinished(step, {});
    const StepDeviceTimes devices{
        .step = 3,
        .devices = {{.computing = 0.0625, .exchanging = 0.1, .waiting = 1e-9, .bytesReceived = 1L << 40},
                    {.computing = 0.5}}};
    told.devicesWorked(devices);
    told.progressed({.phase = Phase::Denoise,
                     .stepsDone = 4,
                     .steps = 30,
                     .fraction = 0.25,
                     .secondsLeft = 1.5,
                     .decoded = 0.75});
    told.phaseFinished(Phase::Denoise, 2);
    told.foundInCache(Phase::Conditioning);
    told.phaseStarted(Phase::Format);
    told.message(MessageLevel::Warning, "Two\nlines");
    told.videoWritten({.file = "/runs/a/video.gif", .format = VideoFormat::Gif, .note = ""});

    EXPECT_THAT(listener.heard,
                ElementsAre("folder /runs/with \"quotes\"", "+Denoise", "-Denoise 2.000000", "=Conditioning",
                            "+Format", "! Two\nlines", "video /runs/a/video.gif"));
    EXPECT_THAT(listener.steps, ElementsAre(step));
    EXPECT_EQ(listener.devices, devices);
    EXPECT_EQ(listener.progress.stepsDone, 4);
    EXPECT_EQ(listener.progress.secondsLeft, 1.5);
    EXPECT_EQ(listener.progress.decoded, 0.75);
}

TEST(EventLines, CarryPreviewsWhenAsked) {
    for (const std::int64_t width : {1, 2, 3, 4}) {  // every padding of base64
        Tensor frames = Tensor::empty({2, 1, width, 3}, DType::U8);
        for (std::int64_t i = 0; i < frames.elements(); ++i)
            frames.data<std::uint8_t>()[static_cast<std::size_t>(i)] =
                static_cast<std::uint8_t>(251 - 37 * i);
        Listener listener;
        EventLines told([&](const std::string& line) { deliverEventLine(line, listener); },
                        EventLines::Previews::Yes);
        EXPECT_TRUE(told.wantsPreviews());
        told.preview(7, frames);
        EXPECT_THAT(listener.heard, ElementsAre("preview 7"));
        ASSERT_EQ(listener.picture.shape(), frames.shape());
        EXPECT_TRUE(std::ranges::equal(listener.picture.data<std::uint8_t>(), frames.data<std::uint8_t>()));
    }
    EXPECT_FALSE(EventLines([](const std::string&) {}).wantsPreviews());
}

TEST(EventLines, CarryDecodedFrames) {
    Tensor frames = Tensor::empty({2, 1, 2, 3}, DType::U8);
    const auto bytes = frames.data<std::uint8_t>();
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{250});
    Listener listener;
    EventLines told([&](const std::string& line) { deliverEventLine(line, listener); },
                    EventLines::Previews::Yes);
    told.framesDecoded({.first = 5, .total = 9, .frames = frames});
    EXPECT_THAT(listener.heard, ElementsAre("frames 5 of 9"));
    ASSERT_EQ(listener.picture.shape(), frames.shape());
    EXPECT_TRUE(std::ranges::equal(listener.picture.data<std::uint8_t>(), frames.data<std::uint8_t>()));
}

TEST(EventLines, FramesThatAreNotWholeOrNotOfTheVideoArePassedOver) {
    Listener listener;
    for (const char* line :
         {R"({"event":"frames","first":0,"total":1,"size":[1,1,2],"rgb":"AAAA"})",
          R"({"event":"frames","first":-1,"total":1,"size":[1,1,1],"rgb":"AAAA"})",
          R"({"event":"frames","first":1,"total":1,"size":[1,1,1],"rgb":"AAAA"})",
          R"({"event":"frames","total":1,"size":[1,1,1],"rgb":"AAAA"})",
          R"({"event":"frames","first":9223372036854775807,"total":16,"size":[1,1,1],"rgb":"AAAA"})",
          R"({"event":"frames","first":0,"total":99999999,"size":[1,1,1],"rgb":"AAAA"})"})
        EXPECT_FALSE(deliverEventLine(line, listener).has_value());
    EXPECT_THAT(listener.heard, ::testing::IsEmpty());
}

TEST(EventLines, APreviewThatIsNotWholeIsPassedOver) {
    Listener listener;
    for (const char* line : {R"({"event":"preview","step":1,"size":[1,1,2],"rgb":"AAAA"})",
                             R"({"event":"preview","step":1,"size":[1,1,-1],"rgb":""})",
                             R"({"event":"preview","step":1,"size":[1,1,1],"rgb":"AA"})",
                             R"({"event":"preview","step":1,"size":[1,1],"rgb":"AAAA"})"})
        EXPECT_FALSE(deliverEventLine(line, listener).has_value());
    EXPECT_THAT(listener.heard, ::testing::IsEmpty());
}

TEST(EventLines, TellTheEnd) {
    Listener listener;
    std::optional<ToldEnd> end;
    EventLines told([&](const std::string& line) { end = deliverEventLine(line, listener); });

    RunOutcome outcome;
    outcome.folder = "/runs/a";
    outcome.timings = TimingSummary{.load = 1.5};
    told.finished(outcome);
    ASSERT_TRUE(end && end->outcome);
    EXPECT_EQ(end->outcome->folder, "/runs/a");
    EXPECT_EQ(end->outcome->timings->load, 1.5);

    told.failed(Error(ErrorKind::Device, "rank 2 on host b is gone"));
    ASSERT_TRUE(end);
    EXPECT_FALSE(end->outcome);
    EXPECT_EQ(end->exitCode, 5);
    EXPECT_THAT(end->why, HasSubstr("rank 2 on host b is gone"));
}

TEST(EventLines, CarryWhatTheirSentencesAreMadeOf) {
    Listener listener;
    std::optional<ToldEnd> end;
    EventLines told([&](const std::string& line) { end = deliverEventLine(line, listener); });
    told.message(MessageLevel::Warning, sentence("{} videos were written", 4));
    EXPECT_THAT(listener.heard, ElementsAre("! 4 videos were written"));
    EXPECT_THAT(listener.patterns, ElementsAre("{} videos were written"));

    RunOutcome outcome;
    outcome.note = sentence("The run is finished already");
    told.finished(outcome);
    ASSERT_TRUE(end && end->outcome);
    EXPECT_EQ(end->outcome->note.pattern(), "The run is finished already");

    told.failed(Error(ErrorKind::Device, sentence("rank {} is gone", 2)));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->why.text(), "rank 2 is gone.");
    ASSERT_EQ(end->why.parts().size(), 1U);
    EXPECT_EQ(end->why.parts()[0].pattern(), "rank {} is gone");
}

TEST(EventLines, OfEarlierVersionsTellTheirSentencesInEnglish) {
    Listener listener;
    deliverEventLine(R"({"event":"message","level":"warning","text":"slow"})", listener);
    EXPECT_THAT(listener.heard, ElementsAre("! slow"));
    const auto end = deliverEventLine(R"({"event":"failed","why":"gone.","exit_code":5})", listener);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->why.text(), "gone.");
    EXPECT_TRUE(end->why.pattern().empty());
}

TEST(EventLines, ForeignAndDamagedLinesAreIgnored) {
    Listener listener;
    for (const char* line : {"", "hello", "{", "[1]", R"({"event": "dance"})", R"({"event": "step"})",
                             R"({"event": "progress", "phase": 3})", R"({"event": "devices", "step": 0})",
                             R"({"event": "devices", "step": 0, "devices": [3]})"})
        EXPECT_FALSE(deliverEventLine(line, listener).has_value()) << line;
    EXPECT_TRUE(listener.heard.empty());
    EXPECT_TRUE(listener.steps.empty());
}

}  // namespace
}  // namespace meshreel
