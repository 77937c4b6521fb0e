// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/noise/noise_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "ui/charts/chart_export.h"
#include "ui/models/project_document.h"
#include "ui/noise/noise_sheet.h"
#include "ui/noise/noise_view.h"
#include "ui/theme/look.h"
#include "ui/widgets/bound_field.h"
#include "ui/widgets/export_button.h"
#include "ui/widgets/last_plan_mark.h"

namespace meshreel {

namespace {

constexpr int detailLines = 4;
constexpr int choiceWidth = 170;
constexpr int numberWidth = 100;

}  // namespace

NoisePanel::NoisePanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_view(new NoiseView(this)),
      m_export(new ExportButton(QStringLiteral("noise"), this)),
      m_detail(new QLabel(this)),
      m_lastPlan(new LastPlanMark({m_view, m_detail}, this)) {
    m_detail->setWordWrap(true);
    m_detail->setTextFormat(Qt::PlainText);
    m_detail->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    m_detail->setFixedHeight(detailLines * m_detail->fontMetrics().lineSpacing());
    m_detail->setText(
        tr("The noise of every step is drawn here as soon as the project can be planned: choose a model "
           "under Project, and see Problems for what keeps it from that."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(spacing);
    layout->addWidget(makeFields(document));
    layout->addWidget(m_lastPlan);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_detail);
    connect(m_view, &NoiseView::stepChosen, this, &NoisePanel::showDetail);
}

QWidget* NoisePanel::makeFields(ProjectDocument& document) {
    auto* fields = new QWidget(this);
    auto* row = new QHBoxLayout(fields);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    const auto add = [&](std::string_view key, const QString& title, int width) {
        auto* field = new BoundField(document, *findProjectKey(key), title, fields);
        field->setFixedWidth(width);
        row->addWidget(field);
    };
    add("scheduler", tr("Scheduler"), choiceWidth);
    add("num_inference_steps", tr("Steps"), numberWidth);
    add("flow_shift", tr("Flow shift"), numberWidth);
    add("boundary_ratio", tr("Boundary"), numberWidth);
    row->addStretch(1);
    row->addWidget(m_export);
    m_export->setEnabled(false);
    connect(m_export, &ExportButton::exportRequested, this, &NoisePanel::exportRequested);
    return fields;
}

void NoisePanel::showForecast(const ProjectForecast& forecast) {
    m_lastPlan->setMarked(forecast.plan == nullptr && forecast.hadPlan);
    if (forecast.plan == nullptr) {
        if (!forecast.hadPlan)
            showNothing(whyNoPlan(forecast));
        return;
    }
    m_levels = noiseLevelsOf(*forecast.plan);
    m_view->setLevels(m_levels);
    m_export->setEnabled(!m_levels.steps.empty());
    showDetail();
}

void NoisePanel::exportTo(const std::filesystem::path& file) const {
    exportChart(file, noiseSheet(m_levels));
}

QString NoisePanel::detailText() const {
    return m_detail->text();
}

void NoisePanel::showNothing(const QString& reason) {
    m_levels = {};
    m_view->setLevels({});
    m_export->setEnabled(false);
    m_detail->setText(reason);
    m_view->setAccessibleDescription(reason);
}

void NoisePanel::showDetail() {
    if (m_levels.steps.empty())
        return;
    const int step = m_view->chosenStep();
    m_detail->setText(step < 0 ? noiseSentences(m_levels) : noiseStepText(m_levels, step));
    m_view->setAccessibleDescription(m_detail->text());
}

}  // namespace meshreel
