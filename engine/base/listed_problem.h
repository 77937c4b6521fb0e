// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/record.h"

namespace meshreel {

template <>
struct EnumNames<Severity> {
    static constexpr std::array<std::string_view, 3> names{"note", "warning", "error"};
};

/// A problem as one of a list that is printed, or sent to other programs.
struct ListedProblem {
    std::string id;
    Severity severity = Severity::Error;
    std::string key;                     ///< empty: it concerns no single key
    int line = 0;                        ///< counted from 1; 0 when there is none
    Sentence text;                       ///< equal to Problem::asSentence()
    std::vector<KeyChanges> fixes = {};  ///< each ends the problem; the nearest first

    static constexpr auto fields() {
        return std::tuple(field("id", &ListedProblem::id), field("severity", &ListedProblem::severity),
                          field("key", &ListedProblem::key), field("line", &ListedProblem::line),
                          field("text", &ListedProblem::text), field("fixes", &ListedProblem::fixes));
    }
};

}  // namespace meshreel
