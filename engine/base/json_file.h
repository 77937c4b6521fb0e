// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace meshreel {

/// Parses a JSON object. Throws Error{Input} with `where` and the reason: malformed (with the byte), not an
/// object, a key given twice, nested deeper than `maxDepth`, more values than Limit::JsonValues (limits.h).
nlohmann::json parseJsonObject(std::string_view text, const std::string& where, int maxDepth = 64);

/// Reads a file of up to Limit::Json.
nlohmann::json readJsonObject(const std::filesystem::path& file);

}  // namespace meshreel
