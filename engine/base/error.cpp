// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/error.h"

#include <utility>

namespace meshreel {

Error::Error(ErrorKind kind, Problem problem)
    : m_kind(kind), m_problem(std::move(problem)), m_text(m_problem.text()) {}

Error::Error(ErrorKind kind, Sentence message, std::string where, Sentence hint)
    : Error(kind, Problem{.place = {.file = std::move(where)},
                          .message = std::move(message),
                          .fixes = byHand(std::move(hint))}) {}

Error::~Error() = default;

Problem currentProblem() {
    try {
        throw;
    } catch (const Error& error) {
        return error.problem();
    } catch (const std::exception& error) {
        return {.message = std::string(error.what())};
    }
}

int exitCode(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::Internal:
            return 1;
        case ErrorKind::Project:
            return 2;
        case ErrorKind::Input:
            return 3;
        case ErrorKind::Resources:
            return 4;
        case ErrorKind::Device:
            return 5;
        case ErrorKind::Mismatch:
            return 6;
        case ErrorKind::Cancelled:
            return 130;
    }
    return 1;
}

}  // namespace meshreel
