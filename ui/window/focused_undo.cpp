// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/focused_undo.h"

#include <QApplication>
#include <QDockWidget>
#include <QUndoStack>
#include <QWidget>
#include <algorithm>

#include "ui/window/dock_host.h"

namespace meshreel {

FocusedUndo::FocusedUndo(QUndoStack& project, QUndoStack& storyboard, const QWidget& storyboardPanel,
                         const DockHost& docks)
    : m_project(project), m_storyboard(storyboard), m_storyboardPanel(storyboardPanel), m_docks(docks) {
    m_group.addStack(&m_project);
    m_group.addStack(&m_storyboard);
    m_group.setActiveStack(&m_project);
    connect(qApp, &QApplication::focusChanged, this,
            [this](const QWidget*, const QWidget* now) { follow(now); });
    connect(m_docks.findDock(&m_storyboardPanel), &QDockWidget::visibilityChanged, this,
            [this](bool isVisible) {
                if (isVisible)
                    follow(QApplication::focusWidget());
                else
                    m_group.setActiveStack(&m_project);
            });
}

/// Menus and tool bars take the focus of nothing that is edited.
void FocusedUndo::follow(const QWidget* now) {
    if (now == nullptr || std::ranges::none_of(m_docks.docks(), [now](const QDockWidget* dock) {
            return dock->isAncestorOf(now);
        }))
        return;
    m_group.setActiveStack(m_storyboardPanel.isAncestorOf(now) ? &m_storyboard : &m_project);
}

}  // namespace meshreel

#include "moc_focused_undo.cpp"
