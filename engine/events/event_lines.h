// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/events/run_event.h"

namespace meshreel {

/// The event as a JSON object on one line (without the newline); "event" names it, and its fields follow.
/// What `meshreel run --json-events` prints, and what the ranks of a mesh send to the program that launched
/// them. Nothing for an event that stays in the process.
std::optional<std::string> eventLine(const RunEvent& event);

/// The event of a line. Nothing for any other text, and for an event or values that this version does not
/// know.
std::optional<RunEvent> readEventLine(std::string_view line);

}  // namespace meshreel
