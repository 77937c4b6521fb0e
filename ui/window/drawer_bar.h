// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QDockWidget;
class QToolButton;

namespace meshreel {

class DockHost;

/// A button for each panel of the drawer: opens it, alone among those that it shares its place with, or
/// closes it again. Always in sight, so that a closed drawer costs one line.
class DrawerBar : public QWidget {
    Q_OBJECT

  public:
    /// `panels` are docks of `host`, which outlives this.
    DrawerBar(DockHost& host, const std::vector<QDockWidget*>& panels, QWidget* parent = nullptr);

    /// Opens one and closes those that it would stand in front of.
    void open(QDockWidget* dock);
    /// Whether the dock's button is drawn as something to look at.
    void setAlarming(const QDockWidget* dock, bool alarming);
    [[nodiscard]] QToolButton* drawerButton(const QDockWidget* dock) const;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    struct Entry {
        QDockWidget* dock;
        QToolButton* button;
        bool alarming = false;
    };

    void toggle(QDockWidget* dock, bool shown);
    void refresh();

    DockHost& m_host;
    std::vector<Entry> m_entries;
};

}  // namespace meshreel
