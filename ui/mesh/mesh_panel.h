// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "engine/planning/mesh_search.h"
#include "ui/mesh/legal_mesh_model.h"
#include "ui/mesh/mesh_picture.h"
#include "ui/project/plan_watch.h"
#include "ui/values/background.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace meshreel {

class BoundField;
class EmptyState;
class LegalMeshModel;
class LastPlanMark;
class MeshView;
class ProjectDocument;
class SideSplitter;
class TargetChoice;
class WalkTransport;
struct ProjectForecast;
struct ProjectKey;

/// The list of legal meshes of as many devices, the best first, to choose from.
class LegalMeshes : public QWidget {
    Q_OBJECT

  public:
    explicit LegalMeshes(QWidget* parent = nullptr);

    /// Stops offering to measure this machine while it is measured.
    void setMeasuring(bool measuring);
    /// Lists those of the forecast's plan, on another thread; until then the last ones stay in sight.
    void list(const ProjectForecast& forecast);
    [[nodiscard]] LegalMeshModel& model() const { return *m_model; }
    /// Returns what the meshes are sorted by.
    [[nodiscard]] QString orderText() const;
    /// Returns the width of the columns, less when there is less room: those that distinguish the meshes and
    /// rank them come first.
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    void chosen(const meshreel::LegalMesh& mesh);
    /// The user wants to measure this machine, so that meshes can be sorted by time.
    void measureRequested();

  private:
    void prepareTable();
    /// `hardware`: the title of what they are ranked for; empty: this machine.
    void setMeshes(std::vector<LegalMesh> meshes, const QString& hardware);
    void showMeasure();
    void showHostColumns(bool shown);
    [[nodiscard]] int leastAttention() const;
    [[nodiscard]] int widthOfColumns() const;
    void chooseCurrent();

    LegalMeshModel* m_model;
    QTableView* m_table;
    QLabel* m_order;
    QPushButton* m_measure;
    bool m_canMeasure = false;
    bool m_isMeasuring = false;
    int m_width = 0;  ///< width of all columns; measured once for each list
    LatestOnly m_listing;
};

/// The mesh of the project: its axes to be typed or dragged, the hosts that take its ranks, its devices
/// drawn, one attention to be stepped through, and the legal meshes of as many devices to choose from.
class MeshPanel : public QWidget {
    Q_OBJECT

  public:
    /// The choice, which outlives this, is offered beside the fields.
    MeshPanel(ProjectDocument& document, TargetChoice& target, QWidget* parent = nullptr);

    void showForecast(const ProjectForecast& forecast);

    [[nodiscard]] MeshView& view() const { return *m_view; }
    [[nodiscard]] LegalMeshModel& legalMeshes() const;
    [[nodiscard]] LegalMeshes& legalList() const { return *m_legal; }
    [[nodiscard]] int stepCount() const;
    void goToStep(int step);
    [[nodiscard]] QString detailText() const;
    /// Returns what replaces the devices; empty while they are drawn.
    [[nodiscard]] QString emptyText() const;
    /// Hosts and ranks, or what is wrong with the file of hosts; empty without one.
    [[nodiscard]] QString hostsText() const;

  private:
    QWidget* makeFields(TargetChoice& target);
    /// The values of the plan where the project leaves them open.
    void showEffective(const ProjectForecast& forecast);
    EmptyState* makeEmptyState();
    QWidget* makeDrawing();

    void showDevices(const ProjectForecast& forecast);
    /// Shows a sentence in place of the devices; with buttons that give the project devices if it has a mesh.
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
    std::vector<std::pair<const ProjectKey*, BoundField*>> m_fields;
    QLabel* m_ring;
    QLabel* m_detail;
    QLabel* m_hosts;
    LatestOnly m_extents;
};

}  // namespace meshreel
