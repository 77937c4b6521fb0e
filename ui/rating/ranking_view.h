// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

#include "engine/runs/records/pair_ranking.h"

namespace meshreel {

/// A line of a ranking on screen.
struct RankingLine {
    QString name;
    RankedItem ranked;
};

/// Settings in the order of their ranking: place, name, and a bar for the interval of how often each is
/// preferred, with a mark at the share.
class RankingView : public QWidget {
    Q_OBJECT

  public:
    explicit RankingView(QWidget* parent = nullptr);

    /// The best first; lines of one group together.
    void setLines(std::vector<RankingLine> lines);
    [[nodiscard]] const std::vector<RankingLine>& lines() const { return m_lines; }
    /// Returns what a line says: "1 to 2: Steps: 30, preferred in 71 % (58 to 84 %), 12 votes".
    [[nodiscard]] static QString lineText(const RankingLine& line);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] int lineHeight() const;
    void paintLine(QPainter& painter, const RankingLine& line, const QRect& place) const;
    void paintBar(QPainter& painter, const Preference& preference, const QRect& place) const;

    std::vector<RankingLine> m_lines;
};

}  // namespace meshreel
