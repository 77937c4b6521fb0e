// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/yaml/yaml_tokens.h"

#include <QRegularExpression>
#include <algorithm>

#include "engine/project/project_keys.h"

namespace meshreel {

namespace {

using Kind = YamlToken::Kind;

/// Where a comment begins: a # at the start or after a space, outside of quotes; the line's end without one.
qsizetype commentOf(const QString& line) {
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar letter = line[i];
        if (!quote.isNull()) {
            if (letter == quote)
                quote = {};
        } else if (letter == u'"' || letter == u'\'') {
            quote = letter;
        } else if (letter == u'#' && (i == 0 || line[i - 1].isSpace())) {
            return i;
        }
    }
    return line.size();
}

/// Also the first half and the last part of a nested name.
bool isKnownKey(const std::string& name) {
    const auto keys = projectKeys();
    return name == "version" || std::ranges::any_of(keys, [&name](const ProjectKey& key) {
               const std::size_t dot = key.name.find('.');
               return key.name == name ||
                      (dot != std::string_view::npos &&
                       (key.name.substr(0, dot) == name || key.name.substr(dot + 1) == name));
           });
}

Kind kindOfValue(const QString& value) {
    static const QRegularExpression number(QStringLiteral("^[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?$"));
    if (value == QLatin1String("true") || value == QLatin1String("false"))
        return Kind::Boolean;
    return number.match(value).hasMatch() ? Kind::Number : Kind::Text;
}

}  // namespace

std::vector<YamlToken> yamlTokens(const QString& line) {
    static const QRegularExpression keyPattern(QStringLiteral("^\\s*([A-Za-z_][\\w.]*)\\s*:(?=\\s|$)"));
    std::vector<YamlToken> tokens;
    const qsizetype comment = commentOf(line);
    qsizetype value = 0;
    if (const QRegularExpressionMatch key = keyPattern.match(line.left(comment)); key.hasMatch()) {
        const bool known = isKnownKey(key.captured(1).toStdString());
        tokens.push_back({known ? Kind::Key : Kind::UnknownKey, key.capturedStart(1), key.capturedLength(1)});
        value = key.capturedEnd(0);
    }
    while (value < comment && line[value].isSpace())
        ++value;
    qsizetype end = comment;
    while (end > value && line[end - 1].isSpace())
        --end;
    if (end > value)
        tokens.push_back({kindOfValue(line.mid(value, end - value)), value, end - value});
    if (comment < line.size())
        tokens.push_back({Kind::Comment, comment, line.size() - comment});
    return tokens;
}

}  // namespace meshreel
