// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace meshreel {

/// A part of the text on its way to the model.
struct TextPiece {
    std::string utf8;
    bool atStart = false;  ///< of the whole text
};

using PreTokenizer = std::function<std::vector<TextPiece>(const TextPiece&)>;

/// The "pre_tokenizer" of a tokenizer.json: Sequence, WhitespaceSplit, Metaspace; null splits nothing. Pieces
/// are never empty. Throws Error{Input} with `where` for any other.
PreTokenizer readPreTokenizer(const nlohmann::json& description, const std::string& where);

}  // namespace meshreel
