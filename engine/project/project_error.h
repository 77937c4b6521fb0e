// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/error.h"

namespace meshreel {

/// Error{Project} carrying every problem found; what() is the first error, "(and N more)" added.
class ProjectError : public Error {
  public:
    /// At least one problem must be an error.
    explicit ProjectError(std::vector<Problem> problems);

    [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return m_problems; }

  private:
    std::vector<Problem> m_problems;
};

}  // namespace meshreel
