// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QStringList>

class QMimeData;

namespace meshreel {

/// The local files and folders of what is dragged; empty when there are none.
QStringList draggedPaths(const QMimeData* data);

/// A path as it is shown and stored: folders of the home below "~".
QString shownPath(const QString& path);

/// A line for paths, into which files can be dropped. Several are separated by commas.
class PathEdit : public QLineEdit {
    Q_OBJECT

  public:
    enum class Count { One, Several };

    PathEdit(Count count, QWidget* parent);

    /// Replaces the path, or adds to several.
    void take(const QStringList& paths);

    /// Whether its text is changing with a key that was pressed, completion included.
    [[nodiscard]] bool isTyping() const { return m_typing; }

  signals:
    /// Paths were chosen or dropped; typing tells textEdited().
    void taken(const QString& text);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void inputMethodEvent(QInputMethodEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    Count m_count;
    bool m_typing = false;
};

}  // namespace meshreel
