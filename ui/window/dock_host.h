// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <vector>

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

/// Panels that can be moved, tabbed, floated and hidden, and that scroll when a dock is smaller than its
/// panel. A panel behind tabs shows its tab in place of a title bar.
class DockHost : public QMainWindow {
    Q_OBJECT

  public:
    explicit DockHost(QWidget* parent = nullptr);
    ~DockHost() override;

    /// `name` identifies the panel in stored layouts and never changes.
    QDockWidget* addPanel(const QString& name, const QString& title, QWidget* panel);
    /// Finds it by the panel or by the dock's own widget, in which the panel is scrolled.
    [[nodiscard]] QDockWidget* findDock(const QWidget* panel) const;
    /// Returns all docks, in the order in which they were added.
    [[nodiscard]] const std::vector<QDockWidget*>& docks() const { return m_docks; }
    /// Docks that share a place below the others and are closed together; none at first.
    void setDrawer(const std::vector<QDockWidget*>& docks) { m_drawer = docks; }
    [[nodiscard]] const std::vector<QDockWidget*>& drawer() const { return m_drawer; }
    /// Brings a panel to the front, opening it when it was closed.
    void showPanel(const QWidget* panel);

    /// Returns the panel that has the focus of the keyboard, or had it last; null when it is not shown.
    [[nodiscard]] QDockWidget* currentDock() const;
    /// What changes the place of a panel takes the focus away from it: it has it again afterwards.
    void relocate(QDockWidget* dock, const std::function<void()>& change);

  signals:
    /// A closed panel is about to open: its place may be elsewhere.
    void opening(QDockWidget* dock);

  public:
    /// An entry for each panel, with Alt and its number as shortcut, and what the mouse does by the title
    /// bars and edges to the panel that has the focus of the keyboard.
    void fillMenu(QMenu* menu);

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void refreshTitleBars();
    void tidyTabBars();
    void enter(QDockWidget* dock);
    void floatOrDock();

    std::vector<QDockWidget*> m_docks;
    std::vector<QDockWidget*> m_drawer;
    QPointer<QDockWidget> m_current;
    QTimer m_refresh;
};

}  // namespace meshreel
