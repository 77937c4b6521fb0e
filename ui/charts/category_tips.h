// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QChartView;
class QHelpEvent;

namespace meshreel {

/// Tells the name of the category that is pointed at beside the axis of a bar chart, where names that have no
/// room stand shortened. Belongs to the view.
class CategoryTips : public QObject {
    Q_OBJECT

  public:
    explicit CategoryTips(QChartView& view);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    [[nodiscard]] QString categoryAt(const QPoint& place) const;

    QChartView& m_view;
};

}  // namespace meshreel
