// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/studio_panels.h"

#include <QDockWidget>
#include <algorithm>
#include <array>
#include <utility>

#include "ui/attention/attention_panel.h"
#include "ui/compare/compare_panel.h"
#include "ui/foresight/foresight_panel.h"
#include "ui/library/model_card.h"
#include "ui/library/models_panel.h"
#include "ui/library/prompt_panel.h"
#include "ui/mesh/mesh_panel.h"
#include "ui/noise/noise_panel.h"
#include "ui/queue/queue_panel.h"
#include "ui/running/activity_panel.h"
#include "ui/running/devices_panel.h"
#include "ui/runs/chart_panel.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/recent_strip.h"
#include "ui/runs/results_view.h"
#include "ui/settings/key_row.h"
#include "ui/settings/problem_panel.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/yaml_panel.h"
#include "ui/storyboard/storyboard_panel.h"
#include "ui/studies/bench_panel.h"
#include "ui/studies/sweep_panel.h"
#include "ui/studies/tune_panel.h"
#include "ui/timeline/timeline_panel.h"
#include "ui/window/dock_host.h"

namespace meshreel {

namespace {

// At first, in a window of 1280 x 800; what is larger gives the rest to what is looked at.
constexpr int formWidth = 400;
constexpr int leastFormWidth = 360;
constexpr int mostFormWidth = 460;
constexpr int meshWidth = 860;  ///< enough to show all of it; with less room Mesh and Attention become tabs
constexpr int besideMeshWidth = 680;
constexpr int runsWidth = 800;
constexpr int besideRunsWidth = 480;
constexpr int upperHeight = 380;
constexpr int lowerHeight = 260;
constexpr int panelHeight = 470;
constexpr int drawerHeight = 210;

/// In which a plot has room, a summary its lines, a list of devices some rows.
constexpr std::array<std::pair<const char*, int>, 3> drawerHeights{
    {{"chart", 330}, {"summary", 360}, {"devices", 400}}};

}  // namespace

StudioPanels::StudioPanels(const PanelModels& models, DockHost& docks)
    : m_docks(docks),
      m_editor(new ProjectEditor(models.document, &docks)),
      m_modelCard(new ModelCard(&docks)),
      m_results(new ResultsView(&docks)),
      m_mesh(new MeshPanel(models.document, models.target, &docks)),
      m_attention(new AttentionPanel(models.document, &docks)),
      m_yaml(new YamlPanel(models.document, &docks)),
      m_history(new HistoryPanel(models.history, &docks)),
      m_compare(new ComparePanel(&docks)),
      m_problems(new ProblemPanel(&docks)),
      m_queue(new QueuePanel(models.queue, &docks)),
      m_activity(new ActivityPanel(&docks)),
      m_reference(new KeyReference(&docks)),
      m_noise(new NoisePanel(models.document, &docks)),
      m_prompts(new PromptPanel(models.prompts, models.document, &docks)),
      m_tune(new TunePanel(models.document, &docks)),
      m_sweep(new SweepPanel(models.document, &docks)),
      m_bench(new BenchPanel(models.document, &docks)),
      m_foresight(new ForesightPanel(models.document, models.target, &docks)),
      m_timeline(new TimelinePanel(&docks)),
      m_models(new ModelsPanel(models.document, &docks)),
      m_storyboard(new StoryboardPanel(models.storyboard, &docks)),
      m_recent(new RecentStrip(models.history, &docks)) {
    m_results->setFooter(m_recent);
    m_compare->shareStepZoom(m_results->chart().zoom());
    add();
}

void StudioPanels::add() {
    struct Panel {
        const char* name;
        QString title;
        QWidget* widget;
        PanelPlace place;
    };
    using enum PanelPlace;
    // In the order of the tabs.
    for (const Panel& panel : {Panel{"project", tr("Project"), m_editor, Create},
                               Panel{"prompts", tr("Prompts"), m_prompts, Create},
                               Panel{"model", tr("Model"), m_modelCard, Create},
                               Panel{"result", tr("Result"), m_results, Create},
                               Panel{"models", tr("Models"), m_models, Create},
                               Panel{"text", tr("Text"), m_yaml, Create},
                               Panel{"mesh", tr("Mesh"), m_mesh, Mesh},
                               Panel{"attention", tr("Attention"), m_attention, Mesh},
                               Panel{"noise", tr("Noise"), m_noise, Mesh},
                               Panel{"compare", tr("Compare"), m_compare, Measure},
                               Panel{"tune", tr("Tune"), m_tune, Measure},
                               Panel{"sweep", tr("Sweep"), m_sweep, Measure},
                               Panel{"bench", tr("Bench"), m_bench, Measure},
                               Panel{"foresight", tr("Foresight"), m_foresight, Measure},
                               Panel{"timeline", tr("Timeline"), m_timeline, Measure},
                               Panel{"runs", tr("Runs"), m_history, Runs},
                               Panel{"queue", tr("Queue"), m_queue, Runs},
                               Panel{"problems", tr("Problems"), m_problems, Drawer},
                               Panel{"chart", tr("Chart"), &m_results->chart(), Drawer},
                               Panel{"summary", tr("Summary"), &m_results->summary(), Drawer},
                               Panel{"devices", tr("Devices"), &m_results->devices(), Drawer},
                               Panel{"activity", tr("Log"), m_activity, Drawer},
                               Panel{"storyboard", tr("Storyboard"), m_storyboard, Create},
                               Panel{"reference", tr("Reference"), m_reference, Create}}) {
        QDockWidget* dock = m_docks.addPanel(QLatin1String(panel.name), panel.title, panel.widget);
        m_places.push_back(panel.place);
        if (panel.place == Drawer)
            m_drawer.push_back(dock);
    }
    m_docks.setDrawer(m_drawer);
    m_editor->setMinimumWidth(leastFormWidth);
}

QDockWidget* StudioPanels::form() const {
    for (const QWidget* panel : std::initializer_list<const QWidget*>{m_editor, m_prompts, m_modelCard})
        if (QDockWidget* dock = findDock(panel);
            dock->isVisible() && !dock->isFloating() && 4 * dock->width() < 3 * m_docks.width())
            return dock;
    return nullptr;
}

void StudioPanels::setFormWidth(int width) {
    const int fitting = width < leastFormWidth || width > mostFormWidth ? formWidth : width;
    QDockWidget* dock = form();
    if (dock == nullptr || dock->width() == fitting)
        return;
    // When one dock alone gets a size, the others do not always take what it gives.
    if (QDockWidget* rest = findDock(m_results); !rest->isHidden() && !rest->isFloating())
        m_docks.resizeDocks({dock, rest}, {fitting, m_docks.width() - fitting}, Qt::Horizontal);
    else
        m_docks.resizeDocks({dock}, {fitting}, Qt::Horizontal);
}

std::vector<DrawerPage> StudioPanels::drawer() const {
    std::vector<DrawerPage> pages;
    for (QDockWidget* dock : m_drawer) {
        const auto* const own = std::ranges::find_if(drawerHeights, [dock](const auto& row) {
            return dock->objectName() == QLatin1String(row.first);
        });
        pages.push_back({dock, own == drawerHeights.end() ? drawerHeight : own->second});
    }
    return pages;
}

QDockWidget* StudioPanels::findDock(const QWidget* panel) const {
    return m_docks.findDock(panel);
}

Workspace StudioPanels::home(const QDockWidget& dock, Workspace current) const {
    const auto found = std::ranges::find(m_docks.docks(), &dock);
    const PanelPlace place = m_places.at(static_cast<std::size_t>(found - m_docks.docks().begin()));
    return place == PanelPlace::Drawer ? current : static_cast<Workspace>(place);
}

void StudioPanels::stack(const std::vector<QWidget*>& panels) {
    for (const QWidget* panel : panels) {
        if (panel != panels.front())
            m_docks.tabifyDockWidget(findDock(panels.front()), findDock(panel));
        findDock(panel)->show();
    }
    findDock(panels.front())->raise();
}

/// Before the panel shares its place: docks are split, but rows of tabs are not.
void StudioPanels::keepBehind(QWidget* panel) {
    QDockWidget* front = findDock(panel);
    QDockWidget* drawer = m_drawer.front();
    m_docks.splitDockWidget(front, drawer, Qt::Vertical);
    for (QDockWidget* dock : m_drawer)
        if (dock != drawer)
            m_docks.tabifyDockWidget(drawer, dock);
    front->show();
    m_docks.resizeDocks({front, drawer}, {panelHeight, drawerHeight}, Qt::Vertical);
    for (QDockWidget* dock : m_drawer)
        dock->hide();
    for (QDockWidget* dock : m_docks.docks())
        if (m_docks.dockWidgetArea(dock) == Qt::NoDockWidgetArea) {
            m_docks.tabifyDockWidget(front, dock);
            dock->hide();
        }
}

void StudioPanels::arrange(Workspace workspace) {
    for (QDockWidget* dock : m_docks.docks()) {
        dock->setFloating(false);
        m_docks.removeDockWidget(dock);
    }
    switch (workspace) {
        case Workspace::Create:
            return arrangeCreate();
        case Workspace::Mesh:
            return arrangeMesh();
        case Workspace::Measure:
            return arrangeMeasure();
        case Workspace::Runs:
            return arrangeRuns();
    }
}

/// Docks are not mirrored by themselves: `first` is where reading begins.
void StudioPanels::putBeside(QWidget* first, QWidget* second) {
    if (m_docks.isRightToLeft())
        std::swap(first, second);
    m_docks.addDockWidget(Qt::LeftDockWidgetArea, findDock(first));
    m_docks.splitDockWidget(findDock(first), findDock(second), Qt::Horizontal);
}

void StudioPanels::arrangeCreate() {
    putBeside(m_editor, m_results);
    keepBehind(m_results);
    stack({m_editor, m_prompts, m_modelCard});
    stack({m_results, m_storyboard, m_models, m_yaml});
    m_docks.resizeDocks({findDock(m_editor)}, {formWidth}, Qt::Horizontal);
}

void StudioPanels::arrangeMesh() {
    if (m_docks.width() < meshWidth + besideMeshWidth) {
        m_docks.addDockWidget(Qt::LeftDockWidgetArea, findDock(m_mesh));
        keepBehind(m_mesh);
        return stack({m_mesh, m_attention, m_noise});
    }
    putBeside(m_mesh, m_attention);
    keepBehind(m_mesh);
    stack({m_mesh});
    stack({m_attention, m_noise});
    m_docks.resizeDocks({findDock(m_mesh), findDock(m_attention)}, {meshWidth, besideMeshWidth},
                        Qt::Horizontal);
}

void StudioPanels::arrangeMeasure() {
    m_docks.addDockWidget(Qt::LeftDockWidgetArea, findDock(m_compare));
    keepBehind(m_compare);
    stack({m_compare, m_timeline, m_tune, m_sweep, m_bench, m_foresight});
}

void StudioPanels::arrangeRuns() {
    putBeside(m_history, m_results);
    m_docks.splitDockWidget(findDock(m_history), findDock(m_queue), Qt::Vertical);
    keepBehind(m_results);
    stack({m_history});
    stack({m_queue});
    stack({m_results});
    m_docks.resizeDocks({findDock(m_history), findDock(m_results)}, {runsWidth, besideRunsWidth},
                        Qt::Horizontal);
    m_docks.resizeDocks({findDock(m_history), findDock(m_queue)}, {upperHeight, lowerHeight}, Qt::Vertical);
}

}  // namespace meshreel
