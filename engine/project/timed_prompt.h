// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/project.h"

// Prompts that say when: "A street. [0:33%] a red car comes [33%:] it stops". The syntax is that of Prompt
// Relay in Wan2GP (shared/prompt_relay.py, 8681e9f).

namespace meshreel {

/// What the bounds of a part are numbers of.
enum class PromptTimeUnit : std::uint8_t {
    Percent,
    Seconds,
    Frames,  ///< of the video in pixels, counted from 1
};

/// Words of a prompt that hold for some of the video's time.
struct TimedPart {
    std::optional<double> begin;  ///< nothing: from the first frame on
    std::optional<double> end;    ///< nothing: to the last one; of frames the last that it holds for
    PromptTimeUnit unit = PromptTimeUnit::Percent;
    std::string text;

    friend bool operator==(const TimedPart&, const TimedPart&) = default;
};

/// A prompt as it is written.
struct TimedPrompt {
    std::string global;            ///< what holds all the time; without parts the whole prompt, unchanged
    std::vector<TimedPart> parts;  ///< in their order in the prompt; they may overlap and leave gaps

    friend bool operator==(const TimedPrompt&, const TimedPrompt&) = default;
};

/// Reads the marks [BEGIN:END] of a prompt. A bound is 33%, 2s, 0:02 (minutes and seconds) or a frame; one of
/// the two may be missing. A number without a unit has that of the other bound. Brackets that hold anything
/// else are words.
TimedPrompt readTimedPrompt(std::string_view prompt);

/// Returns the prompt that readTimedPrompt() reads as this one.
std::string timedPromptText(const TimedPrompt& prompt);

/// Returns a bound as a prompt has it: "33%", "2s", "17"; nothing for a missing one.
std::string boundText(std::optional<double> bound, PromptTimeUnit unit);

/// Reads one bound by itself, as a table's cell has it; an empty text is a missing bound. Nothing for a text
/// that is no bound.
struct PromptBound {
    std::optional<double> value;
    std::optional<PromptTimeUnit> unit;  ///< nothing: a number alone
};
std::optional<PromptBound> readPromptBound(std::string_view text);

/// When words hold, as a part of the video's time: 0 is its first frame, 1 the last.
struct PromptSpan {
    double begin = 0;
    double end = 1;

    friend bool operator==(const PromptSpan&, const PromptSpan&) = default;
};

/// Returns when a part holds in a video of so many frames; within 0 … 1.
PromptSpan spanOf(const TimedPart& part, std::int64_t frames, double fps);

/// Returns the bound of that place of the video's time, rounded to what is easily read.
double boundAt(double place, PromptTimeUnit unit, bool isBegin, const Project& project);

/// Returns where a part that follows this one at once begins; `part` has an end.
double nextBound(const TimedPart& part);

/// What one video of a run is told.
struct SpokenPrompt {
    /// What is encoded, without marks: one text, or of context windows one after the other in time.
    std::vector<std::string> texts;
    /// Of a timed prompt the beginnings of its one text: the words that hold all the time, then each part
    /// more; the last is all of it. Else none.
    std::vector<std::string> beginnings;
    std::vector<PromptSpan> spans;  ///< of its parts

    [[nodiscard]] bool isTimed() const { return !spans.empty(); }
};

/// Returns what a prompt of the project's tells its video.
SpokenPrompt spokenPrompt(const Project& project, const std::string& prompt);

/// Returns what every video of the project's run is told, in the order of batchItems().
std::vector<SpokenPrompt> spokenPrompts(const Project& project);

/// Returns the texts that "|" parts, trimmed; bars within braces are no parting.
std::vector<std::string> partedPrompts(std::string_view prompt);

/// Returns what is wrong with the times of the project's prompts, and with parts for context windows.
std::vector<Problem> timedPromptProblems(const Project& project);

}  // namespace meshreel
