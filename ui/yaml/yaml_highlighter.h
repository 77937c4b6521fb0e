// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>
#include <QSyntaxHighlighter>

namespace meshreel {

/// Colours the keys, values and comments of a project file; names that are no keys stand out.
class YamlHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

  public:
    YamlHighlighter(QTextDocument* document, QPalette palette);
    void setPalette(const QPalette& palette);

  protected:
    void highlightBlock(const QString& text) override;

  private:
    QPalette m_palette;
};

}  // namespace meshreel
