// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/step_work.h"

#include <array>
#include <cstddef>

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 5> names{"full", "prompt", "first_block", "no_blocks", "none"};

}  // namespace

std::string_view nameOf(StepWork work) {
    return names.at(static_cast<std::size_t>(work));
}

std::optional<StepWork> stepWorkNamed(std::string_view name) {
    for (std::size_t index = 0; index < names.size(); ++index)
        if (names.at(index) == name)
            return static_cast<StepWork>(index);
    return std::nullopt;
}

}  // namespace meshreel
