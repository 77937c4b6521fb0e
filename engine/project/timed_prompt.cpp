// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/timed_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/written_text.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"

namespace meshreel {
namespace {

constexpr std::string_view promptSpace = " \t\r\n";
constexpr std::string_view digits = "0123456789";
constexpr double secondsOfMinute = 60;
constexpr double percentOfAll = 100;

std::string_view withoutSpace(std::string_view text) {
    const std::size_t first = text.find_first_not_of(promptSpace);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(promptSpace) + 1 - first);
}

/// "12" or "12.5": digits alone, as a mark has them.
std::optional<double> plainNumber(std::string_view text) {
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view rest = point == std::string_view::npos ? "0" : text.substr(point + 1);
    if (whole.empty() || rest.empty() || whole.find_first_not_of(digits) != std::string_view::npos ||
        rest.find_first_not_of(digits) != std::string_view::npos)
        return std::nullopt;
    double number = 0;  // with zeros in front, as clocks have them
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() ? std::optional(number) : std::nullopt;
}

/// "33%", "2s" or "17".
std::optional<PromptBound> simpleBound(std::string_view text) {
    text = withoutSpace(text);
    if (text.empty())
        return PromptBound{};
    std::optional<PromptTimeUnit> unit;
    if (text.back() == '%')
        unit = PromptTimeUnit::Percent;
    else if (text.back() == 's')
        unit = PromptTimeUnit::Seconds;
    if (unit)
        text = withoutSpace(text.substr(0, text.size() - 1));
    const std::optional<double> number = plainNumber(text);
    return number ? std::optional(PromptBound{number, unit}) : std::nullopt;
}

/// "0:02": minutes, and seconds with two digits.
std::optional<PromptBound> clockBound(std::string_view minutes, std::string_view seconds) {
    minutes = withoutSpace(minutes);
    seconds = withoutSpace(seconds);
    const std::optional<double> before = plainNumber(minutes);
    const std::optional<double> behind = plainNumber(seconds);
    constexpr std::size_t twoDigits = 2;
    if (!before || !behind || minutes.find('.') != std::string_view::npos ||
        std::min(seconds.find('.'), seconds.size()) != twoDigits || *behind >= secondsOfMinute)
        return std::nullopt;
    return PromptBound{*before * secondsOfMinute + *behind, PromptTimeUnit::Seconds};
}

std::vector<std::string_view> fieldsOf(std::string_view mark) {
    std::vector<std::string_view> fields;
    for (std::size_t begin = 0; begin <= mark.size();) {
        const std::size_t end = std::min(mark.find(':', begin), mark.size());
        fields.push_back(withoutSpace(mark.substr(begin, end - begin)));
        begin = end + 1;
    }
    return fields;
}

using Bounds = std::pair<std::optional<PromptBound>, std::optional<PromptBound>>;

/// The two bounds, of which each may be a clock with a colon of its own.
Bounds boundsOf(const std::vector<std::string_view>& fields) {
    switch (fields.size()) {
        case 2:
            return {simpleBound(fields[0]), simpleBound(fields[1])};
        case 3:
            if (fields[0].empty() || fields[0].ends_with('s'))
                return {simpleBound(fields[0]), clockBound(fields[1], fields[2])};
            if (fields[2].empty() || fields[2].ends_with('s'))
                return {clockBound(fields[0], fields[1]), simpleBound(fields[2])};
            return {};
        case 4:
            return {clockBound(fields[0], fields[1]), clockBound(fields[2], fields[3])};
        default:
            return {};
    }
}

bool isWhole(std::optional<double> number) {
    return !number || *number == std::floor(*number);
}

/// What stands between two brackets, as the time of a part without words; nothing for words.
std::optional<TimedPart> readMark(std::string_view mark) {
    const auto [begin, end] = boundsOf(fieldsOf(mark));
    if (!begin || !end || (!begin->value && !end->value))
        return std::nullopt;
    if (begin->unit && end->unit && begin->unit != end->unit)
        return std::nullopt;
    TimedPart part{.begin = begin->value, .end = end->value, .unit = PromptTimeUnit::Frames, .text = {}};
    if (begin->unit || end->unit)
        part.unit = begin->unit ? *begin->unit : *end->unit;
    if (part.unit == PromptTimeUnit::Frames && !(isWhole(part.begin) && isWhole(part.end)))
        return std::nullopt;
    if (part.begin == 0.0)
        part.begin.reset();  // the first frame, in any unit
    return part;
}

/// A mark in a prompt.
struct FoundMark {
    std::size_t begin = 0;  ///< of the opening bracket
    std::size_t end = 0;    ///< behind the closing one
    std::string inside;     ///< in the signs of a Latin keyboard
    std::optional<TimedPart> part;
};

/// Everything in brackets without brackets, a mark or not. Keyboards of other scripts write other brackets,
/// colons, digits and signs of percent, which prompt cleaning makes ASCII of, too.
std::vector<FoundMark> bracketsIn(std::string_view prompt) {
    const PlainText plain = placedPlainText(prompt);
    const std::string_view text = plain.text;
    std::vector<FoundMark> found;
    std::size_t behind = 0;
    for (std::size_t end = text.find(']'); end != std::string_view::npos; end = text.find(']', end + 1)) {
        const std::size_t begin = text.rfind('[', end);
        if (begin == std::string_view::npos || (!found.empty() && begin < behind))
            continue;
        behind = end + 1;
        const std::string_view inside = text.substr(begin + 1, end - begin - 1);
        found.push_back({plain.origin[begin], plain.origin[end + 1], std::string(inside), readMark(inside)});
    }
    return found;
}

/// Looks like a time: digits with colons, signs of percent or seconds, and nothing else.
bool resemblesMark(std::string_view text) {
    constexpr std::string_view marks = "0123456789%s:.,;-+ \t";
    const std::size_t digit = text.find_first_of(digits);
    if (digit == std::string_view::npos || text.find_first_not_of(marks) != std::string_view::npos)
        return false;
    const std::size_t second = text.find('s');
    const bool hasSecond = second != std::string_view::npos && second > 0 &&
                           digits.find(text[second - 1]) != std::string_view::npos;
    return hasSecond || text.find_first_of("%:") != std::string_view::npos;
}

}  // namespace

std::optional<PromptBound> readPromptBound(std::string_view text) {
    const std::string plain = plainText(text);
    const std::vector<std::string_view> fields = fieldsOf(plain);
    if (fields.size() == 1)
        return simpleBound(fields.front());
    return fields.size() == 2 ? clockBound(fields[0], fields[1]) : std::nullopt;
}

TimedPrompt readTimedPrompt(std::string_view prompt) {
    TimedPrompt result;
    std::size_t words = 0;
    const auto take = [&](std::size_t end) {
        const std::string text(withoutSpace(prompt.substr(words, end - words)));
        (result.parts.empty() ? result.global : result.parts.back().text) = text;
    };
    for (FoundMark& mark : bracketsIn(prompt)) {
        if (!mark.part)
            continue;
        take(mark.begin);
        words = mark.end;
        result.parts.push_back(*std::move(mark.part));
    }
    if (result.parts.empty())
        return {.global = std::string(prompt), .parts = {}};
    take(prompt.size());
    return result;
}

std::string boundText(std::optional<double> bound, PromptTimeUnit unit) {
    if (!bound)
        return {};
    const std::string number = fmt::format("{}", *bound);
    switch (unit) {
        case PromptTimeUnit::Percent:
            return number + "%";
        case PromptTimeUnit::Seconds:
            return number + "s";
        case PromptTimeUnit::Frames:
            break;
    }
    return number;
}

std::string timedPromptText(const TimedPrompt& prompt) {
    std::string text = prompt.global;
    for (const TimedPart& part : prompt.parts) {
        // A mark has a bound at least, and 0 is the first frame in any unit.
        const std::string begin =
            part.begin || !part.end ? boundText(part.begin.value_or(0), part.unit) : "0";
        text += fmt::format("{}[{}:{}]{}{}", text.empty() ? "" : " ", begin, boundText(part.end, part.unit),
                            part.text.empty() ? "" : " ", part.text);
    }
    return text;
}

PromptSpan spanOf(const TimedPart& part, std::int64_t frames, double fps) {
    const auto last = static_cast<double>(frames - 1);
    if (last < 1)
        return {};
    const auto fraction = [&](double bound, bool isBegin) {
        switch (part.unit) {
            case PromptTimeUnit::Percent:
                return bound / percentOfAll;
            case PromptTimeUnit::Seconds:
                return bound * fps / last;
            case PromptTimeUnit::Frames:
                return (isBegin ? bound - 1 : bound) / last;
        }
        return 0.0;
    };
    return {.begin = part.begin ? std::clamp(fraction(*part.begin, true), 0.0, 1.0) : 0.0,
            .end = part.end ? std::clamp(fraction(*part.end, false), 0.0, 1.0) : 1.0};
}

double boundAt(double place, PromptTimeUnit unit, bool isBegin, const Project& project) {
    constexpr double tenths = 10;
    const auto last = static_cast<double>(project.numFrames - 1);
    switch (unit) {
        case PromptTimeUnit::Percent:
            return std::round(place * percentOfAll);
        case PromptTimeUnit::Seconds:
            return std::round(place * last / project.fps * tenths) / tenths;
        case PromptTimeUnit::Frames:
            break;
    }
    return std::max(1.0, std::round(place * last) + (isBegin ? 1 : 0));
}

double nextBound(const TimedPart& part) {
    return *part.end + (part.unit == PromptTimeUnit::Frames ? 1 : 0);
}

std::vector<std::string> partedPrompts(std::string_view prompt) {
    std::vector<std::string> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t place = 0; place <= prompt.size(); ++place) {
        const bool atEnd = place == prompt.size();
        if (!atEnd)
            depth += prompt[place] == '{' ? 1 : prompt[place] == '}' ? -1 : 0;
        if (!atEnd && (prompt[place] != '|' || depth > 0))
            continue;
        parts.emplace_back(withoutSpace(prompt.substr(begin, place - begin)));
        begin = place + 1;
    }
    return parts;
}

SpokenPrompt spokenPrompt(const Project& project, const std::string& prompt) {
    if (isWindowed(project))
        if (std::vector<std::string> parts = partedPrompts(prompt); parts.size() > 1)
            return {.texts = std::move(parts), .beginnings = {}, .spans = {}};
    const TimedPrompt timed = readTimedPrompt(prompt);
    SpokenPrompt spoken{.texts = {timed.global}, .beginnings = {}, .spans = {}};
    if (timed.parts.empty())
        return spoken;
    spoken.beginnings.push_back(timed.global);
    for (const TimedPart& part : timed.parts) {
        const std::string& before = spoken.beginnings.back();
        spoken.beginnings.push_back(before.empty() ? part.text : before + "\n" + part.text);
        spoken.spans.push_back(spanOf(part, project.numFrames, project.fps));
    }
    spoken.texts = {spoken.beginnings.back()};
    return spoken;
}

std::vector<SpokenPrompt> spokenPrompts(const Project& project) {
    std::vector<SpokenPrompt> spoken;
    for (const BatchItem& item : batchItems(project))
        spoken.push_back(spokenPrompt(project, item.prompt));
    return spoken;
}

namespace {

/// Collects what is wrong with one prompt.
class PromptCheck {
  public:
    PromptCheck(const Project& project, std::string_view key, const std::string& prompt,
                std::vector<Problem>& problems)
        : m_project(project), m_key(key), m_prompt(prompt), m_problems(problems) {}

    /// Returns whether it is timed.
    bool run() {
        const TimedPrompt timed = readTimedPrompt(m_prompt);
        for (const FoundMark& mark : bracketsIn(m_prompt))
            checkBrackets(mark);
        for (const TimedPart& part : timed.parts)
            checkPart(part);
        checkParting(!timed.parts.empty());
        return !timed.parts.empty();
    }

  private:
    void add(ProblemId id, Severity severity, Sentence message, std::vector<Fix> fixes,
             std::vector<std::string> involved = {}) {
        m_problems.push_back({.id = id,
                              .severity = severity,
                              .key = std::string(m_key),
                              .involved = std::move(involved),
                              .message = std::move(message),
                              .fixes = std::move(fixes)});
    }

    void checkBrackets(const FoundMark& mark) {
        const std::string text = m_prompt.substr(mark.begin, mark.end - mark.begin);
        if (mark.part || !resemblesMark(mark.inside))
            return;
        add("timed-marker-malformed", Severity::Warning,
            sentence("{} is no time, and taken as words of the prompt", text),
            byHand(
                sentence("Write two bounds of one unit: [0:33%], [2s:0:04] or [1:17]; or other brackets for "
                         "words")));
    }

    /// How a part is called: by its mark.
    [[nodiscard]] static std::string markText(const TimedPart& part) {
        const std::string text = timedPromptText({.global = {}, .parts = {part}});
        return text.substr(0, text.find(']') + 1);
    }

    [[nodiscard]] double length(PromptTimeUnit unit) const {
        switch (unit) {
            case PromptTimeUnit::Percent:
                return percentOfAll;
            case PromptTimeUnit::Seconds:
                return static_cast<double>(m_project.numFrames) / m_project.fps;
            case PromptTimeUnit::Frames:
                break;
        }
        return static_cast<double>(m_project.numFrames);
    }

    void checkPart(const TimedPart& part) {
        const std::string mark = markText(part);
        const double all = length(part.unit);
        constexpr double tiny = 1e-9;
        const std::string last = boundText(std::floor(all * percentOfAll) / percentOfAll, part.unit);
        if (part.text.empty())
            add("prompt-part-empty", Severity::Error, sentence("{} has no words behind it", mark),
                byHand(sentence("Write what the video should show then, or remove it")));
        if (part.begin && part.end && *part.begin > *part.end)
            add("timed-part-never", Severity::Error, sentence("{} ends before it begins", mark),
                byHand(sentence("Write the earlier bound first; other brackets if it is no time")));
        else if (part.begin && *part.begin > all - (part.unit == PromptTimeUnit::Frames ? 0 : tiny))
            add("timed-part-never", Severity::Error,
                sentence("{} begins when the video is over, at {}", mark, last),
                byHand(sentence("Begin it earlier, or make the video longer")), {"num_frames"});
        else if (part.end && *part.end > all)
            add("timed-part-beyond-end", Severity::Warning,
                sentence("{} goes on when the video is over, at {}", mark, last),
                byHand(sentence("Leave its end out, or make the video longer")), {"num_frames"});
    }

    void checkParting(bool timed) {
        const std::vector<std::string> parts = partedPrompts(m_prompt);
        if (parts.size() < 2 || m_project.contextFrames == 0)
            return;
        if (!isWindowed(m_project))
            return add(
                "prompt-parts-unused", Severity::Warning,
                sentence("one context window holds the whole video, which is given all that | parts as "
                         "one prompt"),
                byHand(sentence("Write [0:50%] … [50%:] … instead, or make the video longer")),
                {"context_frames"});
        if (timed)
            return add("prompt-parts-and-times", Severity::Error,
                       sentence("the prompt has parts by time and parts for context windows by |"),
                       byHand(sentence("Write all of them with times, which hold in context windows too")),
                       {"context_frames"});
        for (std::size_t index = 0; index < parts.size(); ++index)
            if (parts[index].empty())
                add("prompt-part-empty", Severity::Error,
                    sentence("part {} of the prompt, parted by |, has no words", index + 1),
                    byHand(sentence("Write what the video should show then, or remove its |")));
    }

    const Project& m_project;
    std::string_view m_key;
    const std::string& m_prompt;
    std::vector<Problem>& m_problems;
};

}  // namespace

std::vector<Problem> timedPromptProblems(const Project& project) {
    constexpr std::string_view softness = "prompt_relay_epsilon";
    std::vector<Problem> problems;
    std::set<std::string> seen;
    bool isTimed = false;
    const std::string_view key = project.batchPrompts.empty() ? "prompt" : "batch_prompts";
    for (const BatchItem& item : batchItems(project))
        if (seen.insert(item.prompt).second)
            isTimed = PromptCheck(project, key, item.prompt, problems).run() || isTimed;
    if (!isTimed && !isDefault(project, *findProjectKey(softness)))
        problems.push_back(
            {.id = "value-without-effect",
             .severity = Severity::Warning,
             .key = std::string(softness),
             .involved = {std::string(key)},
             .message = sentence("{} has no effect: the prompt has no times such as [0:33%]", softness),
             .fixes = setKey({}, softness, {defaultText(*findProjectKey(softness), project)})});
    return problems;
}

}  // namespace meshreel
