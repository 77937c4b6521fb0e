// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/json_events.h"

#include <fmt/core.h>

#include <cstdio>

namespace meshreel {

JsonEvents::JsonEvents(EventLines::Previews previews)
    : m_lines(
          [](const std::string& line) {
              fmt::print("{}\n", line);
              std::fflush(stdout);
          },
          previews) {}

}  // namespace meshreel
