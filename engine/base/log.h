// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <spdlog/logger.h>

#include <filesystem>
#include <memory>

namespace meshreel {

/// Passed by reference to everything that logs; there is no global logger.
using Log = spdlog::logger;
using LogPtr = std::shared_ptr<Log>;

/// Discards everything.
LogPtr silentLog();

/// Appends "[time] [level] message" lines to `file`, flushing each. Throws Error{Input} when it cannot be
/// opened.
LogPtr fileLog(const std::filesystem::path& file);

}  // namespace meshreel
