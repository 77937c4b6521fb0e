// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

namespace meshreel {

/// How many bytes a Matroska or WebM file lacks of the Segment size in its header (RFC 8794, RFC 9559); 0
/// when it is complete, says no size, or is of another format. libavformat ends such a file early without an
/// error.
std::uint64_t missingMatroskaBytes(const std::filesystem::path& file);

}  // namespace meshreel
