// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/controller/latest_only.h"
#include "ui/mesh/factorings.h"

class QLabel;
class QTableView;

namespace meshreel {

class FactoringModel;
struct ProjectForecast;

/// The list of legal meshes of as many devices, the best first, to choose from.
class LegalMeshes : public QWidget {
    Q_OBJECT

  public:
    explicit LegalMeshes(QWidget* parent = nullptr);

    /// Lists those of the forecast's plan, on another thread; until then the last ones stay in sight.
    void list(const ProjectForecast& forecast);
    [[nodiscard]] FactoringModel& model() const { return *m_model; }
    /// As wide as the columns, and less where there is less room: those that tell the meshes apart and rank
    /// them come first.
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    void chosen(const meshreel::Factoring& factoring);

  private:
    void prepareTable();
    void setFactorings(std::vector<Factoring> factorings);
    void showHostColumns(bool shown);
    [[nodiscard]] int leastAttention() const;
    [[nodiscard]] int widthOfColumns() const;
    void chooseCurrent();

    FactoringModel* m_model;
    QTableView* m_table;
    QLabel* m_order;
    int m_width = 0;  ///< of all columns; measured once for each list
    LatestOnly m_listing;
};

}  // namespace meshreel
