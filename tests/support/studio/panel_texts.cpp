// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/studio/panel_texts.h"

#include <QApplication>
#include <QDockWidget>

#include "tests/support/studio/shown_texts.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

namespace meshreel::testing {

QStringList cutTextsOfPanels(MainWindow& window) {
    QStringList cut;
    for (const QDockWidget* panel : window.docks().findChildren<QDockWidget*>()) {
        window.docks().showPanel(panel->widget());
        QApplication::processEvents();
        for (const QString& text : cutTexts(window))
            cut += panel->objectName() + QStringLiteral(": ") + text;
    }
    return cut;
}

}  // namespace meshreel::testing
