// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

/// One node of a YAML document. Values stay as they were written; only `~` and `null` are recognised.
struct YamlNode {
    enum class Kind { Null, Scalar, List, Map, Refused /* an alias, already reported */ };

    Kind kind = Kind::Null;
    int line = 0;         ///< line of the value, counted from 1
    bool quoted = false;  ///< a scalar in quotes or a block scalar
    bool flow = false;    ///< a list or map in brackets
    std::string text;     ///< text of a scalar
    /// For a scalar without quotes, or an absent one: the comment on its last line, which YAML begins at a
    /// '#' after a blank, with the blanks before it. People write texts that hold " #".
    std::string comment;
    int commentLine = 0;
    std::string key;  ///< for a child of a map
    int keyLine = 0;
    std::vector<YamlNode> children;

    [[nodiscard]] const YamlNode* find(std::string_view name) const;
};

struct YamlTree {
    YamlNode root;
    std::vector<Problem> problems;  ///< key, message and line; no file
};

/// Reads one YAML document without ever expanding anything, so that no text can cost more than its length;
/// reads at most 1 MiB. The two escapes that JSON writes for one character ("\ud83d\ude00") become that
/// character. Problems: bad syntax, not UTF-8, control characters that YAML does not allow, U+0000 also as an
/// escape, half a surrogate pair, too large or deep, anchors, aliases, tags, duplicate keys, a second
/// document.
YamlTree readYaml(const std::string& text);

/// Problems after which no more are looked for.
inline constexpr std::size_t problemLimit = 100;

/// Returns a scalar that reads back as `text`: bare if every YAML reader sees a text, quoted otherwise. Bytes
/// that are not UTF-8 become U+FFFD; a text with U+0000 is written, and refused by the reader.
std::string yamlScalar(const std::string& text);

/// Returns a scalar that reads back as `text`, always in quotes: for places where a bare text ends early.
std::string yamlQuoted(const std::string& text);

/// Returns a scalar that reads back as `text` inside brackets, where more than elsewhere ends a bare text.
std::string yamlFlowScalar(const std::string& text);

/// Returns the node as one line of YAML that reads back as the same value: lists and maps in brackets,
/// numbers bare.
std::string yamlFlowText(const YamlNode& node);

}  // namespace meshreel
