// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/locations.h"

namespace meshreel::testing {

std::filesystem::path sourceFolder() {
    return MESHREEL_SOURCE_DIR;
}

std::filesystem::path testData() {
    return sourceFolder() / "tests" / "data";
}

std::filesystem::path programFolder() {
    return MESHREEL_BINARY_DIR;
}

}  // namespace meshreel::testing
