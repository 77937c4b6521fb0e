// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QHeaderView;

namespace meshreel {

/// Widens every column that is narrower than its heading.
void makeRoomForHeadings(QHeaderView& header);

/// Gives the last column what the others leave of the view, and its heading's width at least: the view
/// scrolls where that is more. Belongs to the header.
class LastColumn : public QObject {
    Q_OBJECT

  public:
    explicit LastColumn(QHeaderView& header);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fit();

    QHeaderView& m_header;
};

}  // namespace meshreel
