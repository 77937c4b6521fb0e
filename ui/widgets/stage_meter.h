// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QWidget>
#include <vector>

#include "ui/models/consequences.h"

namespace meshreel {

/// Where the columns of a stage meter lie: as wide as fits, standing on the lower edge, as high as the share
/// of the available memory that the stage takes.
std::vector<QRectF> meterColumns(const std::vector<StageNeed>& needs, const QRectF& area, double gap);

/// A column for each stage's memory, full height being all that is available.
class StageMeter : public QWidget {
    Q_OBJECT

  public:
    explicit StageMeter(QWidget* parent = nullptr);

    void setNeeds(std::vector<StageNeed> needs);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    std::vector<StageNeed> m_needs;
};

}  // namespace meshreel
