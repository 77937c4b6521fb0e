// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QDockWidget;
class QMenu;

namespace meshreel {

class DockHost;
class DockTree;

/// Moves and sizes the panel that has the focus of the keyboard, as the mouse does by its tab and its edges.
class DockMover : public QObject {
    Q_OBJECT

  public:
    explicit DockMover(DockHost& host);

    /// Menus of the places, and of the sizes, which have shortcuts.
    void fillMenu(QMenu* menu);

  private:
    using Placing = void (*)(DockTree& tree, QDockWidget* neighbour, QDockWidget* dock);

    void addEdge(QMenu* menu, const QString& title, Placing put);
    void addNeighbours(QMenu* menu, const QString& title, Placing put);
    void addSize(QMenu* menu, const QString& title, Qt::Key key, Qt::Orientation orientation, int pixels);
    void move(QDockWidget* neighbour, Placing put);
    void widen(Qt::Orientation orientation, int pixels);

    DockHost& m_host;
};

}  // namespace meshreel
