// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextDocument>
#include <memory>

#include "ui/report/report_contents.h"

namespace meshreel {

/// The report laid out in pages of report_page::content: charts stay vectors, folded texts are left out, and
/// no heading stands alone at the end of a page.
std::unique_ptr<QTextDocument> reportDocument(const RunReport& report);

}  // namespace meshreel
