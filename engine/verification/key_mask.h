// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meshreel {

/// Which keys of an attention case are masked.
struct KeyMask {
    enum class Kind : std::uint8_t {
        None,
        Tail,    ///< the last `count` keys
        Head,    ///< the first `count` keys
        Row,     ///< every key of batch row `count`
        Random,  ///< each key of each batch row with `probability`
    };
    Kind kind = Kind::None;
    std::int64_t count = 0;
    double probability = 0;

    /// As parseKeyMask reads it.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const KeyMask&, const KeyMask&) = default;
};

/// "none", "tail:K", "head:K", "row:B" or "random:P". Throws Error{Project} for anything else.
KeyMask parseKeyMask(std::string_view text);

}  // namespace meshreel
