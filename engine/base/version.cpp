// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/version.h"

namespace meshreel {

std::string_view versionNumber() {
    return MESHREEL_VERSION;
}

std::string_view versionCommit() {
    return MESHREEL_COMMIT;
}

std::string_view versionCompiler() {
    return MESHREEL_COMPILER;
}

}  // namespace meshreel
