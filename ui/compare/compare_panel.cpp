// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_panel.h"

#include <QChart>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/runs/records/run_verdict.h"
#include "engine/runs/run_record_reader.h"
#include "engine/runs/run_votes.h"
#include "engine/timing/verdict.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/run_charts.h"
#include "ui/compare/clip_comparer.h"
#include "ui/compare/comparison_tables.h"
#include "ui/compare/quality_page.h"
#include "ui/compare/run_choice.h"
#include "ui/report/report_export.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/splitter.h"

namespace meshreel {

namespace {

constexpr int chartHeight = 270;
constexpr int tableHeight = 170;
constexpr int leastTableHeight = 72;  ///< of its tabs, the header and a run

constexpr int videosEntry = -1;  ///< among the kinds of charts

constexpr int mostUnasked = 10;  ///< runs that are queued without a question: each is a whole generation

}  // namespace

ComparePanel::ComparePanel(QWidget* parent)
    : QWidget(parent),
      m_kind(new QComboBox(this)),
      m_choice(new RunChoice(this)),
      m_baseline(new QComboBox(this)),
      m_inferenceOnly(new QCheckBox(tr("Inference only"), this)),
      m_verdict(new QLabel(this)),
      m_repeat(new QPushButton(themedIcon(QStringLiteral("loop")), tr("Repeat"), this)),
      m_verdictRow(new QWidget(this)),
      m_add(new AddButton([this](const QString& text) { return tryPaste(text); }, this)),
      m_forget(new QToolButton(this)),
      m_export(new ExportButton(QStringLiteral("comparison"), this)),
      m_reports(new ReportExporter(this)),
      m_stage(new QStackedWidget(this)),
      m_view(new ChartView(this)),
      m_videos(new ClipComparer(this)),
      m_words(new EmptyState({}, this)),
      m_chooseRuns(m_words->addButton(themedIcon(QStringLiteral("compare")), tr("Choose runs"))),
      m_rate(m_words->addButton(themedIcon(QStringLiteral("rate")), tr("Rate"))),
      m_tables(new ComparisonTables(this)),
      m_logarithmic(new QToolButton(this)),
      m_body(new Splitter(Qt::Vertical, this)) {
    setAcceptDrops(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(spacing);
    layout->addWidget(makeHeader());
    layout->addWidget(makeBody(), 1);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &ComparePanel::refresh);
    connect(m_choice, &RunChoice::chosen, this, &ComparePanel::refresh);
    connect(m_tables, &ComparisonTables::runSelected, this,
            [this](int run) { m_choice->prefer(runs()[static_cast<std::size_t>(run)].name); });
    auto* paste = new QShortcut(QKeySequence::Paste, this);
    paste->setContext(Qt::WidgetWithChildrenShortcut);
    connect(paste, &QShortcut::activated, this, [this] {
        try {
            this->paste(QGuiApplication::clipboard()->text());
        } catch (...) {
            emit wentWrong(currentProblem());
        }
    });
    refresh();
}

QWidget* ComparePanel::makeHeader() {
    for (const auto& [kind, title] :
         {std::pair{ChartKind::Steps, tr("Seconds per step")}, std::pair{ChartKind::Stages, tr("Stages")},
          std::pair{ChartKind::Scaling, tr("Speed by devices")},
          std::pair{ChartKind::Tiles, tr("Block sizes")},
          std::pair{ChartKind::Lanes, tr("Devices of one run")},
          std::pair{ChartKind::Memory, tr("Memory by phase")},
          std::pair{ChartKind::Quality, tr("Quality against time")}})
        m_kind->addItem(title, static_cast<int>(kind));
    m_kind->addItem(tr("Videos of two runs"), videosEntry);
    nameControl(*m_kind, tr("What is compared"));
    m_forget->setIcon(themedIcon(QStringLiteral("close")));
    m_forget->setToolTip(tr("Leave out the projects and timings that were added"));
    m_forget->setAccessibleName(m_forget->toolTip());
    connect(m_forget, &QToolButton::clicked, this, [this] {
        m_awaited = 0;
        m_comparison.forgetAdded();
        showComparison();
    });
    connect(m_add, &AddButton::openProjectRequested, this, &ComparePanel::openProjectRequested);
    connect(m_add, &AddButton::chosen, this, &ComparePanel::add);
    fillExportMenu();
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_kind);
    row->addWidget(m_choice);
    nameControl(*m_baseline, tr("Baseline"));
    m_baseline->setToolTip(tr("Speeds are relative to this run"));
    m_baseline->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_baseline->hide();
    connect(m_baseline, &QComboBox::activated, m_tables, &ComparisonTables::setBaseline);
    connect(m_tables, &ComparisonTables::baselineChanged, this, &ComparePanel::showBaselines);
    m_inferenceOnly->setToolTip(tr("Leaves out loading and compiling, in the chart of stages and in speeds"));
    connect(m_inferenceOnly, &QCheckBox::toggled, this, [this](bool only) {
        m_tables->setSpeedOf(only ? SpeedOf::Inference : SpeedOf::Steps);
        refresh();
    });
    row->addWidget(m_baseline);
    row->addWidget(m_inferenceOnly);
    m_logarithmic->setDefaultAction(m_view->logarithmic());
    row->addWidget(m_logarithmic);
    row->addStretch(1);
    row->addWidget(m_add);
    row->addWidget(m_forget);
    row->addWidget(m_export);
    return header;
}

void ComparePanel::fillExportMenu() {
    connect(m_export, &ExportButton::exportRequested, this, &ComparePanel::exportRequested);
    m_export->menu()->addSeparator();
    m_report = m_export->menu()->addAction(tr("Export report…"), this, &ComparePanel::askForReport);
    m_report->setToolTip(tr("Write all of this as one page: timings, settings, pictures, charts"));
    const QIcon copy = themedIcon(QStringLiteral("edit-copy"));
    m_export->menu()->addAction(copy, tr("Copy timing summaries"), m_tables,
                                &ComparisonTables::copySummaries);
    m_export->menu()->addAction(copy, tr("Copy best configurations"), m_tables, &ComparisonTables::copyBest);
    connect(m_tables, &ComparisonTables::noted, this, &ComparePanel::noted);
    m_export->setToolTip(tr("Write the chart or a report to a file"));
    connect(m_reports, &ReportExporter::busyChanged, this, &ComparePanel::refreshReportAction);
}

QWidget* ComparePanel::makeBody() {
    m_view->setAccessibleName(tr("Chart of the runs"));
    connect(m_chooseRuns, &QPushButton::clicked, this, &ComparePanel::runsRequested);
    connect(m_rate, &QPushButton::clicked, this, &ComparePanel::rate);
    connect(&m_tables->quality(), &QualityPage::rateRequested, this, &ComparePanel::rate);
    connect(&m_tables->quality(), &QualityPage::wentWrong, this, &ComparePanel::wentWrong);
    m_stage->addWidget(m_words);
    m_stage->addWidget(m_view);
    m_stage->addWidget(m_videos);
    m_tables->setMinimumHeight(leastTableHeight);
    m_body->addPart(m_stage, tr("chart", "beside a divider"));
    m_verdict->setWordWrap(true);
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(m_repeat, &QPushButton::clicked, this, &ComparePanel::repeat);
    connect(m_tables->timingTable().selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ComparePanel::showVerdict);
    auto* sayings = new QHBoxLayout(m_verdictRow);
    sayings->setContentsMargins(0, 0, 0, 0);
    sayings->setSpacing(spacing);
    sayings->addWidget(m_verdict, 1);
    sayings->addWidget(m_repeat);
    auto* below = new QWidget(this);
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_verdictRow);
    column->addWidget(m_tables, 1);
    m_body->addPart(below, tr("tables", "beside a divider"));
    m_body->setStretchFactor(0, 1);
    m_body->setFirstSizes({chartHeight, tableHeight});
    return m_body;
}

void ComparePanel::compare(const std::vector<std::filesystem::path>& folders) {
    m_choosing.run([folders] { return readComparedFiles(folders); },
                   [this](ComparedFiles files) {
                       m_comparison.setRuns(std::move(files.runs));
                       m_comparison.setVotes(std::move(files.votes));
                       showComparison();
                       emit compared();
                       showWhatIsLeftOut(files.unread);
                   },
                   [this](const Problem& problem) { emit wentWrong(problem); });
}

void ComparePanel::add(const QStringList& paths) {
    std::vector<std::filesystem::path> files;
    for (const QString& path : paths)
        files.emplace_back(path.toStdString());
    const std::vector<std::filesystem::path> beside = m_comparison.folders();
    m_adding.run([files, beside] { return readComparedFiles(files, beside); },
                 [this, beside](ComparedFiles read) {
                     const std::vector<Error> unread = std::move(read.unread);
                     const bool isBesideOthers = m_comparison.folders() != beside;
                     m_comparison.add(std::move(read));
                     showComparison();
                     if (isBesideOthers)  // by now: there may be votes about them and these
                         readVotes();
                     emit compared();
                     showWhatIsLeftOut(unread);
                 },
                 [this](const Problem& problem) { emit wentWrong(problem); });
}

void ComparePanel::showWhatIsLeftOut(const std::vector<Error>& unread) {
    if (const std::optional<Problem> problem = leftOutProblem(unread))
        emit wentWrong(*problem);
}

void ComparePanel::rate() {
    QStringList folders;
    for (const std::filesystem::path& folder : m_comparison.folders())
        folders += QString::fromStdString(folder.string());
    emit rateRequested(folders);
}

void ComparePanel::readVotes() {
    const std::vector<std::filesystem::path> folders = m_comparison.folders();
    m_readingVotes.run([folders] { return readVotesAbout(folders); },
                       [this, folders](std::vector<Vote> votes) {
                           if (m_comparison.folders() != folders)
                               return readVotes();  // others are compared meanwhile
                           m_comparison.setVotes(std::move(votes));
                           m_tables->setVotes(m_comparison);
                           refresh();
                           emit ratingsShown();
                       },
                       [this](const Problem& problem) { emit wentWrong(problem); });
}

void ComparePanel::addProject(NamedProject project) {
    m_comparison.addProject(std::move(project));
    showComparison();
}

void ComparePanel::showComparison() {
    m_tables->setComparison(m_comparison);
    m_videos->setRuns(m_comparison.namedRuns());
    showBaselines();
    refresh();
    emit runsChanged();
}

void ComparePanel::showBaselines() {
    const QSignalBlocker blocker(m_baseline);
    m_baseline->clear();
    QStringList names;
    for (const RunRecord& run : withShortNames(runs()))
        names += QString::fromStdString(run.name);
    const QFontMetricsF letters(font());
    const QStringList shown = shortenedNames(names, letters, usualNameRoom(letters));
    for (const QString& name : shown)
        m_baseline->addItem(tr("against %1", "baseline, a run").arg(name));
    m_baseline->setCurrentIndex(m_tables->timings().baseline());
    m_baseline->setVisible(m_baseline->count() > 1);
    showVerdict();
}

void ComparePanel::showVerdict() {
    m_verdict->setText(m_tables->timings().verdictText());
    // Videos need its room.
    m_verdictRow->setVisible(!m_verdict->text().isEmpty() && m_stage->currentWidget() != m_videos);
    const qsizetype runs = runsToRepeat().size();
    m_repeat->setEnabled(runs > 0);
    m_repeat->setToolTip(
        runs > 0 ? tr("Queues %n runs: those within the noise and the baseline, as often as it takes to tell "
                      "them apart. They join the comparison when they are done.",
                      nullptr, static_cast<int>(runs))
                 : tr("No run of a folder is within the noise of the baseline"));
}

QString ComparePanel::verdictText() const {
    return m_verdict->text();
}

/// In turns, so that a machine that becomes slower is so for all of them.
QStringList ComparePanel::runsToRepeat() const {
    const std::vector<std::filesystem::path> folders = m_comparison.folders();
    const TimingComparison& timings = m_tables->timings();
    const auto folderOf = [&](int row) {
        return QString::fromStdString(folders[static_cast<std::size_t>(row)].string());
    };
    const auto isOfFolder = [&](int row) { return static_cast<std::size_t>(row) < folders.size(); };
    const std::vector<int> chosen = m_tables->chosenRows();
    QStringList repeated;
    for (int turn = 1; turn <= Verdict::mostRepeats; ++turn) {
        QStringList together;
        for (const int row : chosen)
            if (isOfFolder(row) && timings.verdict(row) && turn <= timings.verdict(row)->repeats)
                together += folderOf(row);
        if (together.isEmpty() || !isOfFolder(timings.baseline()))
            break;
        repeated += folderOf(timings.baseline());
        repeated += together;
    }
    return repeated;
}

void ComparePanel::repeat() {
    const QStringList folders = runsToRepeat();
    if (folders.isEmpty() || !mayQueue(static_cast<int>(folders.size())))
        return;
    m_awaited += folders.size();
    m_lastIsRead = false;
    emit repeatRequested(folders);
}

bool ComparePanel::mayQueue(int count) {
    if (count <= mostUnasked)
        return true;
    QMessageBox question(QMessageBox::Question, tr("Repeat"),
                         tr("Queue %n runs? Each makes its whole video again.", nullptr, count),
                         QMessageBox::Cancel, window());
    QPushButton* repeat = question.addButton(tr("Repeat"), QMessageBox::AcceptRole);
    question.setDefaultButton(repeat);
    question.exec();
    return question.clickedButton() == repeat;
}

void ComparePanel::takeRepeat(const QString& folder) {
    if (m_awaited <= 0)
        return;
    ++m_readRepeats;
    m_adding.run([path = folder.toStdString(),
                  beside = m_comparison.folders()] { return readComparedFiles({path}, beside); },
                 [this](ComparedFiles read) {
                     if (m_awaited > 0 && join(std::move(read)))  // several may have been read at once
                         --m_awaited;
                     endReading();
                 },
                 [this](const Problem& problem) {
                     endReading();
                     emit wentWrong(problem);
                 });
}

bool ComparePanel::join(ComparedFiles read) {
    const auto repeats = [this](const ComparedRun& run) {
        return std::ranges::any_of(runs(),
                                   [&run](const RunRecord& known) { return areRepeats(known, run.record); });
    };
    if (read.runs.empty() || !repeats(read.runs.front()))
        return false;
    m_comparison.add(std::move(read));
    showComparison();
    emit compared();
    return true;
}

void ComparePanel::endReading() {
    if (--m_readRepeats == 0 && m_lastIsRead)
        m_awaited = 0;
}

void ComparePanel::endRepeats() {
    m_lastIsRead = true;
    if (m_readRepeats == 0)
        m_awaited = 0;
}

void ComparePanel::setInferenceOnly(bool only) {
    m_inferenceOnly->setChecked(only);
}

QString ComparePanel::obstacle() const {
    return m_stage->currentWidget() == m_words ? m_words->sentence() : QString();
}

void ComparePanel::paste(const QString& text) {
    const QString name = tr("pasted %1").arg(m_comparison.pasted().size() + 1);
    m_comparison.addPasted(pastedRuns(text.toStdString(), name.toStdString()));
    showKind(ChartKind::Stages);
    showComparison();
}

QString ComparePanel::tryPaste(const QString& text) {
    try {
        paste(text);
        return {};
    } catch (...) {
        const Problem problem = currentProblem();
        return withHint(sentenceText(problem.message), sentenceText(problem.hint()));
    }
}

void ComparePanel::askForReport() {
    const QString file = askForExport({.title = tr("Export report"),
                                       .name = QStringLiteral("comparison.html"),
                                       .filters = tr("Web page (*.html);;PDF document (*.pdf)")},
                                      this);
    if (!file.isEmpty())
        exportReport(file);
}

void ComparePanel::exportReport(const QString& file) {
    m_reports->write(file, m_comparison.folders(), m_comparison.pasted());
}

void ComparePanel::refreshReportAction() {
    m_report->setEnabled(!m_reports->isBusy());
    m_export->setText(m_reports->isBusy() ? tr("Writing the report…") : tr("Export"));
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

/// A click anywhere leads the keys here, such as that for pasting.
void ComparePanel::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    QWidget::mousePressEvent(event);
}

void ComparePanel::dragEnterEvent(QDragEnterEvent* event) {
    const QStringList paths = draggedPaths(event->mimeData());
    if (!paths.isEmpty() && std::ranges::all_of(paths, isComparable))
        event->acceptProposedAction();
    else
        event->ignore();  // for the window
}

void ComparePanel::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    add(draggedPaths(event->mimeData()));
}

void ComparePanel::refresh() {
    const int kind = m_kind->currentData().toInt();
    const bool anyFolders = !m_comparison.folders().empty();
    const bool anyRuns = anyFolders || !m_comparison.pasted().empty();
    const std::size_t projects = m_comparison.projects().size();
    m_forget->setVisible(m_comparison.hasAdded());
    m_sheet = {};
    m_export->setEnabled(anyRuns);
    m_export->setFormatsEnabled(false);
    m_stage->setCurrentWidget(m_words);
    m_choice->hide();
    m_chooseRuns->setVisible(!anyFolders);
    m_rate->setVisible(kind == static_cast<int>(ChartKind::Quality) &&
                       m_tables->quality().model().rowCount() > 0);
    if (!anyRuns && projects == 0)
        m_words->setSentence(tr("Choose two or more runs in the Runs panel and press Compare."));
    else if (!anyRuns && projects == 1)
        m_words->setSentence(tr("Add another project, or a run, to see in which settings they differ."));
    else if (!anyRuns && m_tables->differences().rowCount() == 0)
        m_words->setSentence(tr("These projects have the same settings."));
    else if (!anyRuns)
        m_words->setSentence(tr("Projects have no timings. The settings in which they differ stand below."));
    else if (kind != videosEntry)
        showChart(static_cast<ChartKind>(kind));
    else if (!anyFolders)
        m_words->setSentence(tr("Pasted timings have no videos."));
    else
        m_stage->setCurrentWidget(m_videos);
    if (m_stage->currentWidget() != m_view)
        m_view->draw(std::make_unique<QChart>());  // which nothing can be done to
    m_logarithmic->setVisible(m_stage->currentWidget() != m_videos);
    m_inferenceOnly->setVisible(anyRuns && kind != videosEntry);
    showVerdict();
    shareHeight();
}

/// Videos take what tables can spare; between kinds of charts the splitter stays where it was put.
void ComparePanel::shareHeight() {
    const bool videos = m_stage->currentWidget() == m_videos;
    if (videos == m_favoursVideos)
        return;
    m_favoursVideos = videos;
    const int height = chartHeight + tableHeight;
    const int below = videos ? leastTableHeight : tableHeight;
    m_body->setFirstSizes({std::max(height, m_body->height()) - below, below});
}

void ComparePanel::showChart(ChartKind kind) {
    m_choice->offer(kind, runs());
    const std::vector<RunRecord> shown = m_choice->shown();
    if (shown.empty())
        return m_words->setSentence(
            kind == ChartKind::Lanes
                ? tr("None of these runs recorded what its devices did. Compare runs that finished a step.")
                : tr("None of these runs finished a step. Compare runs that got as far as denoising."));
    try {
        m_sheet = kind == ChartKind::Stages && m_inferenceOnly->isChecked() ? inferenceChart(shown)
                                                                            : runChart(kind, shown);
        m_sheet.title = m_kind->currentText();
        m_view->draw(m_sheet.draw(), kind == ChartKind::Steps ? m_stepZoom : nullptr);
        m_stage->setCurrentWidget(m_view);
        m_export->setFormatsEnabled(true);
    } catch (const Error& failure) {
        m_words->setSentence(wholeText(currentProblem()));
    }
}

}  // namespace meshreel

#include "moc_compare_panel.cpp"
