// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace meshreel {

using TokenIds = std::vector<std::int64_t>;

/// What stands around the ids of a text.
struct SequenceFrame {
    TokenIds before;
    TokenIds after;  ///< eos for T5 models
    std::int64_t pad = 0;
};

/// One kind of tokenizer file.
class TextEncoder {
  public:
    virtual ~TextEncoder() = default;

    /// Ids of the text alone; `utf8` is valid UTF-8.
    [[nodiscard]] virtual TokenIds encode(std::string_view utf8) const = 0;
    [[nodiscard]] virtual const SequenceFrame& frame() const = 0;
};

}  // namespace meshreel
