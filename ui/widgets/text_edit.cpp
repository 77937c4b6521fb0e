// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/text_edit.h"

#include <QDragEnterEvent>

#include "ui/widgets/path_edit.h"

namespace meshreel {

namespace {

bool holdsFiles(const QDropEvent& event) {
    return !draggedPaths(event.mimeData()).isEmpty();
}

}  // namespace

TextEdit::TextEdit(QWidget* parent) : QPlainTextEdit(parent) {}

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
