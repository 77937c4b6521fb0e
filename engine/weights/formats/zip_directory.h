// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace meshreel {

/// A file inside a zip archive that lies there uncompressed.
struct ZipEntry {
    std::string name;
    std::size_t begin = 0;  ///< bytes from the start of the archive
    std::size_t end = 0;
};

/// Whether the bytes start as a zip archive does.
bool isZip(std::span<const std::byte> bytes);

/// The files of a zip or zip64 archive, sorted by name. Nothing is unpacked: archives with compressed or
/// encrypted entries, with entries that overlap or are given twice, and archives in several parts are
/// refused. Throws Error{Input} at `file`.
std::vector<ZipEntry> readZipDirectory(std::span<const std::byte> bytes, const std::string& file);

}  // namespace meshreel
