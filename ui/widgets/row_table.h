// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QTableView;

namespace meshreel {

/// How every table of the Studio looks and acts: whole rows are picked, a row is one line, Tab leaves the
/// table, and a cut-off cell tells the whole of itself in a tip.
void setUpRowTable(QTableView& table);

}  // namespace meshreel
