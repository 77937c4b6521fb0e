// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/drawer_bar.h"

#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>

#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/window/dock_host.h"

namespace meshreel {

namespace {

constexpr int alarmIconSide = 14;

}  // namespace

DrawerBar::DrawerBar(DockHost& host, const std::vector<QDockWidget*>& panels, QWidget* parent)
    : QWidget(parent), m_host(host) {
    setAccessibleName(tr("Drawer"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(panelMargin, 0, panelMargin, 0);
    row->setSpacing(tightSpacing);
    for (QDockWidget* dock : panels) {
        auto* button = new QToolButton(this);
        button->setObjectName(QStringLiteral("drawer-") + dock->objectName());
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        row->addWidget(button);
        m_entries.push_back({dock, button});
        connect(button, &QToolButton::clicked, this, [this, dock](bool shown) { toggle(dock, shown); });
        connect(dock, &QDockWidget::windowTitleChanged, this, &DrawerBar::refresh);
        connect(dock, &QDockWidget::visibilityChanged, this, &DrawerBar::refresh);
    }
    row->addStretch(1);
    refresh();
}

void DrawerBar::open(QDockWidget* dock) {
    m_host.showPanel(dock->widget());
    const QList<QDockWidget*> beside = m_host.tabifiedDockWidgets(dock);  // of shown ones alone
    for (const Entry& entry : m_entries)
        if (beside.contains(entry.dock))
            entry.dock->hide();
    refresh();
}

void DrawerBar::toggle(QDockWidget* dock, bool shown) {
    if (shown)
        open(dock);
    else
        dock->hide();
}

QToolButton* DrawerBar::drawerButton(const QDockWidget* dock) const {
    return std::ranges::find(m_entries, dock, &Entry::dock)->button;
}

void DrawerBar::setAlarming(const QDockWidget* dock, bool alarming) {
    std::ranges::find(m_entries, dock, &Entry::dock)->alarming = alarming;
    refresh();
}

void DrawerBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void DrawerBar::refresh() {
    for (const Entry& entry : m_entries) {
        entry.button->setText(entry.dock->windowTitle());
        entry.button->setToolTip(entry.dock->isVisible()
                                     ? tr("Close %1", "title of a panel").arg(entry.dock->windowTitle())
                                     : tr("Open %1", "title of a panel").arg(entry.dock->windowTitle()));
        entry.button->setChecked(!entry.dock->isHidden() && entry.dock->isVisible());
        entry.button->setIcon(
            entry.alarming ? QIcon(tintedPixmap(QStringLiteral("error"), QSize(alarmIconSide, alarmIconSide),
                                                errorColor(palette())))
                           : QIcon());
    }
}

}  // namespace meshreel
