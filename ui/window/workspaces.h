// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QSize>
#include <QString>
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "ui/window/studio_panels.h"

class QDockWidget;
class QMenu;
class QTabBar;
class QToolButton;

namespace meshreel {

class DockHost;

/// A button for each panel of the drawer: opens it, alone among those that it shares its place with, or
/// closes it again. Always in sight, so that a closed drawer costs one line. Each page opens at the height at
/// which it is read well, or that it was given last.
class DrawerBar : public QWidget {
    Q_OBJECT

  public:
    /// The docks are those of `host`, which outlives this.
    DrawerBar(DockHost& host, const std::vector<DrawerPage>& pages, QWidget* parent = nullptr);

    /// Opens one and closes those that it would cover.
    void open(QDockWidget* dock);
    /// Draws the dock's button as one behind which errors or warnings stand; nothing: as usual.
    void setMark(const QDockWidget* dock, std::optional<Severity> mark);
    /// Keeps room in the dock's button for its widest title and a mark, so that the buttons
    /// behind it stay where they are.
    void reserve(const QDockWidget* dock, const QString& widestTitle);
    /// Keeps the heights in the program's settings.
    void save();
    [[nodiscard]] QToolButton* drawerButton(const QDockWidget* dock) const;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    struct Entry {
        QDockWidget* dock;
        QToolButton* button;
        int height;             ///< of its page, when it opens
        int given = 0;          ///< what that came to in the window
        QSize windowSize = {};  ///< at that time
        std::optional<Severity> mark = {};
    };

    void toggle(QDockWidget* dock, bool shown);
    void refresh();
    void giveHeight(Entry& entry);
    /// Notes the height that the user has given the page.
    void noteHeight(Entry& entry) const;

    DockHost& m_host;
    std::vector<Entry> m_entries;
};

/// Create, Mesh, Measure and Runs: each keeps a layout of the same panels, which the user may change. One is
/// shown at a time; its tab is the current one.
class Workspaces : public QObject {
    Q_OBJECT

  public:
    /// Shows Create as it is at first. Both outlive this.
    Workspaces(StudioPanels& panels, DockHost& docks, QObject* parent);

    /// Returns a tab for each, to be put into a bar of the window.
    [[nodiscard]] QTabBar& tabs() const { return *m_tabs; }
    [[nodiscard]] Workspace current() const { return m_current; }
    /// Keeps the current layout and brings back that of `workspace`.
    void show(Workspace workspace);
    /// Resets the current layout to what it was at first.
    void reset();

    /// An entry for each, with Ctrl and its number; and one for the layout that a version with one workspace
    /// has left, which becomes that of the current workspace.
    void fillMenu(QMenu* menu);

    // Restores from the program's settings. Ignores a layout of another version of the panels.
    void restore();
    void save();

  signals:
    /// A kept layout cannot be brought back; it stays in the settings under a key of its own.
    void layoutUnreadable(const QString& sentence);

  protected:
    /// Keeps the form's width when the window gets another one.
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    static constexpr std::size_t count = 4;

    /// Goes to where the panel belongs, unless that is here.
    void follow(const QDockWidget& dock);
    void bringBack(Workspace workspace);
    void setAside(Workspace workspace);
    [[nodiscard]] QByteArray& layoutOf(Workspace workspace) {
        return m_layouts.at(static_cast<std::size_t>(workspace));
    }

    StudioPanels& m_panels;
    DockHost& m_docks;
    QTabBar* m_tabs;
    Workspace m_current = Workspace::Create;
    std::array<QByteArray, count> m_layouts;       ///< empty: as at first
    std::array<QSize, count> m_sizes;              ///< of the docks when it was kept; invalid: not known
    std::array<QPointer<QWidget>, count> m_stops;  ///< what had the focus there
};

}  // namespace meshreel
