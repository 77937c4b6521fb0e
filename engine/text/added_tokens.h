// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// A token that stands for itself wherever it occurs in a text ("</s>", "<extra_id_0>").
struct AddedToken {
    std::string content;
    std::int64_t id = 0;
    bool singleWord = false;  ///< only where no word character touches it
    bool stripLeft = false;   ///< takes the white space before it
    bool stripRight = false;  ///< takes the white space behind it
    bool normalized = true;   ///< looked for in the normalised text, in normalised form
};

/// The "added_tokens" of a tokenizer.json.
std::vector<AddedToken> readAddedTokens(const nlohmann::json& list);

/// Finds added tokens: leftmost first, of several at one place the longest.
class AddedTokenSplitter {
  public:
    explicit AddedTokenSplitter(std::vector<AddedToken> tokens);

    struct Part {
        std::string_view utf8;
        std::size_t begin = 0;           ///< in the text
        std::optional<std::int64_t> id;  ///< nothing for ordinary text
    };

    /// Covers the text without gaps; no part is empty.
    [[nodiscard]] std::vector<Part> split(std::string_view text) const;

  private:
    std::vector<AddedToken> m_tokens;  // longest first
};

}  // namespace meshreel
