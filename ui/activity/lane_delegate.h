// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace meshreel {

class DeviceLaneModel;

/// Draws a device's lane: time to the right, and at each moment the shares of what the device did upon each
/// other.
class LaneDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    LaneDelegate(const DeviceLaneModel& model, QObject* parent);

    /// The part of a cell that time runs along.
    [[nodiscard]] static QRect laneOf(const QRect& cell);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

  private:
    const DeviceLaneModel& m_model;
};

}  // namespace meshreel
