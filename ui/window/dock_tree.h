// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <vector>

class QDockWidget;
class QMainWindow;

namespace meshreel {

enum class DockSide { Left, Right, Above, Below };

/// Parts side by side or above each other, or, innermost, the panels behind one row of tabs.
struct DockPart {
    int extent = 0;  ///< among the parts of the same whole: pixels, or a proportion
    Qt::Orientation orientation = Qt::Horizontal;
    std::vector<DockPart> parts = {};
    QList<QDockWidget*> tabs = {};  ///< when there are no parts
    QDockWidget* front = nullptr;
};

/// The arrangement of the docked panels of a window. QMainWindow sets it panel by panel, and cannot return
/// it.
class DockTree {
  public:
    /// Returns the arrangement in the window. It includes closed panels behind tabs of others, or in the
    /// `drawer`, a row of tabs that may be closed as a whole.
    static DockTree of(const QMainWindow& window, const std::vector<QDockWidget*>& drawer = {});

    /// Returns the panel in front of each row of tabs, from the left and from above.
    [[nodiscard]] QList<QDockWidget*> fronts() const;

    void remove(QDockWidget* dock);
    /// Along a whole edge of the window, with a third of it.
    void putAtEdge(DockSide side, QDockWidget* dock);
    /// Puts it beside the panels that `neighbour` shares tabs with, with half of their room.
    void putBeside(QDockWidget* neighbour, DockSide side, QDockWidget* dock);
    /// Puts it as the last tab there, and in front.
    void putBehind(QDockWidget* neighbour, QDockWidget* dock);
    /// Gives a panel and those that it shares tabs with more room, or less, at the expense of the next one.
    void widen(QDockWidget* dock, Qt::Orientation orientation, int pixels);

    /// Moves the panels of the window to their places here. A closed drawer will open below the longest row
    /// of tabs, other closed panels without a place in it here.
    void arrange(QMainWindow& window) const;
    /// Gives the panels their room if their places are as here.
    void shareRoom(QMainWindow& window) const;

  private:
    DockPart m_root;
    QList<QDockWidget*> m_closed;  ///< of the drawer, when none of it is open
};

}  // namespace meshreel
