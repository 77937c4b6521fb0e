// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace meshreel {

/// Opens /dev/null in place of missing standard streams: reading gives nothing, and writing still fails,
/// because the output would be lost. If a parent closed the streams, the next files that the program opened
/// would get their numbers, and its output would overwrite a run. The first call of a program.
void fillStandardStreams();

/// Writes on standard error and goes on where that fails: a remark that nobody can read ends no run.
void writeRemark(std::string_view text) noexcept;

}  // namespace meshreel
