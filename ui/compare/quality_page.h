// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "engine/base/problem.h"
#include "engine/base/stop_token.h"
#include "engine/runs/rated_runs.h"
#include "engine/runs/records/quality_rows.h"
#include "engine/runs/video_measures.h"
#include "ui/values/background.h"

class QLabel;
class QPushButton;
class QTableView;

namespace meshreel {

class Comparison;

/// The settings of compared runs: how often each is preferred, its place, its seconds, and what is measured
/// of its videos.
class QualityModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Setting, Place, Preferred, Interval, Votes, Runs, Seconds, FirstMeasure };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<QualityRow> rows);
    /// One for each row; nothing where none of its videos is measured.
    void setMeasures(std::vector<std::optional<VideoMeasures>> measures);
    [[nodiscard]] const std::vector<QualityRow>& rows() const { return m_rows; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] QString textAt(const QualityRow& row, int column) const;
    [[nodiscard]] QString measureText(std::size_t row, std::size_t measure) const;

    std::vector<QualityRow> m_rows;
    std::vector<std::optional<VideoMeasures>> m_measures;
};

/// What votes and measures say of the settings of compared runs, with a button for more of both.
class QualityPage : public QWidget {
    Q_OBJECT

  public:
    explicit QualityPage(QWidget* parent = nullptr);
    ~QualityPage() override;

    /// What was measured stays where its run, and what it was measured against, are still the same.
    void setComparison(const Comparison& comparison);
    /// What videos are measured against: a place among the records of the comparison.
    void setBaseline(int baseline);
    [[nodiscard]] const QualityModel& model() const { return *m_model; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    [[nodiscard]] QPushButton& rateButton() const { return *m_rate; }
    /// Measures the videos, or stops doing so.
    [[nodiscard]] QPushButton& measureButton() const { return *m_measure; }
    [[nodiscard]] bool isMeasuring() const { return m_waiting > 0; }
    /// Returns what is said above the table.
    [[nodiscard]] QString words() const;

  signals:
    void rateRequested();
    /// A video could not be measured.
    void wentWrong(const meshreel::Problem& problem);

  private:
    /// A run and what its video is measured against, by their places.
    struct Measured {
        std::filesystem::path run;
        std::optional<std::filesystem::path> reference;

        friend auto operator<=>(const Measured&, const Measured&) = default;
    };

    void layOut();
    [[nodiscard]] std::vector<Measured> findWanted() const;
    void measureOrStop();
    void stopMeasuring();
    void showMeasures();
    void showWords();

    QualityModel* m_model;
    QTableView* m_table;
    QLabel* m_words;
    QPushButton* m_rate;
    QPushButton* m_measure;
    RatedRuns m_rated;
    int m_baseline = 0;              ///< among m_rated
    std::vector<Measured> m_wanted;  ///< of which the button takes measures
    std::map<Measured, VideoMeasures> m_measures;
    int m_asked = 0;
    int m_waiting = 0;  ///< of those that were asked for
    int m_round = 0;    ///< results of an earlier one are old
    StopSource m_stop;
    Background m_measuring;  ///< last: it ends before what it writes to
};

}  // namespace meshreel
