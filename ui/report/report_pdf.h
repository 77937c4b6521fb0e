// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include "ui/report/report_contents.h"

namespace meshreel {

/// A4 pages with numbers; charts stay vectors, folded texts are left out.
QByteArray reportPdf(const RunReport& report);

}  // namespace meshreel
