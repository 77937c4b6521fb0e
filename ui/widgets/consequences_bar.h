// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/controller/plan_watch.h"

class QHBoxLayout;
class QLabel;

namespace meshreel {

class MeasureItem;
class RefineItem;
class StageMeter;
struct Consequence;
struct RefinementStatus;

/// What follows from the project as it is edited: time, tokens, work, memory against this machine, exchange.
class ConsequencesBar : public QWidget {
    Q_OBJECT

  public:
    explicit ConsequencesBar(QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);
    /// All that is shown, title and value a line.
    [[nodiscard]] QString text() const;
    /// Stands there while times are not predicted or being measured.
    [[nodiscard]] MeasureItem& measureItem() const { return *m_measure; }
    void setMeasuring(bool measuring);
    /// Stands beside the predicted time while that is refined.
    [[nodiscard]] RefineItem& refineItem() const { return *m_refine; }
    void showRefinement(const meshreel::RefinementStatus& status);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    void add(QWidget* item);
    void showTime();
    QWidget* makeMeter();
    /// `beside` goes into the line of the title.
    QWidget* makeItem(const Consequence& consequence, QWidget* beside = nullptr);
    void showSentence(const QString& sentence);

    ProjectForecast m_forecast;
    QHBoxLayout* m_items;
    MeasureItem* m_measure;
    RefineItem* m_refine;
    bool m_isRefined = false;
    std::vector<QWidget*> m_shown;
};

}  // namespace meshreel
