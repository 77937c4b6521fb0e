// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace meshreel {
class MainWindow;
}

namespace meshreel::testing {

/// The texts that are cut off in any panel of the window or around them; shows one panel after the other.
QStringList cutTextsOfPanels(MainWindow& window);

}  // namespace meshreel::testing
