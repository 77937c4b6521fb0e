// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>

#include "../support/temporary_folder.h"
#include "engine/base/error.h"
#include "engine/project/input_files.h"
#include "require.h"

using namespace meshreel;

/// Whatever the bytes, a file is refused with Error{Input}, or gives at least one track, each of at least one
/// point of finite coordinates.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const testing::TemporaryFolder folder;
    try {
        std::ofstream(folder / "tracks.json")  // without writeFileAtomically()'s wait for the disk
            .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
        const std::vector<PointTrack> tracks = readTracks(folder / "tracks.json");
        testing::require(!tracks.empty());
        for (const PointTrack& track : tracks) {
            testing::require(!track.empty());
            for (const auto& point : track)
                testing::require(std::isfinite(point.x) && std::isfinite(point.y));
        }
    } catch (const Error& error) {
        testing::require(error.kind() == ErrorKind::Input);
    }
    return 0;
}
