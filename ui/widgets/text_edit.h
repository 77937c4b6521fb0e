// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

namespace meshreel {

/// A text editor that leaves dropped files to the window around it; others would write their addresses into
/// the text.
class TextEdit : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit TextEdit(QWidget* parent = nullptr);

    /// Replaces what differs, so that cursor and scroll position stay; emits nothing.
    void replaceText(const QString& text);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
};

}  // namespace meshreel
