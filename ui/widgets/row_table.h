// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/column_menu.h"

class QTableView;

namespace meshreel {

/// How every table of the Studio looks and acts: whole rows are picked, a row is one line, Tab leaves the
/// table, a cut-off cell tells the whole of itself in a tip, and the last entry of the menu is about the
/// columns.
void setUpRowTable(QTableView& table, ColumnMenu::Choice columns = ColumnMenu::Choice::None);

}  // namespace meshreel
