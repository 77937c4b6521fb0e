// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/path_edit.h"

#include <QDragEnterEvent>
#include <QMimeData>
#include <QScopedValueRollback>
#include <QUrl>

#include "engine/base/paths.h"

namespace meshreel {

namespace {

constexpr QLatin1String separator(", ");

}  // namespace

QStringList draggedPaths(const QMimeData* data) {
    QStringList paths;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile())
            paths += url.toLocalFile();
    return paths;
}

QString shownPath(const QString& path) {
    return QString::fromStdString(withTilde(path.toStdString()));
}

PathEdit::PathEdit(Count count, QWidget* parent) : QLineEdit(parent), m_count(count) {}

void PathEdit::take(const QStringList& paths) {
    if (paths.isEmpty())
        return;
    QStringList shown;
    if (m_count == Count::Several && !text().trimmed().isEmpty())
        shown += text().trimmed();
    for (const QString& path : m_count == Count::One ? paths.mid(0, 1) : paths)
        shown += shownPath(path);
    setText(shown.join(separator));
    emit taken(text());
}

void PathEdit::keyPressEvent(QKeyEvent* event) {
    const QScopedValueRollback typing(m_typing, true);
    QLineEdit::keyPressEvent(event);
}

void PathEdit::inputMethodEvent(QInputMethodEvent* event) {
    const QScopedValueRollback typing(m_typing, true);
    QLineEdit::inputMethodEvent(event);
}

void PathEdit::dragEnterEvent(QDragEnterEvent* event) {
    if (draggedPaths(event->mimeData()).isEmpty())
        QLineEdit::dragEnterEvent(event);
    else
        event->acceptProposedAction();
}

void PathEdit::dragMoveEvent(QDragMoveEvent* event) {
    if (draggedPaths(event->mimeData()).isEmpty())
        QLineEdit::dragMoveEvent(event);
    else
        event->acceptProposedAction();
}

void PathEdit::dropEvent(QDropEvent* event) {
    const QStringList paths = draggedPaths(event->mimeData());
    if (paths.isEmpty()) {
        QLineEdit::dropEvent(event);
        return;
    }
    event->acceptProposedAction();
    take(paths);
}

}  // namespace meshreel
