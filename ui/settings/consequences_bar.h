// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QRectF>
#include <QWidget>
#include <vector>

#include "engine/planning/project_forecast.h"
#include "ui/project/consequences.h"
#include "ui/project/plan_watch.h"

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace meshreel {

struct Consequence;
struct RefinementStatus;

/// Returns the places of the columns of a stage meter: as wide as fits, on the lower edge, as high as the
/// share of the available memory that the stage takes.
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

/// Replaces a missing predicted time: offers to measure the machine, and shows the progress.
class MeasureItem : public QWidget {
    Q_OBJECT

  public:
    explicit MeasureItem(QWidget* parent = nullptr);

    /// Offers the measurement again when it ended.
    void setMeasuring(bool measuring);
    /// Whether it was paused and continues by itself.
    void setWaiting(bool waiting);
    /// `count` of `all` things are timed, this one last.
    void showTimed(int count, int all, const QString& what);
    /// Why nothing can be measured now; empty when it can.
    void setObstacle(const QString& reason);
    /// Whether it replaces a time or stands beside one that runs gave.
    enum class Offer { InPlace, Beside };
    void setOffer(Offer offer);
    /// Beside a predicted time: why the machine should be measured again; empty for no reason.
    void offerAgain(const QString& reason);
    [[nodiscard]] bool isMeasuring() const;

  signals:
    void measureRequested();
    void cancelRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    void ink();

    QElapsedTimer m_begun;
    int m_before = 0;  ///< things timed before it
    bool m_waiting = false;
    Offer m_offer = Offer::InPlace;
    QString m_obstacle;
    QString m_again;
    QLabel* m_title;
    QPushButton* m_measure;
    QProgressBar* m_progress;
    QToolButton* m_cancel;
    QLabel* m_remark;
};

/// A few words, beside the predicted time, on what is measured for it in the background, and a way to stop
/// that.
class RefineItem : public QWidget {
    Q_OBJECT

  public:
    explicit RefineItem(QWidget* parent = nullptr);

    /// Does not mention what is off.
    void showStatus(const RefinementStatus& status);

  signals:
    void stopRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void ink();

    QLabel* m_words;
    QToolButton* m_stop;
};

/// What follows from the project as it is edited, in one line: time and how it is known, tokens, work, memory
/// compared with this machine, exchange. A prediction for other hardware shows first, as a chip that ends it;
/// what the run takes here stands beside it. What has no room is in the tool tip.
class ConsequencesBar : public QWidget {
    Q_OBJECT

  public:
    explicit ConsequencesBar(QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);
    /// Returns everything that is shown, a title and a value a line.
    [[nodiscard]] QString text() const;
    /// Shown while times are not predicted or being measured.
    [[nodiscard]] MeasureItem& measureItem() const { return *m_measure; }
    void setMeasuring(bool measuring);
    void setMeasurementWaiting(bool waiting);
    /// Shown beside the predicted time while that is refined.
    [[nodiscard]] RefineItem& refineItem() const { return *m_refine; }
    void showRefinement(const meshreel::RefinementStatus& status);
    /// Returns what it takes to show all.
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    /// The project is to be planned for this machine alone.
    void planHereRequested();

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    void showWhatFits();
    void add(QWidget* item);
    void showTime();
    void addTime(const Consequence& time, QWidget* beside = nullptr);
    QWidget* makeTargetChip();
    QWidget* makeMeter(const std::vector<StageNeed>& needs);
    /// `beside` goes into the line of the title; `item`, if given, is filled.
    QWidget* makeItem(const Consequence& consequence, QWidget* beside = nullptr, QWidget* item = nullptr);
    void showSentence(const QString& sentence);

    ProjectForecast m_forecast;
    QHBoxLayout* m_items;
    MeasureItem* m_measure;
    RefineItem* m_refine;
    bool m_isRefined = false;
    std::vector<QWidget*> m_shown;
    QWidget* m_basis = nullptr;  ///< of those: says how the time is known, where all others have room
};

}  // namespace meshreel
