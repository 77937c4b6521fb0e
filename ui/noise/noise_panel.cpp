// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/noise/noise_panel.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLegendMarker>
#include <QLineSeries>
#include <QPen>
#include <QVBoxLayout>
#include <QValueAxis>
#include <algorithm>
#include <optional>
#include <set>

#include "engine/base/error.h"
#include "engine/planning/applied_values.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/runs/records/data_table.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/chart_style.h"
#include "ui/noise/noise_view.h"
#include "ui/project/project_document.h"
#include "ui/settings/key_field.h"
#include "ui/settings/plan_parts.h"
#include "ui/theme/look.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

namespace {

struct NoiseSheet {
    Q_DECLARE_TR_FUNCTIONS(meshreel::NoiseSheet)
};

constexpr double sheetLineWidth = 2.0;
constexpr std::size_t mostDots = 60;
constexpr int unshiftedColor = 6;  ///< index for ChartStyle::series

double numberOf(std::size_t step) {
    return static_cast<double>(step + 1);
}

/// Returns a line of consecutive steps of one expert, joined to the previous step.
QLineSeries* lineOf(const NoiseLevels& levels, std::size_t first, std::size_t end, QChart* chart) {
    const int expert = levels.steps[first].expert;
    auto* line = new QLineSeries(chart);
    for (std::size_t step = first == 0 ? first : first - 1; step < end; ++step)
        line->append(numberOf(step), levels.steps[step].level);
    line->setName(expertText(levels, expert));
    line->setPen(QPen(ChartStyle::series(expert - 1), sheetLineWidth));
    line->setPointsVisible(levels.steps.size() <= mostDots);
    if (first > 0)  // the dot of the step before has its own expert's colour
        line->setPointConfiguration(0, QXYSeries::PointConfiguration::Visibility, false);
    return line;
}

QLineSeries* unshiftedLine(const NoiseLevels& levels, QChart* chart) {
    auto* line = new QLineSeries(chart);
    for (std::size_t step = 0; step < levels.unshifted.size(); ++step)
        line->append(numberOf(step), levels.unshifted[step]);
    line->setName(NoiseSheet::tr("without the flow shift"));
    line->setPen(QPen(ChartStyle::series(unshiftedColor), 1, Qt::DotLine));
    return line;
}

QLineSeries* boundaryLine(double level, double end, QChart* chart) {
    auto* line = new QLineSeries(chart);
    line->append(0, level);
    line->append(end, level);
    line->setName(NoiseSheet::tr("boundary"));
    line->setPen(QPen(ChartStyle::print().text, 1, Qt::DashLine));
    return line;
}

std::unique_ptr<QChart> drawNoiseChart(const NoiseLevels& levels) {
    auto chart = std::make_unique<QChart>();
    auto* steps = new QValueAxis(chart.get());
    auto* level = new QValueAxis(chart.get());
    steps->setTitleText(NoiseSheet::tr("Step"));
    level->setTitleText(NoiseSheet::tr("Noise level"));
    setCountTicks(steps, static_cast<int>(levels.steps.size()));
    setTicks(level, 0, 1);
    chart->addAxis(steps, Qt::AlignBottom);
    chart->addAxis(level, Qt::AlignLeft);
    const auto add = [&](QLineSeries* line) {
        chart->addSeries(line);
        line->attachAxis(steps);
        line->attachAxis(level);
    };
    std::set<int> named;
    for (std::size_t first = 0, end = 0; first < levels.steps.size(); first = end) {
        const int expert = levels.steps[first].expert;
        while (end < levels.steps.size() && levels.steps[end].expert == expert)
            ++end;
        QLineSeries* line = lineOf(levels, first, end, chart.get());
        add(line);
        chart->legend()->markers(line).first()->setVisible(named.insert(expert).second);
    }
    if (!levels.unshifted.empty())
        add(unshiftedLine(levels, chart.get()));
    if (levels.boundary)
        add(boundaryLine(*levels.boundary, steps->max(), chart.get()));
    ChartStyle::print().applyTo(*chart);
    return chart;
}

}  // namespace

ChartSheet noiseSheet(const NoiseLevels& levels) {
    if (levels.steps.empty())
        throw Error(
            ErrorKind::Project, NoiseSheet::tr("There are no steps to draw yet").toStdString(), {},
            NoiseSheet::tr("See Problems for what keeps the project from being planned").toStdString());
    DataTable numbers{.columns = {"step", "level", "sigma", "expert", "guidance", "level_without_shift"},
                      .rows = {}};
    for (std::size_t step = 0; step < levels.steps.size(); ++step) {
        const NoiseStep& each = levels.steps[step];
        numbers.rows.push_back({static_cast<std::int64_t>(step), each.level, each.sigma,
                                std::int64_t{each.expert}, each.guidance,
                                levels.unshifted.empty() ? DataCell() : DataCell(levels.unshifted[step])});
    }
    return {.draw = [levels] { return drawNoiseChart(levels); }, .numbers = std::move(numbers)};
}

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
        field->setFixedWidth(std::max(width, field->field().roomForApplied(*findProjectKey(key))));
        row->addWidget(field);
        m_fields.push_back(field);
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
    const RunPlan* plan = forecast.plan.get();
    const std::optional<Project> applied =
        plan == nullptr ? std::nullopt : std::optional(appliedProject(*plan));
    for (BoundField* field : m_fields)
        field->showApplied(applied ? &*applied : nullptr);
    if (forecast.plan == nullptr) {
        if (!forecast.hadPlan)
            showNothing(whyNoPlan(forecast));
        return;
    }
    m_levels = computeNoiseLevels(*forecast.plan);
    m_view->setLevels(m_levels);
    m_export->setEnabled(!m_levels.steps.empty());
    showDetail();
}

void NoisePanel::exportTo(const std::filesystem::path& file) const {
    ChartSheet sheet = noiseSheet(m_levels);
    sheet.title = tr("Noise at each step");
    exportChart(file, sheet);
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

#include "moc_noise_panel.cpp"
