// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QPointer>
#include <QWidget>
#include <vector>

#include "ui/charts/chart_sheet.h"
#include "ui/tune/tile_tuner.h"

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QStackedWidget;

namespace meshreel {

class ChartView;
class EmptyState;
class TileChart;

/// A search for block sizes as it goes on and what it found: a map of what each pair took, how far the search
/// is, and the fastest pair in words.
class TuneResults : public QWidget {
    Q_OBJECT

  public:
    explicit TuneResults(QWidget* parent = nullptr);

    /// Behind the words about the search.
    void addButton(QWidget* button);

    void begin();
    void showTask(const TuneTask& task);
    void showProgress(const TuneProgress& progress);
    void showResult(const TuneResult& result);
    /// The search ended without a result; the sentence says why.
    void showEnd(const QString& sentence);
    void setBusy(bool busy);

    [[nodiscard]] QString words() const;
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] ChartView& view() const { return *m_view; }
    /// The map; nothing to draw before the first pass that counts.
    [[nodiscard]] const ChartSheet& sheet() const { return m_sheet; }

  signals:
    /// There is a map now.
    void mapShown();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeFoot();
    void showMap(const std::vector<TileTime>& tiles);

    QStackedWidget* m_stage;
    EmptyState* m_empty;
    ChartView* m_view;
    QPointer<TileChart> m_map;  ///< the view's; null before the first pass that counts
    QProgressBar* m_progress;
    QLabel* m_words;
    QLabel* m_verdict;
    QHBoxLayout* m_row;
    TuneTask m_task;
    ChartSheet m_sheet;
    QElapsedTimer m_begun;
};

}  // namespace meshreel
