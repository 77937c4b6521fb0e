// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/mesh/legal_mesh_model.h"
#include "ui/mesh/mesh_picture.h"
#include "ui/project/plan_watch.h"
#include "ui/values/background.h"

class QLabel;
class QStackedWidget;
class QTableView;

namespace meshreel {

class EmptyState;
class LegalMeshModel;
class LastPlanMark;
class MeshView;
class ProjectDocument;
class SideSplitter;
class WalkTransport;
struct ProjectForecast;

/// The list of legal meshes of as many devices, the best first, to choose from.
class LegalMeshes : public QWidget {
    Q_OBJECT

  public:
    explicit LegalMeshes(QWidget* parent = nullptr);

    /// Lists those of the forecast's plan, on another thread; until then the last ones stay in sight.
    void list(const ProjectForecast& forecast);
    [[nodiscard]] LegalMeshModel& model() const { return *m_model; }
    /// As wide as the columns, and less where there is less room: those that tell the meshes apart and rank
    /// them come first.
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    void chosen(const meshreel::LegalMesh& mesh);

  private:
    void prepareTable();
    void setMeshes(std::vector<LegalMesh> meshes);
    void showHostColumns(bool shown);
    [[nodiscard]] int leastAttention() const;
    [[nodiscard]] int widthOfColumns() const;
    void chooseCurrent();

    LegalMeshModel* m_model;
    QTableView* m_table;
    QLabel* m_order;
    int m_width = 0;  ///< of all columns; measured once for each list
    LatestOnly m_listing;
};

/// The mesh of the project: its axes to be typed or dragged, the hosts that take its ranks, its devices
/// drawn, one attention to be stepped through, and the legal meshes of as many devices to choose from.
class MeshPanel : public QWidget {
    Q_OBJECT

  public:
    explicit MeshPanel(ProjectDocument& document, QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);

    [[nodiscard]] MeshView& view() const { return *m_view; }
    [[nodiscard]] LegalMeshModel& legalMeshes() const;
    [[nodiscard]] int stepCount() const;
    void goToStep(int step);
    [[nodiscard]] QString detailText() const;
    /// What stands in place of the devices; empty while they are drawn.
    [[nodiscard]] QString emptyText() const;
    /// Hosts and ranks, or what is wrong with the file of hosts; empty without one.
    [[nodiscard]] QString hostsText() const;

  private:
    QWidget* makeFields();
    EmptyState* makeEmptyState();
    QWidget* makeDrawing();

    void showDevices(const ProjectForecast& forecast);
    /// In place of the devices; with buttons that give the project some where it has one.
    void showSentence(const QString& sentence, bool offersDevices);
    void takeDevices(int devices);
    void showHosts(const ProjectForecast& forecast);
    void listExtents(const ProjectForecast& forecast);
    void showDetail();

    ProjectDocument& m_document;
    MeshPicture m_picture;
    MeshView* m_view;
    WalkTransport* m_transport;
    LegalMeshes* m_legal;
    QStackedWidget* m_pages;
    SideSplitter* m_split;
    EmptyState* m_empty;
    LastPlanMark* m_lastPlan = nullptr;
    QLabel* m_detail;
    QLabel* m_hosts;
    LatestOnly m_extents;
};

}  // namespace meshreel
