// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/studies/bench_panel.h"

#include <QAction>
#include <QComboBox>
#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPalette>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <ranges>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/units.h"
#include "engine/measure/benchmarks/benchmark_groups.h"
#include "engine/measure/benchmarks/benchmark_measurement.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/project/project.h"
#include "engine/timing/verdict.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

constexpr int mostBenchPasses = 1000;
constexpr int mostRowSeconds = 3600;
constexpr int benchSideWidth = 250;  ///< at least
constexpr int commitFigures = 7;

/// "30.11.2026 17:05".
QString keptMoment(const KeptBenchmark& kept) {
    const QDateTime moment = QDateTime::fromString(QString::fromStdString(kept.date), Qt::ISODate);
    return moment.isValid() ? QLocale().toString(moment.toLocalTime(), QLocale::ShortFormat)
                            : QString::fromStdString(kept.date);
}

/// "0.19.0 (93811c1)".
QString buildText(const KeptBenchmark& kept) {
    const QString commit = QString::fromStdString(kept.commit).left(commitFigures);
    const QString version = QString::fromStdString(kept.version);
    return commit.isEmpty() ? version : QStringLiteral("%1 (%2)").arg(version, commit);
}

QSpinBox* numberBox(QWidget* parent, int most, int value) {
    auto* box = new QSpinBox(parent);
    box->setRange(1, most);
    box->setValue(value);
    return box;
}

constexpr int partThickness = 3;

/// Draws the part of a limit as a bar below its words.
class PartDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        const QVariant part = index.data(BenchModel::PartRole);
        if (!part.isValid())
            return;
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        QRect bar = option.rect.adjusted(tightSpacing, 0, -tightSpacing, 0);
        bar.setTop(bar.bottom() - partThickness + 1);
        const int length = static_cast<int>(std::clamp(part.toDouble(), 0.0, 1.0) * bar.width());
        const QRect filled(bar.topLeft(), QSize(length, partThickness));
        painter->fillRect(QStyle::visualRect(option.direction, bar, filled),
                          option.palette.color(isSelected ? QPalette::HighlightedText : QPalette::Highlight));
    }
};

}  // namespace

BenchForm::BenchForm(QWidget* parent)
    : QWidget(parent),
      m_help(new QLabel(this)),
      m_form(new QFormLayout),
      m_group(new QComboBox(this)),
      m_passes(numberBox(this, mostBenchPasses, m_options.rounds)),
      m_seconds(numberBox(this, mostRowSeconds, static_cast<int>(m_options.rowSeconds))),
      m_baseline(new QComboBox(this)),
      m_file(new QToolButton(this)) {
    m_help->setTextFormat(Qt::PlainText);
    m_help->setWordWrap(true);
    m_help->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // as wide as the fields
    keepInk(*m_help, mutedColor);
    addGroup(allBenchmarks, allBenchmarksHelp);
    for (const BenchmarkGroup& group : benchmarkGroups())
        addGroup(group.name, group.help);
    addGroup(gpuBenchmarks, gpuBenchmarksHelp);
    m_seconds->setSuffix(tr(" s", "seconds, behind a number"));
    m_file->setIcon(themedIcon(QStringLiteral("document-open")));
    m_file->setToolTip(tr("Compare with a file that meshreel bench wrote"));
    m_file->setAccessibleName(tr("Compare with a file"));
    for (QComboBox* box : {m_group, m_baseline}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(8);
    }
    addField(tr("Group"), m_group, tr("What is measured beside this machine's limits"));
    addField(tr("Passes"), m_passes, tr("Passes of each row that count, behind one for warming up"));
    addField(tr("At most"), m_seconds, tr("No new pass of a row begins after this long"));
    auto* beside = new QWidget(this);
    auto* row = new QHBoxLayout(beside);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(m_baseline, 1);
    row->addWidget(m_file);
    m_baseline->setAccessibleName(tr("Compare with"));
    m_form->addRow(tr("Compare with"), beside);
    m_form->setContentsMargins(0, 0, 0, 0);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(panelMargin);
    column->addWidget(m_help);
    column->addLayout(m_form);
    connect(m_group, &QComboBox::currentIndexChanged, this, [this] {
        showHelp();
        m_isChosen = false;
        emit groupChanged();
    });
    connect(m_baseline, &QComboBox::activated, this, [this] { m_isChosen = true; });
    connect(m_baseline, &QComboBox::currentIndexChanged, this, &BenchForm::baselineChanged);
    connect(this, &BenchForm::baselineChanged, m_baseline, [this] {
        m_baseline->setToolTip(
            tr("The verdict compares with: %1", "an earlier measurement").arg(m_baseline->currentText()));
    });
    connect(m_file, &QToolButton::clicked, this, &BenchForm::fileRequested);
    showHelp();
}

void BenchForm::addGroup(std::string_view name, std::string_view help) {
    m_group->addItem(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
    m_group->setItemData(m_group->count() - 1, withCapital(engineText(help)), Qt::ToolTipRole);
}

void BenchForm::addField(const QString& title, QWidget* field, const QString& help) {
    field->setAccessibleName(title);
    field->setToolTip(help);
    m_form->addRow(title, field);
}

void BenchForm::showHelp() {
    m_help->setText(
        tr("%1.", "what a group of benchmarks is").arg(m_group->currentData(Qt::ToolTipRole).toString()));
}

std::string BenchForm::group() const {
    return m_group->currentText().toStdString();
}

void BenchForm::setGroup(const std::string& group) {
    m_group->setCurrentIndex(m_group->findText(QString::fromStdString(group)));
}

int BenchForm::passes() const {
    return m_passes->value();
}

BenchmarkOptions BenchForm::options() const {
    BenchmarkOptions options = m_options;
    options.rounds = m_passes->value();
    options.rowSeconds = m_seconds->value();
    return options;
}

void BenchForm::setOptions(const BenchmarkOptions& options) {
    m_options = options;
    m_passes->setValue(options.rounds);
    m_seconds->setValue(std::max(1, static_cast<int>(options.rowSeconds)));
}

void BenchForm::setBusy(bool busy) {
    m_group->setEnabled(!busy);
    m_passes->setEnabled(!busy);
    m_seconds->setEnabled(!busy);
}

void BenchForm::offerBaselines(const std::vector<KeptBenchmark>& earlier,
                               const std::optional<KeptBenchmark>& ofFile, const QString& file) {
    const QString chosen = baseline();
    {
        const QSignalBlocker blocker(m_baseline);
        m_baseline->clear();
        m_baseline->addItem(tr("Nothing", "is compared with"), QString());
        if (ofFile)
            m_baseline->addItem(file, fileBaseline);
        for (const KeptBenchmark& kept : earlier | std::views::reverse)
            m_baseline->addItem((kept.isComplete ? tr("%1, version %2", "date, number")
                                                 : tr("%1, version %2, not complete", "date, number"))
                                    .arg(keptMoment(kept), buildText(kept)),
                                QString::fromStdString(kept.date));
        for (int item = 0; item < m_baseline->count(); ++item)
            m_baseline->setItemData(item, m_baseline->itemText(item), Qt::ToolTipRole);
        const int known = m_isChosen ? m_baseline->findData(chosen) : -1;
        const auto complete = std::ranges::find_if(earlier.rbegin(), earlier.rend(),
                                                   [](const KeptBenchmark& kept) { return kept.isComplete; });
        const int incomplete =
            ofFile || complete == earlier.rend() ? 0 : static_cast<int>(complete - earlier.rbegin());
        m_baseline->setCurrentIndex(known >= 0 ? known : std::min(1 + incomplete, m_baseline->count() - 1));
    }
    m_baseline->setEnabled(m_baseline->count() > 1);
    emit baselineChanged();
}

void BenchForm::chooseFile() {
    m_isChosen = true;
    m_baseline->setCurrentIndex(m_baseline->findData(fileBaseline));
}

QString BenchForm::baseline() const {
    return m_baseline->currentData().toString();
}

BenchPanel::BenchPanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_runner(new BenchRunner(this)),
      m_model(new BenchModel(this)),
      m_form(new BenchForm(this)),
      m_stage(new QStackedWidget(this)),
      m_empty(
          new EmptyState(tr("A benchmark times what the engine computes, beside this machine's own limits "
                            "and what it took before. Choose a group and press Run."),
                         this)),
      m_table(new QTableView(this)),
      m_progress(new QProgressBar(this)),
      m_words(new QLabel(this)) {
    makeActions();
    setUpTable();
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(2 * panelMargin);
    layout->addWidget(makeSide());
    layout->addWidget(makeResults(), 1);
    connectParts();
    refreshBaselines();
    refresh();
}

void BenchPanel::makeActions() {
    m_actions.start = new QAction(themedIcon(QStringLiteral("play")), tr("Run"), this);
    m_actions.cancel = new QAction(themedIcon(QStringLiteral("cancel")), tr("Cancel"), this);
    m_actions.repeat = new QAction(themedIcon(QStringLiteral("loop")), tr("Repeat"), this);
    m_actions.save = new QAction(themedIcon(QStringLiteral("export")), tr("Export…"), this);
    m_actions.cancel->setToolTip(tr("Stops; rows that are done are kept"));
    m_actions.save->setToolTip(tr("Write the rows to a file, as a table or for meshreel bench --against"));
    connect(m_actions.start, &QAction::triggered, this, &BenchPanel::start);
    connect(m_actions.cancel, &QAction::triggered, m_runner, &BenchRunner::cancel);
    connect(m_actions.repeat, &QAction::triggered, this, &BenchPanel::repeat);
    connect(m_actions.save, &QAction::triggered, this, &BenchPanel::askForFile);
}

QPushButton* BenchPanel::buttonOf(QAction* action) {
    auto* button = new QPushButton(action->icon(), action->text(), this);
    const auto follow = [button, action] {
        button->setEnabled(action->isEnabled());
        button->setToolTip(action->toolTip());
    };
    connect(action, &QAction::changed, button, follow);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    follow();
    return button;
}

QWidget* BenchPanel::makeSide() {
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(buttonOf(m_actions.start), 1);
    buttons->addWidget(buttonOf(m_actions.cancel), 1);
    auto* side = new QWidget(this);
    side->setFixedWidth(std::max(benchSideWidth, m_form->sizeHint().width()));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(panelMargin);
    column->addWidget(m_form);
    column->addLayout(buttons);
    column->addStretch(1);
    return side;
}

QWidget* BenchPanel::makeResults() {
    m_stage->addWidget(m_empty);
    m_stage->addWidget(m_table);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the measurement"));
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* row = new QHBoxLayout;
    row->addWidget(m_words, 1);
    row->addWidget(buttonOf(m_actions.repeat));
    row->addWidget(buttonOf(m_actions.save));
    auto* results = new QWidget(this);
    auto* column = new QVBoxLayout(results);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    column->addWidget(m_stage, 1);
    column->addWidget(m_progress);
    column->addLayout(row);
    return results;
}

void BenchPanel::setUpTable() {
    m_table->setModel(m_model);
    m_table->addAction(m_actions.repeat);
    setUpRowTable(*m_table);
    m_table->setItemDelegateForColumn(BenchModel::Share, new PartDelegate(m_table));
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setAccessibleName(tr("Rows of the benchmark"));
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &BenchPanel::refreshRepeat);
}

void BenchPanel::connectParts() {
    connect(m_form, &BenchForm::groupChanged, this, &BenchPanel::read);
    connect(m_form, &BenchForm::baselineChanged, this, &BenchPanel::compare);
    connect(m_form, &BenchForm::fileRequested, this, &BenchPanel::askForBaseline);
    connect(m_runner, &BenchRunner::busyChanged, this, &BenchPanel::refresh);
    connect(m_runner, &BenchRunner::measured, this, [this](const BenchmarkRow& row) {
        ++m_measured;
        m_model->addRow(row);
        makeRoomForCells(*m_table, *m_table->horizontalHeader());
        refresh();
    });
    connect(m_runner, &BenchRunner::ended, this, &BenchPanel::take);
}

void BenchPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!m_isRead)
        read();
}

void BenchPanel::read() {
    if (m_runner->isBusy())
        return;  // the group stays, and what is kept is read when the page is shown again
    m_isRead = true;
    m_isReading = true;
    m_end.clear();
    m_kept.clear();
    m_shown.reset();
    m_model->setRows({});
    refreshBaselines();
    refresh();
    m_reading.run(
        [history = benchmarkHistory(m_form->group())] {
            int unreadable = 0;
            std::vector<KeptBenchmark> kept = keptBenchmarksHere(history, &unreadable);
            return std::pair(std::move(kept), unreadable);
        },
        [this](std::pair<std::vector<KeptBenchmark>, int> found) {
            showKept(std::move(found.first));
            tellUnreadable(found.second);
        },
        [this](const Problem& problem) {
            showKept({});
            emit wentWrong(problem);
        });
}

void BenchPanel::showKept(std::vector<KeptBenchmark> kept) {
    m_isReading = false;
    m_kept = std::move(kept);
    m_shown = lastKept();
    m_model->setRows(m_shown ? m_shown->rows : std::vector<BenchmarkRow>());
    refreshBaselines();
    m_table->resizeColumnsToContents();
    refresh();
    emit opened();
}

void BenchPanel::tellUnreadable(int lines) {
    if (lines > 0)
        emit noted(tr("%n kept measurements cannot be read and are left out", nullptr, lines));
}

std::optional<KeptBenchmark> BenchPanel::lastKept() const {
    for (const KeptBenchmark& kept : m_kept | std::views::reverse)
        if (kept.isComplete)
            return kept;
    return m_kept.empty() ? std::nullopt : std::optional(m_kept.back());
}

void BenchPanel::refreshBaselines() {
    std::vector<KeptBenchmark> earlier = m_kept;
    if (m_shown)
        std::erase_if(earlier, [this](const KeptBenchmark& kept) { return kept.date == m_shown->date; });
    m_form->offerBaselines(earlier, m_ofFile, m_file);
}

const KeptBenchmark* BenchPanel::chosenBaseline() const {
    const QString chosen = m_form->baseline();
    if (chosen == BenchForm::fileBaseline)
        return m_ofFile ? &*m_ofFile : nullptr;
    const auto found = std::ranges::find(m_kept, chosen.toStdString(), &KeptBenchmark::date);
    return found == m_kept.end() ? nullptr : &*found;
}

/// Times of another GPU say nothing of this one.
void BenchPanel::compare() {
    const KeptBenchmark* baseline = chosenBaseline();
    const bool isOfAnother = baseline != nullptr && m_shown && baseline->processor != m_shown->processor;
    m_model->setBaseline(baseline == nullptr || isOfAnother ? SecondsByRow() : roundsOf(*baseline));
    makeRoomForCells(*m_table, *m_table->horizontalHeader());
    refresh();
}

void BenchPanel::compareWith(const std::filesystem::path& file) {
    m_background.run([file] { return readBaseline(file); },
                     [this, file](KeptBenchmark baseline) {
                         m_ofFile = std::move(baseline);
                         m_file = QString::fromStdString(file.filename().string());
                         refreshBaselines();
                         m_form->chooseFile();
                     },
                     [this](const Problem& problem) { emit wentWrong(problem); });
}

void BenchPanel::askForBaseline() {
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Compare with a measurement"), exportFolder(),
        tr("Measurements (*.json *.jsonl)") + QStringLiteral(";;") + tr("All files (*)"));
    if (!file.isEmpty())
        compareWith(file.toStdString());
}

void BenchPanel::setObstacle(const QString& reason) {
    m_obstacle = reason;
    refresh();
}

void BenchPanel::showForecast(const ProjectForecast& forecast) {
    m_model->setPlan(forecast.plan);
    makeRoomForCells(*m_table, *m_table->horizontalHeader());  // bold words are wider
}

void BenchPanel::start() {
    if (m_runner->isBusy() || m_isReading || !m_obstacle.isEmpty())
        return;
    const std::size_t expected = m_shown ? m_shown->rows.size() : 0;
    m_shown.reset();
    m_model->setRows({});
    refreshBaselines();
    BenchTask task;
    task.request.options = m_form->options();
    begin(std::move(task), expected);
}

void BenchPanel::begin(BenchTask task, std::size_t rows) {
    m_reading.forget();
    task.request.group = m_form->group();
    task.gpus = m_document.project().gpus;
    task.history = benchmarkHistory(task.request.group);
    m_measured = 0;
    m_end.clear();
    m_begun.start();
    m_progress->setRange(0, static_cast<int>(rows));  // moves to and fro where nobody knows how many
    m_runner->start(task);
}

BenchPanel::Repeats BenchPanel::repeats() const {
    Repeats repeats;
    const QItemSelectionModel& selection = *m_table->selectionModel();
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const std::optional<Verdict>& verdict = m_model->verdict(row);
        const int asked = verdict ? verdict->repeats : 0;
        if (selection.hasSelection() ? !selection.isRowSelected(row) : asked == 0)
            continue;
        repeats.rows.push_back(m_model->at(row).name);
        repeats.passes = std::max(repeats.passes, asked > 0 ? asked : m_form->passes());
    }
    return repeats;
}

void BenchPanel::repeat() {
    const Repeats wanted = repeats();
    if (wanted.rows.empty() || !m_shown || !m_shown->isOfThisBuild() || m_runner->isBusy() ||
        !m_obstacle.isEmpty())
        return;
    BenchTask task{.before = m_shown};
    task.request.options = m_form->options();
    task.request.options.wanted = {.names = wanted.rows};
    task.request.options.rounds = wanted.passes;
    task.request.options.rowSeconds =
        std::numeric_limits<double>::infinity();  // as often as it was asked for
    begin(std::move(task), wanted.rows.size());
}

void BenchPanel::take(const BenchResult& result) {
    const bool isRepeat = m_shown.has_value();
    if (result.kept) {
        if (isRepeat)
            std::erase_if(m_kept, [this](const KeptBenchmark& kept) { return kept.date == m_shown->date; });
        m_shown = result.kept;
        m_kept.push_back(*result.kept);
        m_model->setRows(m_shown->rows);
    } else if (!isRepeat && !m_kept.empty()) {
        m_shown = lastKept();  // what was there before it
        m_model->setRows(m_shown->rows);
    }
    m_end = result.wasCancelled ? tr("Cancelled.") : QString();
    refreshBaselines();
    refresh();
    if (result.failure) {
        m_end = sentenceText(result.failure->message);
        emit wentWrong(*result.failure);
    }
    if (result.unkept)
        emit wentWrong(*result.unkept);
    refresh();
}

void BenchPanel::askForFile() {
    const QString file =
        askForExport({.title = tr("Export the rows"),
                      .name = QString::fromStdString(m_form->group()) + QStringLiteral(".csv"),
                      .filters = tr("Table (*.csv)") + QStringLiteral(";;") + tr("Measurement (*.json)")},
                     this);
    if (file.isEmpty())
        return;
    try {
        exportTo(file.toStdString());
        emit noted(tr("The rows were written to %1").arg(file));
    } catch (...) {
        emit wentWrong(currentProblem());
    }
}

void BenchPanel::exportTo(const std::filesystem::path& file) const {
    writeFileAtomically(file, file.extension() == ".json" && m_shown ? m_shown->text + "\n" : m_model->csv());
}

QString BenchPanel::words() const {
    return m_words->text();
}

QString BenchPanel::stateWords() const {
    if (m_runner->isBusy())
        return tr("%n rows measured in %1", "duration", m_measured)
            .arg(durationText(static_cast<double>(m_begun.elapsed()) / millisecondsPerSecond));
    if (!m_shown)
        return m_end;
    QStringList sentences{m_end, tr("%n rows, measured %1 by version %2 on %3.", "date, version, processor",
                                    static_cast<int>(m_shown->rows.size()))
                                     .arg(keptMoment(*m_shown), buildText(*m_shown),
                                          QString::fromStdString(m_shown->processor))};
    if (!m_shown->isComplete)
        sentences += tr("Not all of the group was measured.");
    int restless = 0;
    for (int row = 0; row < m_model->rowCount(); ++row)
        restless += m_model->isRestless(row) ? 1 : 0;
    if (restless > 0)
        sentences += tr("The machine was too restless for the shares of %n rows.", nullptr, restless);
    if (const KeptBenchmark* baseline = chosenBaseline();
        baseline != nullptr && baseline->processor != m_shown->processor)
        sentences += tr("What it is to be compared with is of %1.", "processor")
                         .arg(QString::fromStdString(baseline->processor));
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

void BenchPanel::refresh() {
    const bool busy = m_runner->isBusy();
    m_form->setBusy(busy);
    m_actions.start->setEnabled(!busy && !m_isReading && m_obstacle.isEmpty());
    m_actions.start->setToolTip(
        m_obstacle.isEmpty() ? tr("Measures the rows of the group; let nothing else run") : m_obstacle);
    m_actions.cancel->setEnabled(busy);
    m_actions.save->setEnabled(!busy && m_shown.has_value());
    refreshRepeat();
    m_progress->setVisible(busy);
    m_progress->setValue(std::min(m_measured, m_progress->maximum()));
    m_stage->setCurrentWidget(busy || m_model->rowCount() > 0 ? static_cast<QWidget*>(m_table) : m_empty);
    m_words->setText(stateWords());
}

void BenchPanel::refreshRepeat() {
    const Repeats wanted = m_shown ? repeats() : Repeats();
    const bool isOwnBuild = m_shown && m_shown->isOfThisBuild();
    const bool mayStart = !m_runner->isBusy() && m_obstacle.isEmpty();
    m_actions.repeat->setEnabled(mayStart && isOwnBuild && !wanted.rows.empty());
    m_actions.repeat->setToolTip(
        !m_obstacle.isEmpty()    ? m_obstacle
        : m_shown && !isOwnBuild ? tr("Another version measured these rows: run the group first")
        : wanted.rows.empty()
            ? tr("Select rows to measure them again")
            : tr("Measures %n rows again, %1 times each", "number", static_cast<int>(wanted.rows.size()))
                  .arg(wanted.passes));
}

}  // namespace meshreel

#include "moc_bench_panel.cpp"
