// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_panel.h"

#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_record_reader.h"
#include "engine/timing/best_configs.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/run_charts.h"
#include "ui/compare/clip_comparer.h"
#include "ui/report/report_exporter.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_button.h"

namespace meshreel {

namespace {

constexpr int chartHeight = 300;
constexpr int tableHeight = 140;

constexpr int videosEntry = -1;  ///< among the kinds of charts

struct ComparedRuns {
    std::vector<NamedRun> names;
    std::vector<RunRecord> records;
    std::vector<NamedProject> projects;
};

ComparedRuns readRuns(const std::vector<std::filesystem::path>& folders) {
    ComparedRuns runs;
    for (const std::filesystem::path& folder : folders) {
        runs.records.push_back(readRunRecord(folder));
        runs.names.push_back({QString::fromStdString(runs.records.back().name), folder});
        runs.projects.push_back(
            {QString::fromStdString(runs.records.back().name), RunFolder::open(folder).project()});
    }
    return runs;
}

}  // namespace

ComparePanel::ComparePanel(QWidget* parent)
    : QWidget(parent),
      m_differences(new SettingDifferences(this)),
      m_kind(new QComboBox(this)),
      m_paste(new QToolButton(this)),
      m_forget(new QToolButton(this)),
      m_export(new ExportButton(QStringLiteral("comparison"), this)),
      m_report(nullptr),
      m_reports(new ReportExporter(this)),
      m_stage(new QStackedWidget(this)),
      m_view(new QChartView(this)),
      m_videos(new ClipComparer(this)),
      m_words(new EmptyState({}, this)),
      m_chooseRuns(m_words->addButton(themedIcon(QStringLiteral("compare")), tr("Choose runs"))),
      m_table(new QTableView(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(spacing);
    layout->addWidget(makeHeader());
    layout->addWidget(makeBody(), 1);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &ComparePanel::refresh);
    refresh();
}

QWidget* ComparePanel::makeHeader() {
    for (const auto& [kind, title] :
         {std::pair{ChartKind::Steps, tr("Seconds per step")}, std::pair{ChartKind::Stages, tr("Stages")},
          std::pair{ChartKind::Scaling, tr("Speed by devices")},
          std::pair{ChartKind::Tiles, tr("Block sizes")},
          std::pair{ChartKind::Lanes, tr("Devices of one run")},
          std::pair{ChartKind::Memory, tr("Memory by phase")}})
        m_kind->addItem(title, static_cast<int>(kind));
    m_kind->addItem(tr("Videos of two runs"), videosEntry);
    m_kind->setAccessibleName(tr("What is compared"));
    m_paste->setIcon(themedIcon(QStringLiteral("paste")));
    m_paste->setText(tr("Paste timings…"));
    m_paste->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_paste->setToolTip(tr("Compare with a TIMING SUMMARY block copied from elsewhere"));
    m_forget->setIcon(themedIcon(QStringLiteral("close")));
    m_forget->setToolTip(tr("Leave out what was pasted"));
    m_forget->setAccessibleName(m_forget->toolTip());
    connect(m_paste, &QToolButton::clicked, this, &ComparePanel::askForPaste);
    connect(m_forget, &QToolButton::clicked, this, [this] {
        m_pasted.clear();
        refresh();
    });
    fillExportMenu();
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_kind);
    row->addStretch(1);
    row->addWidget(m_paste);
    row->addWidget(m_forget);
    row->addWidget(m_export);
    return header;
}

void ComparePanel::fillExportMenu() {
    connect(m_export, &ExportButton::exportRequested, this, &ComparePanel::exportRequested);
    m_export->menu()->addSeparator();
    m_report = m_export->menu()->addAction(tr("Export report…"), this, &ComparePanel::askForReport);
    m_report->setToolTip(tr("Write all of this as one page: timings, settings, pictures, charts"));
    m_export->menu()->addAction(themedIcon(QStringLiteral("edit-copy")), tr("Copy best configurations"), this,
                                &ComparePanel::copyBestConfigs);
    m_export->setToolTip(tr("Write the chart or a report to a file"));
    connect(m_reports, &ReportExporter::busyChanged, this, &ComparePanel::refreshReportAction);
}

QWidget* ComparePanel::makeBody() {
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Chart of the runs"));
    connect(m_chooseRuns, &QPushButton::clicked, this, &ComparePanel::runsRequested);
    m_stage->addWidget(m_words);
    m_stage->addWidget(m_view);
    m_stage->addWidget(m_videos);
    m_table->setModel(m_differences);
    m_table->setAccessibleName(tr("Settings that differ"));
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setTextElideMode(Qt::ElideMiddle);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + spacing);
    auto* body = new QSplitter(Qt::Vertical, this);
    body->addWidget(m_stage);
    body->addWidget(m_table);
    body->setStretchFactor(0, 1);
    body->setSizes({chartHeight, tableHeight});
    body->setChildrenCollapsible(false);
    return body;
}

void ComparePanel::compare(const std::vector<std::filesystem::path>& folders) {
    m_background.run([folders] { return readRuns(folders); },
                     [this, folders](ComparedRuns runs) {
                         m_folders = folders;
                         m_runs = std::move(runs.records);
                         m_differences->setProjects(std::move(runs.projects));
                         m_videos->setRuns(std::move(runs.names));
                         refresh();
                         emit compared();
                     },
                     [this](const Trouble& trouble) { emit troubled(trouble); });
}

QString ComparePanel::obstacle() const {
    return m_stage->currentWidget() == m_words ? m_words->sentence() : QString();
}

std::vector<RunRecord> ComparePanel::runs() const {
    std::vector<RunRecord> all = m_runs;
    all.insert(all.end(), m_pasted.begin(), m_pasted.end());
    return all;
}

void ComparePanel::paste(const QString& text) {
    const QString name = tr("pasted %1").arg(m_pasted.size() + 1);
    for (RunRecord& run : pastedRuns(text.toStdString(), name.toStdString()))
        m_pasted.push_back(std::move(run));
    showKind(ChartKind::Stages);
    refresh();
}

void ComparePanel::askForPaste() {
    const QString copied = QGuiApplication::clipboard()->text();
    bool accepted = false;
    const QString text = QInputDialog::getMultiLineText(
        this, tr("Paste timings"), tr("TIMING SUMMARY blocks, with the text around them if you like:"),
        copied.contains(QLatin1String("TIMING SUMMARY")) ? copied : QString(), &accepted);
    if (!accepted)
        return;
    try {
        paste(text);
    } catch (...) {
        emit troubled(Trouble::ofCurrentException());
    }
}

void ComparePanel::askForReport() {
    QFileDialog dialog(this, tr("Export report"), QString(), tr("Web page (*.html);;PDF document (*.pdf)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("html"));
    dialog.selectFile(QStringLiteral("comparison.html"));
    connect(&dialog, &QFileDialog::filterSelected, &dialog, [&dialog](const QString& filter) {
        dialog.setDefaultSuffix(filter.contains(QLatin1String("*.pdf")) ? QStringLiteral("pdf")
                                                                        : QStringLiteral("html"));
    });
    if (dialog.exec() == QDialog::Accepted)
        exportReport(dialog.selectedFiles().constFirst());
}

void ComparePanel::exportReport(const QString& file) {
    m_reports->write(file, m_folders, m_pasted);
}

void ComparePanel::refreshReportAction() {
    m_report->setEnabled(!m_reports->isBusy());
}

void ComparePanel::copyBestConfigs() const {
    QGuiApplication::clipboard()->setText(QString::fromStdString(markdownOf(bestConfigs(runs()))));
}

void ComparePanel::showVideos() {
    m_kind->setCurrentIndex(m_kind->findData(videosEntry));
}

void ComparePanel::showKind(ChartKind kind) {
    m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(kind)));
}

void ComparePanel::exportTo(const std::filesystem::path& file) const {
    exportChart(file, m_sheet);
}

void ComparePanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && m_view->chart() != nullptr)
        ChartStyle::of(palette()).applyTo(*m_view->chart());
    QWidget::changeEvent(event);
}

void ComparePanel::refresh() {
    const int kind = m_kind->currentData().toInt();
    m_table->setVisible(m_differences->rowCount() > 0);
    m_forget->setVisible(!m_pasted.empty());
    m_sheet = {};
    m_export->setEnabled(!m_runs.empty() || !m_pasted.empty());
    m_export->setFormatsEnabled(false);
    m_stage->setCurrentWidget(m_words);
    m_chooseRuns->setVisible(m_runs.empty());
    if (m_runs.empty() && m_pasted.empty())
        m_words->setSentence(tr("Choose two or more runs in the Runs panel and press Compare."));
    else if (kind != videosEntry)
        showChart(static_cast<ChartKind>(kind));
    else if (m_runs.empty())
        m_words->setSentence(tr("Pasted timings have no videos."));
    else
        m_stage->setCurrentWidget(m_videos);
}

void ComparePanel::showChart(ChartKind kind) {
    try {
        m_sheet = runChart(kind, runs());
        const std::unique_ptr<QChart> former(m_view->chart());
        m_view->setChart(m_sheet.draw().release());
        ChartStyle::of(palette()).applyTo(*m_view->chart());
        m_stage->setCurrentWidget(m_view);
        m_export->setFormatsEnabled(true);
    } catch (const Error& failure) {
        m_words->setSentence(QString::fromStdString(failure.message() + ".\n" + failure.hint() + "."));
    }
}

}  // namespace meshreel
