// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QActionEvent>
#include <QToolBar>
#include <QToolButton>

namespace meshreel {

/// A tool bar in a panel, whose actions need not be in a menu of the window: Tab reaches its buttons, which
/// Qt's pass over.
class PanelToolBar : public QToolBar {
    Q_OBJECT

  public:
    using QToolBar::QToolBar;

  protected:
    void actionEvent(QActionEvent* event) override {
        QToolBar::actionEvent(event);
        if (event->type() == QEvent::ActionAdded)
            if (auto* button = qobject_cast<QToolButton*>(widgetForAction(event->action())))
                button->setFocusPolicy(Qt::TabFocus);
    }
};

}  // namespace meshreel
