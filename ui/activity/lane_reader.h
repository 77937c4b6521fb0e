// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QKeyEvent;
class QTreeView;

namespace meshreel {

class DeviceLaneModel;

/// Tells the steps in the lane of the current row, one after the other by comma and full stop, as pointing at
/// them does.
class LaneReader : public QObject {
    Q_OBJECT

  public:
    /// Belongs to the view, which shows the model.
    LaneReader(const DeviceLaneModel& model, QTreeView& view);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    bool takeKey(int key);
    void tell(int stretch);

    const DeviceLaneModel& m_model;
    QTreeView& m_view;
    int m_told = -1;  ///< stretch of the history; -1 before the first
};

}  // namespace meshreel
