// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QUndoGroup>

class QUndoStack;
class QWidget;

namespace meshreel {

class DockHost;

/// Whose last change Undo takes back: that of the document whose panel had the focus last, and of none that
/// is not seen.
class FocusedUndo : public QObject {
    Q_OBJECT

  public:
    /// The storyboard's steps count while its panel has the focus, and the project's in every other panel.
    /// All of it outlives this.
    FocusedUndo(QUndoStack& project, QUndoStack& storyboard, const QWidget& storyboardPanel,
                const DockHost& docks);

    [[nodiscard]] QUndoGroup& group() { return m_group; }

  private:
    void follow(const QWidget* now);

    QUndoStack& m_project;
    QUndoStack& m_storyboard;
    const QWidget& m_storyboardPanel;
    const DockHost& m_docks;
    QUndoGroup m_group;
};

}  // namespace meshreel
