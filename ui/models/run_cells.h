// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>

namespace meshreel {

struct RunSummary;

// What the table of past runs says of one of them.

/// Its prompt, else its name, else that of its folder.
QString titleOf(const RunSummary& run);

/// When it began; empty where that is not known.
QString startText(const RunSummary& run);

/// What neither the title nor the columns tell.
QString detailOf(const RunSummary& run);

QString toolTipOf(const RunSummary& run);

/// All words of it, a kind a line.
QString searchText(const RunSummary& run);

/// In a column of RunHistoryModel.
QString cellText(const RunSummary& run, int column);

/// What that column is sorted by.
QVariant sortValue(const RunSummary& run, int column);

}  // namespace meshreel
