// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/chart_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/charts/chart_sheet.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/step_chart.h"
#include "ui/charts/zoomed_chart.h"
#include "ui/theme/look.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

ChartPanel::ChartPanel(QWidget* parent)
    : QWidget(parent),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState(tr("Each step appears here during a run, or when you open a past one."), this)),
      m_zoom(new ChartZoom(this)),
      m_chart(new StepChart),
      m_view(new ChartView(this)),
      m_metric(new QComboBox(this)),
      m_export(new ExportButton(QStringLiteral("steps"), this)) {
    m_view->setAccessibleName(tr("Chart of the steps"));
    m_chart->setStyle(ChartStyle::of(palette()));
    m_view->draw(std::unique_ptr<QChart>(m_chart), m_zoom);

    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(tightSpacing);
    column->addWidget(makeHeader());
    column->addWidget(m_view, 1);
    m_stage->addWidget(m_empty);
    m_stage->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stage);

    const QPushButton* runs = m_empty->addButton(themedIcon(QStringLiteral("folder")), tr("Open a run"));
    connect(runs, &QPushButton::clicked, this, &ChartPanel::runsRequested);

    connect(m_metric, &QComboBox::currentIndexChanged, this,
            [this] { m_chart->setMetric(static_cast<StepMetric>(m_metric->currentData().toInt())); });
    refresh();
}

void ChartPanel::setSteps(std::vector<StepRecord> steps, std::vector<int> resumedFrom) {
    m_steps = std::move(steps);
    m_resumedFrom = std::move(resumedFrom);
    refresh();
    showAllSteps();
}

void ChartPanel::addSteps(const std::vector<StepRecord>& steps) {
    m_steps.insert(m_steps.end(), steps.begin(), steps.end());
    refresh();
}

void ChartPanel::setExpectedSteps(int steps) {
    m_expectedSteps = steps;
    refresh();
}

void ChartPanel::exportTo(const std::filesystem::path& file) const {
    ChartSheet sheet = stepSheet(m_steps, m_chart->metric(), m_resumedFrom);
    sheet.title = m_metric->currentText();
    exportChart(file, sheet);
}

void ChartPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        m_chart->setStyle(ChartStyle::of(palette()));
    QWidget::changeEvent(event);
}

QWidget* ChartPanel::makeHeader() {
    m_metric->addItem(tr("Seconds per step"), static_cast<int>(StepMetric::Seconds));
    m_metric->addItem(tr("Values of the latents"), static_cast<int>(StepMetric::Latents));
    nameControl(*m_metric, tr("What the chart shows"));
    m_metric->setToolTip(m_metric->accessibleName());

    connect(m_export, &ExportButton::exportRequested, this, &ChartPanel::exportRequested);

    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_metric);
    auto* logarithmic = new QToolButton(this);
    logarithmic->setDefaultAction(m_view->logarithmic());
    row->addWidget(logarithmic);
    row->addStretch(1);
    row->addWidget(m_export);
    return header;
}

// A part of the former run's steps may be none of another's.
void ChartPanel::showAllSteps() {
    m_view->showEverything();
    m_zoom->setMark(std::nullopt);
}

void ChartPanel::refresh() {
    m_chart->setRecords(m_steps, m_expectedSteps, m_resumedFrom);
    m_export->setEnabled(!m_steps.empty());
    m_stage->setCurrentIndex(!m_steps.empty() || m_expectedSteps > 0 ? 1 : 0);
}

}  // namespace meshreel

#include "moc_chart_panel.cpp"
