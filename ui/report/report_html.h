// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include "ui/report/report_contents.h"

namespace meshreel {

/// A page that needs no other file: charts are SVG in it, stills JPEG. Light and dark as its reader's system
/// is; drawings stay dark on white.
QByteArray reportHtml(const RunReport& report);

}  // namespace meshreel
