// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/controller/background.h"
#include "ui/controller/plan_watch.h"
#include "ui/mesh/attention_walk.h"
#include "ui/mesh/factorings.h"

class QLabel;
class QSlider;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace meshreel {

class EmptyState;
class FactoringModel;
class MeshView;
class ProjectDocument;

/// The mesh of the project: its axes to be typed or dragged, the hosts that take its ranks, its devices
/// drawn, one attention to be stepped through, and the legal meshes of as many devices to choose from.
class MeshPanel : public QWidget {
    Q_OBJECT

  public:
    explicit MeshPanel(ProjectDocument& document, QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);

    [[nodiscard]] MeshView& view() const { return *m_view; }
    [[nodiscard]] FactoringModel& factorings() const { return *m_factorings; }
    [[nodiscard]] int stepCount() const { return static_cast<int>(m_steps.size()); }
    void goToStep(int step);
    [[nodiscard]] QString detailText() const;
    /// Hosts and ranks, or what is wrong with the file of hosts; empty without one.
    [[nodiscard]] QString hostsText() const;

  private:
    QWidget* makeFields();
    EmptyState* makeEmptyState();
    QWidget* makeDrawing();
    QWidget* makeTransport();
    QWidget* makeTable();
    QToolButton* makeButton(const char* icon, const QString& name);

    void takeDevices(int devices);
    void take(const Factoring& factoring);
    void showHosts(const ProjectForecast& forecast);
    void listExtents(const ProjectForecast& forecast);
    void listFactorings(const ProjectForecast& forecast);
    void showStep();
    void showDetail();
    void play(bool playing);

    ProjectDocument& m_document;
    MeshPicture m_picture;
    std::vector<WalkStep> m_steps;
    MeshView* m_view;
    FactoringModel* m_factorings;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    QTableView* m_table;
    QSlider* m_slider;
    QToolButton* m_play;
    QLabel* m_title;
    QLabel* m_sentence;
    QLabel* m_detail;
    QLabel* m_order;
    QLabel* m_hosts;
    QTimer m_clock;
    int m_asked = 0;
    Background m_background;
};

}  // namespace meshreel
