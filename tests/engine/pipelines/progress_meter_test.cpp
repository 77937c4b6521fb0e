// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/progress_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace meshreel {
namespace {

TEST(ProgressMeter, TellsNoTimeBeforeAStepWasMeasured) {
    ProgressMeter meter(10, 0);
    meter.setDecodeEstimate(5);
    const Progress progress = meter.at(Phase::Denoise);
    EXPECT_FALSE(progress.secondsLeft.has_value());
    EXPECT_EQ(progress.fraction, 0);
    EXPECT_EQ(progress.steps, 10);
}

TEST(ProgressMeter, TimeLeftIsTheMeanStepTimesTheStepsLeftAndTheDecoder) {
    ProgressMeter meter(10, 2);
    meter.setDecodeEstimate(5);
    meter.stepFinished(1);
    meter.stepFinished(3);
    const Progress progress = meter.at(Phase::Denoise);
    EXPECT_EQ(progress.stepsDone, 4);
    EXPECT_DOUBLE_EQ(progress.secondsLeft.value(), 6 * 2.0 + 5);
}

TEST(ProgressMeter, DecodingIsCorrectedByWhatItHasTaken) {
    using namespace std::chrono_literals;
    ProgressMeter meter(1, 0);
    meter.setDecodeEstimate(8);
    meter.stepFinished(1);
    const auto start = ProgressMeter::Clock::now();
    EXPECT_DOUBLE_EQ(meter.at(Phase::Decode, start).secondsLeft.value(), 8);
    meter.decoded(0.1, 0, start + 10s);  // the first chunk stands for all
    EXPECT_DOUBLE_EQ(meter.at(Phase::Decode).secondsLeft.value(), 90);
    meter.decoded(0.5, 0, start + 18s);  // then those behind it do
    EXPECT_DOUBLE_EQ(meter.at(Phase::Decode).secondsLeft.value(), 10);
    meter.decoded(0.75, 30, start + 23s);  // the encoder will take longer
    EXPECT_DOUBLE_EQ(meter.at(Phase::Decode).secondsLeft.value(), 30);
    EXPECT_EQ(meter.finished().fraction, 1);
}

/// A decoding of chunks beside an encoder that takes each when it is decoded.
struct Decoding {
    const char* name;
    double warmUpSays;
    std::vector<double> chunkSeconds;  ///< the first of one frame, the others of four
    double encoderSeconds;             ///< of a frame
};

/// What the meter says after each chunk, beside what is left of decoding and encoding.
struct SaidAndLeft {
    double part;
    std::optional<double> said;
    double left;
};

std::vector<SaidAndLeft> replay(const Decoding& decoding) {
    const auto seconds = [](double value) {
        return std::chrono::duration_cast<ProgressMeter::Clock::duration>(
            std::chrono::duration<double>(value));
    };
    const auto framesUpTo = [](std::size_t chunk) { return 1 + 4 * static_cast<double>(chunk); };
    const double frames = framesUpTo(decoding.chunkSeconds.size() - 1);
    // When each chunk is decoded, and when it is encoded.
    std::vector<double> decoded;
    std::vector<double> encoded;
    for (std::size_t chunk = 0; chunk < decoding.chunkSeconds.size(); ++chunk) {
        decoded.push_back((chunk == 0 ? 0 : decoded.back()) + decoding.chunkSeconds[chunk]);
        encoded.push_back(std::max(chunk == 0 ? 0 : encoded.back(), decoded.back()) +
                          decoding.encoderSeconds * (chunk == 0 ? 1 : 4));
    }
    ProgressMeter meter(1, 0);
    meter.setDecodeEstimate(decoding.warmUpSays);
    meter.stepFinished(1);
    const ProgressMeter::Clock::time_point start;
    static_cast<void>(meter.at(Phase::Decode, start));
    std::vector<SaidAndLeft> all;
    for (std::size_t chunk = 0; chunk < decoded.size(); ++chunk) {
        std::size_t done = 0;
        while (done < chunk && encoded[done] <= decoded[chunk])
            ++done;
        const double writing = done == 0 ? 0 : decoding.encoderSeconds * (frames - framesUpTo(done - 1));
        meter.decoded(framesUpTo(chunk) / frames, writing, start + seconds(decoded[chunk]));
        all.push_back({framesUpTo(chunk) / frames, meter.at(Phase::Decode).secondsLeft,
                       encoded.back() - decoded[chunk]});
    }
    return all;
}

TEST(ProgressMeter, HalfWayTheTimeLeftIsRightWithinAHalf) {
    const std::vector<double> even(20, 4.0);
    const auto behind = [](double first, std::vector<double> chunks) {
        chunks.insert(chunks.begin(), first);
        return chunks;
    };
    const std::vector<Decoding> shapes{
        {"a first chunk as its one frame", 80, behind(1, even), 0.1},
        {"a first chunk that takes as long as others", 80, behind(4, even), 0.1},
        {"a first chunk that reads weights from a disk", 80, behind(60, even), 0.1},
        {"a warm-up that was ten times too short", 8, behind(2, even), 0.1},
        {"a warm-up that was ten times too long", 800, behind(2, even), 0.1},
        {"an encoder that takes twice as long", 80, behind(2, even), 2},
        {"few chunks", 8, behind(2, {4, 4, 4}), 0.1},
        {"chunks that swing", 80, behind(2, {2, 6, 3, 5, 6, 2, 4, 4, 7, 1, 2, 6, 5, 3, 2, 6, 4, 4}), 0.1},
        {"a machine that becomes a third slower", 80,
         behind(1.5, {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}), 0.1},
    };
    for (const Decoding& shape : shapes) {
        SCOPED_TRACE(shape.name);
        int halfWay = 0;
        for (const SaidAndLeft& chunk : replay(shape)) {
            if (chunk.said) {
                EXPECT_GE(*chunk.said, 0.1) << "while the video is still written";
            }
            if (chunk.part < 0.3 || chunk.part > 0.7)
                continue;
            ++halfWay;
            ASSERT_TRUE(chunk.said);
            EXPECT_GT(*chunk.said, 0.5 * chunk.left) << "at " << chunk.part;
            EXPECT_LT(*chunk.said, 1.5 * chunk.left) << "at " << chunk.part;
        }
        EXPECT_GT(halfWay, 0);
    }
}

TEST(ProgressMeter, AllThatIsDecodedSaysNothingOfAnEncoderThatTellsNothing) {
    ProgressMeter meter(1, 0);
    meter.setDecodeEstimate(8);
    meter.stepFinished(1);
    const ProgressMeter::Clock::time_point start;
    static_cast<void>(meter.at(Phase::Decode, start));
    meter.decoded(1, 0, start + std::chrono::seconds(8));
    EXPECT_FALSE(meter.at(Phase::Decode).secondsLeft) << "0 would be wrong: the files are still written";
}

TEST(ProgressMeter, NothingIsSaidOfTheFilesThatAreStillWritten) {
    ProgressMeter meter(1, 0);
    meter.stepFinished(1);
    EXPECT_FALSE(meter.finished().secondsLeft);
}

TEST(ProgressMeter, AFinishedLoopHasAnEstimateAtOnce) {
    ProgressMeter meter(4, 4);
    meter.setDecodeEstimate(3);
    EXPECT_DOUBLE_EQ(meter.at(Phase::Conditioning).secondsLeft.value(), 3);
}

TEST(ProgressMeter, TheFractionGoesWithTheSteps) {
    ProgressMeter meter(24, 12);  // of a run that was stopped
    meter.stepFinished(2);
    EXPECT_DOUBLE_EQ(meter.at(Phase::Denoise).fraction, 13.0 / 24);
    ProgressMeter decodes(3, 0);
    decodes.setDecodeEstimate(1);
    decodes.stepFinished(1);
    EXPECT_DOUBLE_EQ(decodes.at(Phase::Denoise).fraction, 0.25);
    decodes.stepFinished(1);
    decodes.stepFinished(1);
    EXPECT_DOUBLE_EQ(decodes.at(Phase::Decode).fraction, 0.75);
}

TEST(ProgressMeter, TheFractionNeverFalls) {
    ProgressMeter meter(3, 0);
    meter.stepFinished(1e-9);
    const double before = meter.at(Phase::Denoise).fraction;
    meter.stepFinished(1000);
    EXPECT_GE(meter.at(Phase::Denoise).fraction, before);
}

}  // namespace
}  // namespace meshreel
