// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../support/temporary_folder.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/image.h"
#include "engine/media/orientation.h"
#include "require.h"

using namespace meshreel;

/// Whatever the bytes, EXIF data give one of the eight orientations, and the file is refused with
/// Error{Input} or becomes an image of some size.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const testing::TemporaryFolder folder;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const Orientation orientation = exifOrientation(bytes);
    testing::require(orientation >= Orientation::Upright && orientation <= Orientation::ThreeQuarterTurn);
    try {
        writeFileAtomically(folder / "image", bytes);
        const Tensor image = readImage(folder / "image");
        testing::require(image.shape().rank() == 3 && image.elements() > 0 && image.extent(2) == 3);
    } catch (const Error& error) {
        testing::require(error.kind() == ErrorKind::Input);
    }
    return 0;
}
