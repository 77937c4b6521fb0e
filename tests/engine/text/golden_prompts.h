// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include "tests/support/locations.h"

namespace meshreel::testing {

inline std::filesystem::path goldenTokenizer() {
    return testing::testData() / "golden" / "tokenizer";
}

/// Rows {text, cleaned, ids_sp, ids_fast, n_full, ...}; see the README beside table.json.
inline nlohmann::json goldenPrompts() {
    return nlohmann::json::parse(std::ifstream(goldenTokenizer() / "table.json"));
}

}  // namespace meshreel::testing
