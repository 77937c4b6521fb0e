// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// What a pickle describes, as plain data: nothing of it is ever called. Nodes refer to one another by index,
/// so that shared and cyclic structures cost nothing.
struct Pickle {
    using Index = std::uint32_t;

    enum class Kind : std::uint8_t {
        None,
        Bool,        ///< integer
        Integer,     ///< integer
        Float,       ///< number
        Text,        ///< text, of the bytes that were read
        Tuple,       ///< items
        List,        ///< items
        Dict,        ///< items: key, value, key, value, …
        Global,      ///< text: "module.name"
        Persistent,  ///< items: the one that identifies it
        Call,        ///< items: the global, its tuple of arguments; described, not called
        Mark,        ///< only while reading
    };

    struct Node {
        Kind kind = Kind::None;
        std::int64_t integer = 0;
        double number = 0.0;
        std::string text{};
        std::vector<Index> items{};
    };

    std::vector<Node> nodes;
    Index root = 0;

    [[nodiscard]] const Node& node(Index index) const { return nodes[index]; }
};

/// Reads a pickle of protocol 2 to 5 that is built of plain containers, numbers, texts, persistent ids and
/// calls of the globals that `allowed` accepts. Everything else is refused by name. Throws Error{Input} at
/// `where`, and for a name of more than Limit::TensorName. Memory stays in proportion to the bytes, and
/// nothing recurses.
Pickle readPickle(std::span<const std::byte> bytes, const std::string& where,
                  bool (*allowed)(std::string_view global));

}  // namespace meshreel
