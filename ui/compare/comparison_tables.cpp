// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/comparison_tables.h"

#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <algorithm>

#include "engine/runs/records/data_table.h"
#include "engine/runs/records/run_analysis.h"
#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_axes.h"
#include "ui/compare/comparison.h"
#include "ui/compare/quality_page.h"
#include "ui/theme/look.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

struct RunCopies {
    Q_DECLARE_TR_FUNCTIONS(meshreel::RunCopies)
};

}  // namespace

QString copyTimingSummaries(std::span<const RunRecord> runs) {
    const std::string text = runSummaries(runs);
    if (text.empty())
        return RunCopies::tr("None of these runs is finished: there is no timing summary to copy.");
    QGuiApplication::clipboard()->setText(QString::fromStdString(text));
    const auto copied =
        std::ranges::count_if(runs, [](const RunRecord& run) { return run.timings.has_value(); });
    return RunCopies::tr("Copied %n timing summaries", nullptr, static_cast<int>(copied));
}

QString copyBestConfigs(std::span<const RunRecord> runs) {
    const DataTable best = bestConfigs(runs);
    if (best.rows.empty())
        return RunCopies::tr("None of these runs finished a step: there is no configuration to copy.");
    QGuiApplication::clipboard()->setText(QString::fromStdString(toMarkdown(best)));
    return RunCopies::tr("Copied %n configurations as a Markdown table", nullptr,
                         static_cast<int>(best.rows.size()));
}

namespace {

enum Page { Timings, Differences, Quality };

}  // namespace

ComparisonTables::ComparisonTables(QWidget* parent)
    : QTabWidget(parent),
      m_timings(new TimingComparison(this)),
      m_differences(new SettingDifferences(this)),
      m_timingTable(new QTableView(this)),
      m_differenceTable(new QTableView(this)),
      m_quality(new QualityPage(this)) {
    setDocumentMode(true);
    addTab(m_timingTable, tr("Timings"));
    addTab(m_differenceTable, tr("Settings that differ"));
    addTab(m_quality, tr("Quality"));
    setUpTimings();
    setUpDifferences();
    setComparison({});
}

void ComparisonTables::setUpTimings() {
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_timings);
    sorted->setSortRole(TimingComparison::SortRole);
    m_timingTable->setModel(sorted);
    m_timingTable->setAccessibleName(tr("Timings of the runs"));
    m_timingTable->setFrameShape(QFrame::NoFrame);
    m_timingTable->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_timingTable->horizontalHeader()->setSectionsMovable(true);
    m_timingTable->horizontalHeader()->setSortIndicatorClearable(true);
    m_timingTable->sortByColumn(-1, Qt::AscendingOrder);
    m_timingTable->setSortingEnabled(true);
    const QIcon copy = themedIcon(QStringLiteral("edit-copy"));
    for (const auto& [text, action] :
         {std::pair{tr("Copy timing summaries"), &ComparisonTables::copySummaries},
          std::pair{tr("Copy best configurations"), &ComparisonTables::copyBest}}) {
        auto* entry = new QAction(copy, text, m_timingTable);
        connect(entry, &QAction::triggered, this, action);
        m_timingTable->addAction(entry);
    }
    auto* baseline = new QAction(tr("Use as &baseline"), m_timingTable);
    baseline->setObjectName(QStringLiteral("baseline"));
    baseline->setToolTip(tr("Speeds are relative to this run"));
    connect(baseline, &QAction::triggered, this, [this, sorted] {
        if (const QModelIndex current = m_timingTable->currentIndex(); current.isValid())
            setBaseline(sorted->mapToSource(current).row());
    });
    m_timingTable->addAction(baseline);
    m_timingTable->addAction((new SortMenu(*m_timingTable->horizontalHeader()))->menuAction());
    setUpRowTable(*m_timingTable, ColumnMenu::Choice::Shown);
    m_timingTable->setTextElideMode(Qt::ElideMiddle);
    connect(m_timingTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, sorted](const QModelIndex& current) {
                if (current.isValid())
                    emit runSelected(sorted->mapToSource(current).row());
            });
}

void ComparisonTables::setBaseline(int run) {
    if (run < 0 || run >= m_timings->rowCount() || run == m_timings->baseline())
        return;
    m_timings->setBaseline(run);
    m_quality->setBaseline(run);
    emit baselineChanged(run);
}

void ComparisonTables::setSpeedOf(SpeedOf of) {
    m_timings->setSpeedOf(of);
}

// Cuts long names to leave room for the numbers; the tip of its cell shows the whole name.
void ComparisonTables::fitColumns() {
    constexpr double usualRoom = 1.25;  // of the names in charts, for bold letters and the cell's margins
    m_timingTable->resizeColumnsToContents();
    const int names = m_timings->findColumn("run");
    const auto most = static_cast<int>(usualRoom * usualNameRoom(QFontMetricsF(m_timingTable->font())));
    if (m_timingTable->columnWidth(names) > most)
        m_timingTable->setColumnWidth(names, most);
}

void ComparisonTables::setUpDifferences() {
    m_differenceTable->setModel(m_differences);
    m_differenceTable->setAccessibleName(tr("Settings that differ"));
    setUpRowTable(*m_differenceTable);
    m_differenceTable->setFrameShape(QFrame::NoFrame);
    m_differenceTable->verticalHeader()->show();
    m_differenceTable->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_differenceTable->horizontalHeader()->setTextElideMode(Qt::ElideMiddle);
}

void ComparisonTables::showQuality(const Comparison& comparison) {
    m_quality->setComparison(comparison);
    m_quality->setBaseline(m_timings->baseline());
    const bool rated = m_quality->model().rowCount() > 0;
    setTabEnabled(Quality, rated);
    setTabToolTip(Quality,
                  rated ? QString() : tr("Of runs that differ in a setting which changes their pictures"));
}

void ComparisonTables::setComparison(const Comparison& comparison) {
    m_timings->setRuns(comparison.records());
    fitColumns();
    const std::vector<NamedProject> projects = comparison.projects();
    m_differences->setProjects(projects);
    const int runs = m_timings->rowCount();
    const int settings = m_differences->rowCount();
    setTabEnabled(Timings, runs > 0);
    showQuality(comparison);
    setTabEnabled(Differences, settings > 0);
    setTabText(Differences,
               settings > 0 ? tr("Settings that differ (%1)").arg(settings) : tr("Settings that differ"));
    setTabToolTip(Differences,
                  settings == 0 && projects.size() > 1 ? tr("All settings are the same") : QString());
    if (!isTabEnabled(currentIndex()))
        setCurrentIndex(runs == 0 && settings > 0 ? Differences : Timings);
    setVisible(runs > 0 || settings > 0);
}

std::vector<int> ComparisonTables::chosenRows() const {
    const auto* sorted = static_cast<const QSortFilterProxyModel*>(m_timingTable->model());
    const QItemSelectionModel* selection = m_timingTable->selectionModel();
    std::vector<int> rows;
    for (int row = 0; row < sorted->rowCount(); ++row)
        if (!selection->hasSelection() || selection->isRowSelected(row))
            rows.push_back(sorted->mapToSource(sorted->index(row, 0)).row());
    return rows;
}

std::vector<RunRecord> ComparisonTables::chosenRuns() const {
    std::vector<RunRecord> runs;
    for (const int row : chosenRows())
        runs.push_back(m_timings->run(row));
    return runs;
}

void ComparisonTables::copySummaries() {
    emit noted(copyTimingSummaries(chosenRuns()));
}

void ComparisonTables::copyBest() {
    emit noted(copyBestConfigs(chosenRuns()));
}

}  // namespace meshreel

#include "moc_comparison_tables.cpp"
