// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/text_edit.h"

#include <QDragEnterEvent>
#include <QSignalBlocker>
#include <QTextCursor>
#include <algorithm>

#include "ui/widgets/path_edit.h"

namespace meshreel {

namespace {

bool holdsFiles(const QDropEvent& event) {
    return !draggedPaths(event.mimeData()).isEmpty();
}

}  // namespace

TextEdit::TextEdit(QWidget* parent) : QPlainTextEdit(parent) {}

void TextEdit::replaceText(const QString& text) {
    const QString now = toPlainText();
    if (now == text)
        return;
    const auto [left, right] = std::mismatch(now.begin(), now.end(), text.begin(), text.end());
    const auto begin = static_cast<int>(left - now.begin());
    const auto [leftEnd, rightEnd] =
        std::mismatch(now.rbegin(), now.rend() - begin, text.rbegin(), text.rend() - begin);
    const auto tail = static_cast<int>(leftEnd - now.rbegin());
    const QSignalBlocker blocker(this);
    QTextCursor cursor(document());
    cursor.setPosition(begin);
    cursor.setPosition(static_cast<int>(now.size()) - tail, QTextCursor::KeepAnchor);
    cursor.insertText(text.mid(begin, text.size() - tail - begin));
}

void TextEdit::dragEnterEvent(QDragEnterEvent* event) {
    if (holdsFiles(*event))
        event->ignore();
    else
        QPlainTextEdit::dragEnterEvent(event);
}

void TextEdit::dragMoveEvent(QDragMoveEvent* event) {
    if (holdsFiles(*event))
        event->ignore();
    else
        QPlainTextEdit::dragMoveEvent(event);
}

void TextEdit::dropEvent(QDropEvent* event) {
    if (holdsFiles(*event))
        event->ignore();
    else
        QPlainTextEdit::dropEvent(event);
}

}  // namespace meshreel
