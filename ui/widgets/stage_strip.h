// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/models/run_stages.h"

namespace meshreel {

/// Widths of cells that would like `wanted`, together `room`: what is left over goes to all alike; where room
/// lacks, the widest give way.
std::vector<int> cellWidths(std::vector<int> wanted, int room);

/// The stages of a run side by side: those that are done with their seconds, the one at hand with its
/// progress, those to come dimmed. Their sentences are its tool tip and what it tells a screen reader.
class StageStrip : public QWidget {
    Q_OBJECT

  public:
    explicit StageStrip(QWidget* parent = nullptr);

    /// A run begins: everything is still to come.
    void begin();
    void add(const std::vector<StageNews>& news);
    void setProgress(const RunProgress& progress);
    void end();

    [[nodiscard]] const RunStages& stages() const { return m_stages; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    void drawStage(QPainter& painter, const LiveStage& stage, const QRect& cell) const;
    [[nodiscard]] QFont fontOf(const LiveStage& stage) const;
    [[nodiscard]] QString valueOf(const LiveStage& stage) const;
    [[nodiscard]] std::vector<QRect> cells() const;

    RunStages m_stages;
    QElapsedTimer m_sinceStart;  ///< of the stage at hand
    QTimer m_tick;
};

}  // namespace meshreel
