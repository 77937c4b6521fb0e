// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dock_mover.h"

#include <QAction>
#include <QDockWidget>
#include <QMenu>

#include "ui/window/dock_host.h"
#include "ui/window/dock_tree.h"

namespace meshreel {

namespace {

constexpr int step = 32;  ///< device-independent pixels

template <DockSide Side>
void putAtEdge(DockTree& tree, QDockWidget* /*neighbour*/, QDockWidget* dock) {
    tree.putAtEdge(Side, dock);
}

template <DockSide Side>
void putBeside(DockTree& tree, QDockWidget* neighbour, QDockWidget* dock) {
    tree.putBeside(neighbour, Side, dock);
}

void putBehind(DockTree& tree, QDockWidget* neighbour, QDockWidget* dock) {
    tree.putBehind(neighbour, dock);
}

}  // namespace

DockMover::DockMover(DockHost& host) : QObject(&host), m_host(host) {}

void DockMover::fillMenu(QMenu* menu) {
    QMenu* places = menu->addMenu(tr("&Move this panel"));
    addEdge(places, tr("To the &left edge"), putAtEdge<DockSide::Left>);
    addEdge(places, tr("To the &right edge"), putAtEdge<DockSide::Right>);
    addEdge(places, tr("To the &top"), putAtEdge<DockSide::Above>);
    addEdge(places, tr("To the &bottom"), putAtEdge<DockSide::Below>);
    places->addSeparator();
    addNeighbours(places, tr("L&eft of"), putBeside<DockSide::Left>);
    addNeighbours(places, tr("Ri&ght of"), putBeside<DockSide::Right>);
    addNeighbours(places, tr("&Above"), putBeside<DockSide::Above>);
    addNeighbours(places, tr("Bel&ow"), putBeside<DockSide::Below>);
    addNeighbours(places, tr("As a tab w&ith"), putBehind);
    QMenu* sizes = menu->addMenu(tr("&Size of this panel"));
    addSize(sizes, tr("&Wider"), Qt::Key_Right, Qt::Horizontal, step);
    addSize(sizes, tr("&Narrower"), Qt::Key_Left, Qt::Horizontal, -step);
    addSize(sizes, tr("&Taller"), Qt::Key_Down, Qt::Vertical, step);
    addSize(sizes, tr("&Shorter"), Qt::Key_Up, Qt::Vertical, -step);
}

void DockMover::addEdge(QMenu* menu, const QString& title, Placing put) {
    menu->addAction(title, this, [this, put] { move(nullptr, put); });
}

void DockMover::addNeighbours(QMenu* menu, const QString& title, Placing put) {
    QMenu* neighbours = menu->addMenu(title);
    connect(neighbours, &QMenu::aboutToShow, this, [this, neighbours, put] {
        neighbours->clear();
        DockTree tree = DockTree::of(m_host);
        if (QDockWidget* dock = m_host.currentDock())
            tree.remove(dock);
        for (QDockWidget* front : tree.fronts())
            neighbours->addAction(front->windowTitle(), this, [this, front, put] { move(front, put); });
    });
}

void DockMover::addSize(QMenu* menu, const QString& title, Qt::Key key, Qt::Orientation orientation,
                        int pixels) {
    menu->addAction(title, QKeySequence(Qt::ALT | Qt::SHIFT | key), this,
                    [this, orientation, pixels] { widen(orientation, pixels); });
}

void DockMover::move(QDockWidget* neighbour, Placing put) {
    QDockWidget* dock = m_host.currentDock();
    if (dock == nullptr)
        return;
    m_host.relocate(dock, [&] {
        DockTree tree = DockTree::of(m_host);
        tree.remove(dock);
        put(tree, neighbour, dock);
        dock->setFloating(false);
        tree.arrange(m_host);
    });
}

void DockMover::widen(Qt::Orientation orientation, int pixels) {
    QDockWidget* dock = m_host.currentDock();
    if (dock == nullptr)
        return;
    if (dock->isFloating()) {
        dock->resize(dock->size() + (orientation == Qt::Horizontal ? QSize(pixels, 0) : QSize(0, pixels)));
        return;
    }
    DockTree tree = DockTree::of(m_host);
    tree.widen(dock, orientation, pixels);
    tree.shareRoom(m_host);
}

}  // namespace meshreel
