// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/renderer.h"

#include <utility>

#include "app/runner/sister_program.h"

namespace meshreel {

void becomeRenderer(std::vector<std::string> arguments) {
    becomeSisterProgram("meshreel-render", "The program that draws charts and reports", std::move(arguments));
}

}  // namespace meshreel
