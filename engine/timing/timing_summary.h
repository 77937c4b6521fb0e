// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/record.h"
#include "engine/timing/sparse_counts.h"

namespace meshreel {

/// What one part of a run took, from its start or a resume on until it ended, was stopped or failed.
/// Seconds of work, also of a stage that did not come to its end; a program that was killed leaves the stages
/// that it finished.
struct PartTimings {
    int fromStep = 0;  ///< counted from 0
    double load = 0, compile = 0, conditioning = 0;
    double denoise = 0;  ///< for a part that was killed while it denoised, the time of its finished steps
    double decode = 0;
    double videoWriting = 0;
    double vaeEncode = 0;       ///< included in conditioning, or in denoise when segments are encoded one by
                                ///< one
    double hostFormatting = 0;  ///< included in decode

    static constexpr auto fields() {
        return std::tuple(field("from_step", &PartTimings::fromStep), field("load", &PartTimings::load),
                          field("compile", &PartTimings::compile),
                          field("conditioning", &PartTimings::conditioning),
                          field("denoise", &PartTimings::denoise), field("decode", &PartTimings::decode),
                          field("video_writing", &PartTimings::videoWriting),
                          laterField("vae_encode", &PartTimings::vaeEncode),
                          laterField("host_formatting", &PartTimings::hostFormatting));
    }

    friend bool operator==(const PartTimings&, const PartTimings&) = default;
};

/// How often attentions of fixed m ran on the bound, in one attention or summed over many. A head is that of
/// a batch row; it is bounded if all of its blocks ran on the bound, whatever shard of keys they met. Blocks
/// are those of queries, for each head and each shard of keys.
struct FixedMCounts {
    std::int64_t boundedHeads = 0;
    std::int64_t boundTooLargeHeads = 0;  ///< fell back: their bound is above the limit of f32's range
    std::int64_t weightsLostHeads = 0;    ///< fell back: f32 lost weights of some of their blocks
    std::int64_t boundedBlocks = 0;
    std::int64_t fallbackBlocks = 0;

    [[nodiscard]] std::int64_t fallbackHeads() const { return boundTooLargeHeads + weightsLostHeads; }

    FixedMCounts& operator+=(const FixedMCounts& other);

    friend bool operator==(const FixedMCounts&, const FixedMCounts&) = default;
};

/// Converts to the object that `meshreel attention` prints and timings.json stores, and back.
nlohmann::ordered_json fixedMJson(const FixedMCounts& counts);
FixedMCounts fixedMFrom(const nlohmann::ordered_json& json);

/// Wall-clock seconds of one generation; the quantities mean what MaxDiffusion's generate_wan measures.
struct TimingSummary {
    double load = 0;     ///< reading and mapping the checkpoint
    double compile = 0;  ///< planning, packing of weights, warm-up
    double inference =
        0;  ///< conditioning + denoising + decoding + frames on the host; writing the video excluded

    bool hasTrace = false;      ///< whether the figures below were measured
    double conditioning = 0;    ///< prompts and initial latents ready; includes vaeEncode
    double vaeEncode = 0;       ///< encoding of a condition video or image; 0 for text-to-video
    double denoiseTotal = 0;    ///< denoising loop and de-normalisation of the latents
    double vaeDecode = 0;       ///< compute + hostFormatting
    double compute = 0;         ///< the decoder
    double hostFormatting = 0;  ///< joining u8 frames

    double videoWriting = 0;  ///< after inference; 0: not measured
    double finishing = 0;     ///< making the finished video, after the video was written; 0: there is none

    std::vector<PartTimings> parts = {};  ///< parts of a run that was resumed, as far as they are known

    std::optional<FixedMCounts> fixedM = {};  ///< for the steps of the last part, if attention has fixed m
    std::optional<SparseCounts> sparse = {};  ///< likewise, if it leaves blocks out in some step
};

/// Adds the stages of all earlier parts to those of a run's last part, which is the last of `parts`, and to
/// denoising the seconds of steps before all of these; keeps the parts.
void addEarlierParts(TimingSummary& summary, std::vector<PartTimings> parts, double stepSecondsBefore);

/// Returns the block that MaxDiffusion prints, byte for byte except "Compute" in place of "TPU Compute".
/// Starts with an empty line and ends with a newline. `title` follows the block's own, as reviews show it:
/// "2D Ring" of "TIMING SUMMARY (2D Ring)".
std::string formatTimingSummary(const TimingSummary& summary, std::string_view title = {});

/// A pasted block, with what follows its title: "2D Ring, U=2, R=2".
struct TitledTimings {
    std::string title;
    TimingSummary timings;
};

/// Finds every such block in a text, be it a log, a review or a mail: rows in any order after a line with
/// TIMING SUMMARY, whatever precedes them, "TPU Compute" as well as "Compute". Its title stands behind these
/// words, or else in a short line by itself above them. A line with these words that no row follows is not a
/// block. Throws Error{Input} naming a block that lacks a row, or has one without
/// seconds; returns an empty list without blocks.
std::vector<TitledTimings> parseTimingSummaries(std::string_view text);

/// Returns an array of objects, in status.json and timings.json, and back.
nlohmann::ordered_json partsJson(const std::vector<PartTimings>& parts);
std::vector<PartTimings> partsFrom(const nlohmann::ordered_json& json);

void to_json(nlohmann::json& json, const TimingSummary& summary);
void from_json(const nlohmann::json& json, TimingSummary& summary);

}  // namespace meshreel
