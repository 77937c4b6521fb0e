// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QDockWidget>
#include <QStringList>

#include "tests/support/shown_texts.h"
#include "ui/window/dock_host.h"
#include "ui/window/main_window.h"

namespace meshreel::testing {

/// The texts that are cut off in any panel of the window; shows one after the other.
inline QStringList cutTextsOfPanels(MainWindow& window) {
    QStringList cut;
    for (const QDockWidget* panel : window.docks().findChildren<QDockWidget*>()) {
        window.docks().showPanel(panel->widget());
        QApplication::processEvents();
        cut.append(cutTexts(window));
    }
    cut.removeDuplicates();
    return cut;
}

}  // namespace meshreel::testing
