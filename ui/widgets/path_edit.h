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

  signals:
    /// Typed, chosen or dropped.
    void pathEdited(const QString& text);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    Count m_count;
};

}  // namespace meshreel
