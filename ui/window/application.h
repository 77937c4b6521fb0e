// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QApplication;
class QLocale;

namespace meshreel {

/// Name, icon and settings of the Studio, before any window is made.
void setUpApplication(QApplication& application);

/// Makes the application speak the language of `locale`, as far as there is a translation.
void installTranslations(QApplication& application, const QLocale& locale);

}  // namespace meshreel
