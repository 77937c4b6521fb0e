// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dock_host.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QMenu>
#include <QTabBar>
#include <algorithm>

namespace meshreel {

DockHost::DockHost(QWidget* parent) : QMainWindow(parent, Qt::Widget) {
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, &DockHost::refreshTitleBars);
}

QDockWidget* DockHost::addPanel(const QString& name, const QString& title, QWidget* panel) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(panel);
    m_docks.push_back(dock);
    const auto later = [this] { m_refresh.start(0); };
    connect(dock, &QDockWidget::dockLocationChanged, this, later);
    connect(dock, &QDockWidget::topLevelChanged, this, later);
    connect(dock, &QDockWidget::visibilityChanged, this, later);
    return dock;
}

QDockWidget* DockHost::dockOf(const QWidget* panel) const {
    const auto found =
        std::ranges::find(m_docks, panel, [](const QDockWidget* dock) { return dock->widget(); });
    return found == m_docks.end() ? nullptr : *found;
}

void DockHost::showPanel(const QWidget* panel) {
    QDockWidget* dock = dockOf(panel);
    dock->show();
    dock->raise();
}

void DockHost::fillMenu(QMenu* menu) {
    constexpr int digits = 9;
    int number = 0;
    for (QDockWidget* dock : m_docks) {
        QAction* action =
            menu->addAction(dock->windowTitle(), this, [this, dock] { showPanel(dock->widget()); });
        if (++number <= digits)
            action->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number)));
    }
}

bool DockHost::event(QEvent* event) {
    // Tab bars of docks are children that come and go.
    if (event->type() == QEvent::ChildPolished || event->type() == QEvent::LayoutRequest)
        for (QTabBar* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (bar->expanding()) {
                bar->setExpanding(false);
                bar->setElideMode(Qt::ElideNone);  // arrows lead to the tabs that have no room
            }
        }
    return QMainWindow::event(event);
}

void DockHost::refreshTitleBars() {
    for (QDockWidget* dock : m_docks) {
        const bool tabbed = !dock->isFloating() && !tabifiedDockWidgets(dock).isEmpty();
        if (tabbed == (dock->titleBarWidget() != nullptr))
            continue;
        QWidget* former = dock->titleBarWidget();
        dock->setTitleBarWidget(tabbed ? new QWidget(dock) : nullptr);
        delete former;
    }
}

}  // namespace meshreel
