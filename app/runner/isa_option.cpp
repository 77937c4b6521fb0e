// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/isa_option.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "engine/kernels/dispatch/isa.h"

namespace meshreel {

std::function<void()> declareIsaOption(CLI::App& app) {
    const auto level = std::make_shared<std::string>();
    app.add_option(
           "--isa", *level,
           "Use no wider instructions than these: avx2, avx512, avx512_bf16 or amx (see: meshreel isa)")
        ->type_name("NAME");
    return [level] {
        const char* inherited = std::getenv(isaVariable);
        if (!level->empty())
            limitIsa(*level);
        else if (inherited != nullptr && *inherited != '\0')
            limitIsa(inherited);
    };
}

}  // namespace meshreel
