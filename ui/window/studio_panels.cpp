// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/studio_panels.h"

#include <QDockWidget>
#include <utility>

#include "ui/attention/attention_panel.h"
#include "ui/compare/compare_panel.h"
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
#include "ui/runs/results_view.h"
#include "ui/settings/key_row.h"
#include "ui/settings/problem_panel.h"
#include "ui/settings/project_editor.h"
#include "ui/settings/yaml_panel.h"
#include "ui/studies/sweep_panel.h"
#include "ui/studies/tune_panel.h"
#include "ui/window/dock_host.h"

namespace meshreel {

namespace {

constexpr int editorWidth = 477;
constexpr int resultsWidth = 803;
constexpr int resultsHeight = 570;
constexpr int lowerHeight = 230;

}  // namespace

StudioPanels::StudioPanels(const PanelModels& models, DockHost& docks)
    : m_docks(docks),
      m_editor(new ProjectEditor(models.document, &docks)),
      m_modelCard(new ModelCard(&docks)),
      m_results(new ResultsView(&docks)),
      m_mesh(new MeshPanel(models.document, &docks)),
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
      m_sweep(new SweepPanel(&docks)),
      m_models(new ModelsPanel(models.document, &docks)) {
    m_compare->shareStepZoom(m_results->chart().zoom());
    add();
}

void StudioPanels::add() {
    struct Panel {
        const char* name;
        QString title;
        QWidget* widget;
    };
    for (const Panel& panel : {Panel{"project", tr("Project"), m_editor},
                               Panel{"model", tr("Model"), m_modelCard},
                               Panel{"result", tr("Result"), m_results},
                               Panel{"mesh", tr("Mesh"), m_mesh},
                               Panel{"attention", tr("Attention"), m_attention},
                               Panel{"text", tr("Text"), m_yaml},
                               Panel{"runs", tr("Runs"), m_history},
                               Panel{"compare", tr("Compare"), m_compare},
                               Panel{"problems", tr("Problems"), m_problems},
                               Panel{"chart", tr("Chart"), &m_results->chart()},
                               Panel{"summary", tr("Timing summary"), &m_results->summary()},
                               Panel{"queue", tr("Queue"), m_queue},
                               Panel{"activity", tr("Activity"), m_activity},
                               Panel{"reference", tr("Reference"), m_reference},
                               Panel{"noise", tr("Noise"), m_noise},
                               Panel{"prompts", tr("Prompts"), m_prompts},
                               Panel{"tune", tr("Tune"), m_tune},
                               Panel{"sweep", tr("Sweep"), m_sweep},
                               Panel{"models", tr("Models"), m_models},
                               Panel{"devices", tr("Devices"), &m_results->devices()}})
        m_docks.addPanel(QLatin1String(panel.name), panel.title, panel.widget);
}

void StudioPanels::arrange() {
    const auto dock = [this](const QWidget* panel) { return m_docks.dockOf(panel); };
    const auto stack = [&](std::initializer_list<const QWidget*> panels) {
        const QWidget* first = *panels.begin();
        for (const QWidget* panel : panels) {
            dock(panel)->setFloating(false);
            dock(panel)->show();
            if (panel != first)
                m_docks.tabifyDockWidget(dock(first), dock(panel));
        }
        dock(first)->raise();
    };
    // In the order of reading; docks are not mirrored by themselves.
    QWidget* first = m_editor;
    QWidget* second = m_results;
    if (m_docks.isRightToLeft())
        std::swap(first, second);
    m_docks.addDockWidget(Qt::LeftDockWidgetArea, dock(first));
    m_docks.splitDockWidget(dock(first), dock(second), Qt::Horizontal);
    m_docks.splitDockWidget(dock(m_results), dock(m_problems), Qt::Vertical);
    stack({m_editor, m_prompts, m_modelCard});
    stack({m_results, m_mesh, m_attention, m_noise, m_yaml, m_history, m_compare, m_tune, m_sweep, m_models,
           m_reference});
    stack(
        {m_problems, &m_results->chart(), &m_results->summary(), m_activity, &m_results->devices(), m_queue});
    m_docks.resizeDocks({dock(m_editor), dock(m_results)}, {editorWidth, resultsWidth}, Qt::Horizontal);
    m_docks.resizeDocks({dock(m_results), dock(m_problems)}, {resultsHeight, lowerHeight}, Qt::Vertical);
}

}  // namespace meshreel
