// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/yaml/yaml_highlighter.h"

#include <utility>

#include "ui/theme/look.h"
#include "ui/yaml/yaml_tokens.h"

namespace meshreel {

namespace {

QColor inkOf(YamlToken::Kind kind, const QPalette& palette) {
    const bool dark = isDark(palette);
    switch (kind) {
        case YamlToken::Kind::Key:
            return dark ? QColor(0x82, 0xb8, 0xff) : QColor(0x0b, 0x4f, 0xa8);
        case YamlToken::Kind::UnknownKey:
            return warningColor(palette);
        case YamlToken::Kind::Number:
            return dark ? QColor(0xf0, 0xb0, 0x72) : QColor(0x96, 0x4b, 0x00);
        case YamlToken::Kind::Boolean:
            return dark ? QColor(0xd3, 0x9c, 0xf0) : QColor(0x7a, 0x2f, 0x9c);
        case YamlToken::Kind::Text:
            return dark ? QColor(0x9f, 0xd3, 0x9a) : QColor(0x1c, 0x6b, 0x2c);
        case YamlToken::Kind::Comment:
            return mutedColor(palette);
    }
    return {};
}

}  // namespace

YamlHighlighter::YamlHighlighter(QTextDocument* document, QPalette palette)
    : QSyntaxHighlighter(document), m_palette(std::move(palette)) {}

void YamlHighlighter::setPalette(const QPalette& palette) {
    m_palette = palette;
    rehighlight();
}

void YamlHighlighter::highlightBlock(const QString& text) {
    for (const YamlToken& token : yamlTokens(text)) {
        QTextCharFormat format;
        format.setForeground(inkOf(token.kind, m_palette));
        format.setFontItalic(token.kind == YamlToken::Kind::Comment);
        setFormat(static_cast<int>(token.begin), static_cast<int>(token.length), format);
    }
}

}  // namespace meshreel
