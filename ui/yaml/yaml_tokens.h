// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace meshreel {

/// A stretch of one line of a project file.
struct YamlToken {
    enum class Kind { Key, UnknownKey, Number, Boolean, Text, Comment };

    Kind kind;
    qsizetype begin = 0;
    qsizetype length = 0;

    friend bool operator==(const YamlToken&, const YamlToken&) = default;
};

/// The parts of a line that are worth a colour, for files as the Studio writes them: a key and a value a
/// line, comments, one level of nested maps.
std::vector<YamlToken> yamlTokens(const QString& line);

}  // namespace meshreel
