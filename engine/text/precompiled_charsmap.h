// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// The character map that SentencePiece models embed, applied as Hugging Face's spm_precompiled applies it to
/// "Precompiled" normalisers: first to whole grapheme clusters of less than six bytes, then to single
/// characters; of several entries that match, the shortest is taken and what it does not cover of the cluster
/// is dropped.
class PrecompiledCharsmap {
  public:
    /// `blob`: u32 bytes of trie, the trie (a Darts double array of u32), then replacements that each end in
    /// NUL. Throws Error{Input} with `where` when it is malformed.
    PrecompiledCharsmap(const std::string& blob, const std::string& where);

    [[nodiscard]] std::string normalize(const std::string& utf8) const;

  private:
    /// The replacement for the beginning of `chunk`, if the map holds one.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view chunk) const;

    std::vector<std::uint32_t> m_trie;
    std::string m_replacements;
};

}  // namespace meshreel
