// SPDX-License-Identifier: GPL-3.0-or-later
// What tests know errors, problems and remarks by: which fault, who can mend it, where, and the values that
// are named. Words are free to change.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/limits.h"

namespace meshreel::testing {

/// How work ended: true when it was refused.
struct Refusal {
    std::optional<ErrorKind> kind = {};  ///< none: it was not refused
    Problem problem = {};

    explicit operator bool() const { return kind.has_value(); }
    [[nodiscard]] std::string where() const { return problem.where(); }

    friend std::ostream& operator<<(std::ostream& out, const Refusal& refusal) {
        return out << (refusal ? refusal.problem.text() : "no refusal");
    }
};

/// Does the work; a test fails when it is refused as something else than `kind`.
template <typename Work>
Refusal refusalOf(ErrorKind kind, const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return {error.kind(), error.problem()};
    }
    return {};
}

/// The values in a sentence, in their order: names, numbers, paths, the words of other programs.
inline std::vector<std::string> valuesOf(const Sentence& sentence) {
    if (sentence.pattern().empty())
        return sentence.empty() ? std::vector<std::string>() : std::vector{sentence.text()};
    std::vector<std::string> values;
    for (const Sentence& part : sentence.parts())
        for (std::string& value : valuesOf(part))
            values.push_back(std::move(value));
    return values;
}

/// Those of the message, then those of the first fix.
inline std::vector<std::string> valuesOf(const Problem& problem) {
    std::vector<std::string> values = valuesOf(problem.message);
    for (std::string& value : valuesOf(problem.hint()))
        values.push_back(std::move(value));
    return values;
}

inline std::vector<std::string> valuesOf(const Refusal& refusal) {
    return valuesOf(refusal.problem);
}

/// Which sentence it is, whatever values it names: to be compared with that of another sentence.
inline std::string patternOf(const Sentence& sentence) {
    std::vector<std::string> parts;
    for (const Sentence& part : sentence.parts())
        parts.push_back(part.pattern().empty() ? "{}" : patternOf(part));
    return fillPattern(sentence.pattern(), parts);
}

MATCHER_P(NamesAllOf, wanted, "names " + ::testing::PrintToString(wanted)) {
    const std::vector<std::string> values = valuesOf(arg);
    *result_listener << "whose values are " << ::testing::PrintToString(values);
    return std::ranges::all_of(wanted, [&values](const std::string& value) {
        return std::ranges::find(values, value) != values.end();
    });
}

/// Each is one of the values of the sentence, problem, error or refusal.
template <typename... Values>
auto Names(const Values&... values) {
    return NamesAllOf(std::vector<std::string>{std::string(values)...});
}

/// It is at a place that matches: "demo.yaml:3", a key, a file, a tensor.
MATCHER_P(At, place, "is at a place that " + ::testing::DescribeMatcher<std::string>(place)) {
    return ::testing::ExplainMatchResult(place, arg.where(), result_listener);
}

inline const Problem& problemIn(const Problem& problem) {
    return problem;
}

inline const Problem& problemIn(const Refusal& refusal) {
    return refusal.problem;
}

MATCHER_P(IsFaultOf, id, "is the fault " + std::string(id.name())) {
    *result_listener << "which is the fault " << problemIn(arg).id.name();
    return problemIn(arg).id == id;
}

/// It is this fault: Fault("prompt-empty").
inline auto Fault(ProblemId id) {
    return IsFaultOf(id);
}

MATCHER_P(OffersAllOf, wanted, "offers " + ::testing::PrintToString(wanted)) {
    std::vector<std::string> offered;
    for (const Fix& fix : problemIn(arg).fixes)
        if (!fix.changes.empty())
            offered.push_back(fix.changes.front().value);
    *result_listener << "which offers " << ::testing::PrintToString(offered);
    return offered == wanted;
}

/// What its fixes write, in their order: of each fix the first value.
template <typename... Values>
auto Offers(const Values&... values) {
    return OffersAllOf(std::vector<std::string>{std::string(values)...});
}

MATCHER_P(ExceedsLimit, row, "exceeds the limit of " + std::string(row.of)) {
    const std::vector<Sentence>& parts = problemIn(arg).message.parts();
    const auto isThere = [&parts](const std::string& text) {
        return std::ranges::find(parts, text, &Sentence::text) != parts.end();
    };
    return isThere(std::to_string(row.most)) && isThere(std::string(row.of));
}

/// It is more than readers take.
inline auto Exceeds(Limit limit) {
    return ExceedsLimit(limitRows()[static_cast<std::size_t>(limit)]);
}

/// Checks that all were refused, and that two of them say the same sentence, be it of other values, exactly
/// when the test calls them by the same name.
inline void expectFaults(const std::vector<std::pair<std::string, Refusal>>& refusals) {
    std::map<std::string, std::string> patterns;
    std::map<std::string, std::string> names;
    for (const auto& [name, refusal] : refusals) {
        EXPECT_TRUE(refusal) << name << " was not refused";
        const std::string pattern = patternOf(refusal.problem.message);
        EXPECT_EQ(patterns.try_emplace(name, pattern).first->second, pattern)
            << name << " says two sentences; the second: " << refusal;
        EXPECT_EQ(names.try_emplace(pattern, name).first->second, name) << "both say: " << refusal;
    }
}

}  // namespace meshreel::testing

namespace meshreel {

/// For gtest.
inline void PrintTo(const Problem& problem, std::ostream* out) {
    *out << problem.text();
}

}  // namespace meshreel
