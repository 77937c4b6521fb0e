// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../support/temporary_folder.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/sound.h"
#include "require.h"

using namespace meshreel;

/// Whatever the bytes, a file is refused with Error{Input}, has no sound, or gives packets with times from 0
/// on.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const testing::TemporaryFolder folder;
    try {
        writeFileAtomically(folder / "sound", std::string_view(reinterpret_cast<const char*>(data), size));
        auto track = SoundTrack::open(folder / "sound");
        for (const AVPacket* packet = track ? track->next() : nullptr; packet != nullptr;
             packet = track->next())
            testing::require(packet->pts >= 0 && packet->dts >= 0);
    } catch (const Error& error) {
        testing::require(error.kind() == ErrorKind::Input);
    }
    return 0;
}
