// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace meshreel {
namespace {

Sentence closed(const Sentence& words) {
    constexpr std::string_view ends = ".?!";
    const std::string& text = words.text();
    return text.empty() || ends.find(text.back()) != std::string_view::npos ? words : sentence("{}.", words);
}

Sentence joined(const std::string& where, const Sentence& message, const Sentence& hint) {
    const Sentence first = closed(where.empty() ? message : sentence("{}: {}", where, message));
    return hint.empty() ? first : sentence("{} {}", first, closed(hint));
}

}  // namespace

std::string Problem::where() const {
    if (place.file.empty())
        return key;
    return place.line > 0 ? fmt::format("{}:{}", place.file, place.line) : place.file;
}

Sentence Problem::asSentence() const {
    return joined(where(), message, hint());
}

std::vector<Fix> byHand(Sentence words) {
    if (words.empty())
        return {};
    return {{.words = std::move(words)}};
}

std::vector<Fix> setKey(Sentence words, std::string_view key, const std::vector<std::string>& values) {
    if (values.empty())
        return byHand(std::move(words));
    std::vector<Fix> fixes;
    for (const std::string& value : values)
        fixes.push_back({.words = {}, .changes = {{.key = std::string(key), .value = value}}});
    fixes.front().words = std::move(words);
    return fixes;
}

Problem atKey(std::string_view key, Problem problem) {
    problem.key = key;
    for (Fix& fix : problem.fixes)
        for (KeyChange& change : fix.changes)
            if (change.key.empty())
                change.key = key;
    return problem;
}

Problem atPlace(std::string_view file, Problem problem) {
    problem.place = {.file = std::string(file)};
    return problem;
}

bool isSameFault(const Problem& one, const Problem& other) {
    return one.id == other.id && one.key == other.key && (!one.key.empty() || one.place == other.place);
}

bool hasFault(const std::vector<Problem>& problems, const Problem& fault) {
    return std::ranges::any_of(problems,
                               [&fault](const Problem& problem) { return isSameFault(problem, fault); });
}

bool hasErrors(const std::vector<Problem>& problems) {
    return std::ranges::find(problems, Severity::Error, &Problem::severity) != problems.end();
}

void putErrorsFirst(std::vector<Problem>& problems) {
    std::ranges::stable_sort(problems, std::greater(), &Problem::severity);
}

}  // namespace meshreel
