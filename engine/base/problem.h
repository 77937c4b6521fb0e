// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem_ids.h"
#include "engine/base/sentence.h"

namespace meshreel {

enum class Severity {
    Note,     ///< nothing is wrong; good to know
    Warning,  ///< runs, though perhaps not as meant
    Error,
};

/// A key of a project and the text that it is to have.
struct KeyChange {
    std::string key;  ///< empty: the one that the problem will be found at (see atKey)
    std::string value;

    friend bool operator==(const KeyChange&, const KeyChange&) = default;
};

/// Keys that have to change at once.
using KeyChanges = std::vector<KeyChange>;

/// A way out of a problem.
struct Fix {
    Sentence words;           ///< empty when the changes say all
    KeyChanges changes = {};  ///< empty: only a person can do it

    friend bool operator==(const Fix&, const Fix&) = default;
};

/// Something wrong or worth knowing, as a value: which fault it is, where, in which words, and the ways out.
/// Code checks the id and the keys, never the words.
struct Problem {
    struct Place {
        std::string file = {};  ///< or tensor, or option; may be empty
        int line = 0;           ///< counted from 1; 0 when there is none

        friend bool operator==(const Place&, const Place&) = default;
    };

    ProblemId id = {};
    Severity severity = Severity::Error;
    std::string key = {};  ///< the project key to blame; empty when it concerns no single key
    std::vector<std::string> involved = {};  ///< other keys that take part: a change of them may end it, too
    Place place = {};
    Sentence message = {};
    std::vector<Fix> fixes = {};  ///< the nearest legal value first; the words of the first one speak for all

    /// Returns what to do: the words of the first fix. For a note, more about it.
    [[nodiscard]] Sentence hint() const { return fixes.empty() ? Sentence() : fixes.front().words; }
    /// Returns "demo.yaml:3"; the key's name without a file.
    [[nodiscard]] std::string where() const;
    /// "demo.yaml:3: message. Hint." on one line.
    [[nodiscard]] Sentence asSentence() const;
    /// Returns the sentence in English.
    [[nodiscard]] std::string text() const { return asSentence().text(); }

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Returns a single fix in words; none for empty words.
std::vector<Fix> byHand(Sentence words);

/// Returns a fix for each of the values of one key, in their order, all with the words of the first. An empty
/// key stands for the key at which the problem will be found (see atKey).
std::vector<Fix> setKey(Sentence words, std::string_view key, const std::vector<std::string>& values);

/// Returns the problem, and the changes of its fixes that name no key yet, at the key.
Problem atKey(std::string_view key, Problem problem);

/// Returns the problem at another place: an option, say, in place of a key.
Problem atPlace(std::string_view file, Problem problem);

/// Returns whether both are the same fault, be it of other values: the same id at the same key or, without
/// one, at the same place.
bool isSameFault(const Problem& one, const Problem& other);
/// Returns whether the fault is among the problems.
bool hasFault(const std::vector<Problem>& problems, const Problem& fault);

/// True when one of them is an error.
bool hasErrors(const std::vector<Problem>& problems);

/// Errors before warnings before notes, otherwise in the order they have.
void putErrorsFirst(std::vector<Problem>& problems);

}  // namespace meshreel
