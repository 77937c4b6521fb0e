// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace meshreel {

/// UTF-8 to UTF-8.
using TextNormalizer = std::function<std::string(const std::string&)>;

/// The "normalizer" of a tokenizer.json: Sequence, Precompiled, Strip, Replace, NFC, NFD, NFKC, NFKD; null
/// changes nothing. Throws Error{Input} with `where` for any other.
TextNormalizer readNormalizer(const nlohmann::json& description, const std::string& where);

}  // namespace meshreel
