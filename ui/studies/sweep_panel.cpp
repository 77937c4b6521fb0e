// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/studies/sweep_panel.h"

#include <unistd.h>

#include <QAction>
#include <QFileDialog>
#include <QFont>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/units.h"
#include "engine/project/project_keys.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/run_record_reader.h"
#include "engine/timing/verdict.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

/// Returns nothing when it was cancelled.
std::optional<SweepPasses> sweepUnlessCancelled(const SweepFile& sweep, const std::filesystem::path& folder,
                                                const StopToken& stop, const OnSweepRow& onRow,
                                                const PassesOfCells& more) {
    try {
        return runSweep(sweep, folder, stop, onRow, more);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled)
            return std::nullopt;
        throw;
    }
}

}  // namespace

std::filesystem::path sweepFolder(const std::filesystem::path& file) {
    const std::string name = file.stem().string() + "-sweep";
    const std::filesystem::path beside = std::filesystem::absolute(file).parent_path();
    return (access(beside.c_str(), W_OK) == 0 ? beside : userDataFolder() / "sweeps") / name;
}

OpenedSweep openSweep(const std::filesystem::path& file, const std::filesystem::path& folder) {
    auto sweep = std::make_shared<const SweepFile>(loadSweep(file));
    SweepPasses passes = recordedPasses(*sweep, folder);
    return {.sweep = std::move(sweep),
            .file = file,
            .folder = folder,
            .rows = std::move(passes.rows),
            .leftOut = std::move(passes.leftOut)};
}

SweepRunner::SweepRunner(QObject* parent) : QObject(parent) {}

SweepRunner::~SweepRunner() {
    m_stop.request_stop();
}

void SweepRunner::start(const std::shared_ptr<const SweepFile>& sweep, const std::filesystem::path& folder,
                        const PassesOfCells& more) {
    if (m_isBusy)
        return;
    m_stop = {};
    setBusy(true);
    const OnSweepRow tell = [this](const SweepRow& row, std::size_t, std::size_t) {
        QMetaObject::invokeMethod(
            this, [this, row] { emit rowAdded(row); }, Qt::QueuedConnection);
    };
    m_background.run(
        [sweep, folder, tell, more, stop = m_stop.get_token()] {
            return sweepUnlessCancelled(*sweep, folder, stop, tell, more);
        },
        [this](const std::optional<SweepPasses>& passes) {
            setBusy(false);
            if (!passes) {
                emit cancelled();
                return;
            }
            for (const Error& unread : passes->leftOut)
                emit leftOut(unread.problem());
            for (const Sentence& note : passes->notes)
                emit noted(note);
            emit finished();
        },
        [this](const Problem& problem) {
            setBusy(false);
            emit failed(problem);
        });
}

void SweepRunner::cancel() {
    m_stop.request_stop();
}

void SweepRunner::setBusy(bool busy) {
    m_isBusy = busy;
    emit busyChanged(busy);
}

namespace {

constexpr int fixedSettings = 2;  ///< strategy and batch, around the axes

QString secondsText(double seconds) {
    return QLocale().toString(seconds, 'f', 3);
}

}  // namespace

void SweepModel::setSweep(std::shared_ptr<const SweepFile> sweep, std::vector<SweepRow> rows) {
    beginResetModel();
    m_sweep = std::move(sweep);
    m_rows = std::move(rows);
    m_cells.clear();
    m_asked.clear();
    for (SweepCell& cell : sweepCells(*m_sweep))
        m_cells.push_back({.cell = std::move(cell), .seconds = {}, .refusal = {}});
    for (const SweepRow& row : m_rows)
        for (Cell& cell : m_cells)
            if (cell.cell.name() == row.cell)
                add(cell, row);
    markOwn();
    endResetModel();
}

void SweepModel::setOwn(const Project& project) {
    m_own = project;
    markOwn();
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

/// Settings that no cell varies, and a prompt, make no difference to what is timed.
void SweepModel::markOwn() {
    if (m_sweep == nullptr)
        return;
    std::vector<Project> projects;
    for (const Cell& cell : m_cells)
        projects.push_back(cell.cell.project);
    const std::vector<const ProjectKey*> varied = differingKeys(projects);
    for (Cell& cell : m_cells)
        cell.isOwn = m_own && cell.cell.batch == 1 && std::ranges::all_of(varied, [&](const ProjectKey* key) {
                         return valueText(cell.cell.project, *key) == valueText(*m_own, *key);
                     });
}

void SweepModel::askFor(const PassesOfCells& more) {
    for (const auto& [cell, passes] : more)
        m_asked[cell] = std::max(m_asked[cell], passes);
    emit dataChanged(index(0, settingCount()), index(rowCount() - 1, columnCount() - 1));
}

void SweepModel::add(Cell& cell, const SweepRow& row) {
    if (row.refusal.empty())
        cell.seconds.push_back(row.seconds);
    else
        cell.refusal = sentenceText(row.refusal);
}

void SweepModel::addRow(const SweepRow& row) {
    m_rows.push_back(row);
    const auto found =
        std::ranges::find_if(m_cells, [&](const Cell& cell) { return cell.cell.name() == row.cell; });
    if (found == m_cells.end())
        return;
    add(*found, row);
    // All rows: speeds are against another row.
    emit dataChanged(index(0, settingCount()), index(rowCount() - 1, columnCount() - 1));
}

SweepModel::CellState SweepModel::stateOf(int row) const {
    const Cell& cell = m_cells[static_cast<std::size_t>(row)];
    if (!cell.refusal.isEmpty())
        return CellState::Refused;
    if (static_cast<int>(cell.seconds.size()) >= passesWanted(cell))
        return CellState::Done;
    return cell.seconds.empty() ? CellState::Waiting : CellState::Begun;
}

int SweepModel::cellsThatAre(CellState state) const {
    int count = 0;
    for (int row = 0; row < rowCount(); ++row)
        count += stateOf(row) == state ? 1 : 0;
    return count;
}

std::string SweepModel::csv() const {
    return toCsv(sweepTable(*m_sweep, m_rows));
}

int SweepModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_cells.size());
}

int SweepModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || m_sweep == nullptr ? 0 : settingCount() + ResultCount;
}

int SweepModel::settingCount() const {
    return fixedSettings + static_cast<int>(m_sweep->axes.size());
}

QVariant SweepModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Cell& cell = m_cells[static_cast<std::size_t>(index.row())];
    const bool isSetting = index.column() < settingCount();
    const auto result = static_cast<Result>(index.column() - settingCount());
    if (role == Qt::DisplayRole)
        return isSetting ? QVariant(settingText(cell, index.column())) : resultText(cell, result);
    if (role == Qt::ToolTipRole && !cell.refusal.isEmpty())
        return cell.refusal;
    if (role == Qt::ToolTipRole && cell.isOwn)
        return tr("The settings of the open project");
    if (role == Qt::FontRole && cell.isOwn) {
        QFont font;
        font.setBold(true);
        return font;
    }
    if (role == Qt::AccessibleTextRole && cell.isOwn && index.column() == 0)
        return tr("%1, the settings of the open project", "a strategy").arg(settingText(cell, 0));
    if (role == Qt::TextAlignmentRole && !isSetting && (result == Seconds || result == Spread))
        return {(Qt::AlignRight | Qt::AlignVCenter).toInt()};
    return {};
}

QString SweepModel::settingText(const Cell& cell, int column) const {
    if (column == 0)
        return QString::fromStdString(cell.cell.strategy);
    if (column == settingCount() - 1)
        return QLocale().toString(static_cast<qlonglong>(cell.cell.batch));
    return QString::fromStdString(cell.cell.values[static_cast<std::size_t>(column) - 1].second);
}

QVariant SweepModel::resultText(const Cell& cell, Result result) const {
    if (result == State)
        return stateText(cell);
    if (cell.seconds.empty())
        return {};
    const TimesSummary times = summarizeTimes(cell.seconds);
    if (result == Seconds)
        return secondsText(times.median);
    if (result == Spread)
        return tr("%1 %", "percentage").arg(QLocale().toString(percent * times.spread(), 'f', 1));
    const std::optional<Verdict> found = verdict(static_cast<int>(&cell - m_cells.data()));
    return found ? sentenceText(verdictSentence(*found)) : QVariant();
}

std::optional<Verdict> SweepModel::verdict(int row) const {
    const Cell& cell = m_cells[static_cast<std::size_t>(row)];
    const Cell& reference = findReference(cell);
    if (&cell == &reference || cell.seconds.empty() || reference.seconds.empty())
        return std::nullopt;
    return judge(reference.seconds, cell.seconds);
}

PassesOfCells SweepModel::passesToRepeat(const std::vector<int>& rows) const {
    PassesOfCells passes;
    for (const int row : rows) {
        const std::optional<Verdict> found = verdict(row);
        if (!found || found->repeats == 0)
            continue;
        const Cell& cell = m_cells[static_cast<std::size_t>(row)];
        for (const Cell* timed : {&cell, &findReference(cell)}) {
            int& wanted = passes[timed->cell.name()];
            wanted = std::max(wanted, static_cast<int>(timed->seconds.size()) + found->repeats);
        }
    }
    return passes;
}

int SweepModel::passesWanted(const Cell& cell) const {
    const auto asked = m_asked.find(cell.cell.name());
    return std::max(m_sweep->repeats, asked == m_asked.end() ? 0 : asked->second);
}

QString SweepModel::stateText(const Cell& cell) const {
    if (!cell.refusal.isEmpty())
        return tr("Cannot run: %1", "state of a cell, and why").arg(cell.refusal);
    const auto done = static_cast<int>(cell.seconds.size());
    if (done == 0)
        return tr("Waiting");
    const int wanted = passesWanted(cell);
    return done < wanted ? tr("%1 of %2 passes").arg(done).arg(wanted) : tr("Done");
}

const SweepModel::Cell& SweepModel::findReference(const Cell& cell) const {
    return *std::ranges::find_if(m_cells, [name = referenceOf(*m_sweep, cell.cell)](const Cell& other) {
        return other.cell.name() == name;
    });
}

QVariant SweepModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || m_sweep == nullptr)
        return {};
    const int result = section - settingCount();
    if (role == Qt::ToolTipRole && result == Beside)
        return tr(
            "Beside the first strategy, all else equal: the range that holds the true difference in nine of "
            "ten comparisons; where it is within the noise, how often to repeat both");
    if (role == Qt::ToolTipRole && result == Spread)
        return tr("Slowest less fastest pass, in percent of the median");
    if (role != Qt::DisplayRole)
        return {};
    if (section == 0)
        return tr("Strategy");
    if (section == settingCount() - 1)
        return tr("Batch");
    if (result < 0) {
        const std::string& key = m_sweep->axes[static_cast<std::size_t>(section) - 1].key;
        const QString title = titleOfKey(key);
        return title.isEmpty() ? QString::fromStdString(key) : title;
    }
    const QStringList titles{tr("Seconds"), tr("Spread"), tr("Verdict"), tr("State")};
    return titles[result];
}

namespace {

constexpr QSize toolIconSize{18, 18};

}  // namespace

SweepPanel::SweepPanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_runner(new SweepRunner(this)),
      m_model(new SweepModel(this)),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState(
          tr("A sweep times modes, meshes, batches and block sizes beside each other. Make one of the open "
             "project, or open a file."),
          this)),
      m_table(new QTableView(this)),
      m_progress(new QProgressBar(this)),
      m_words(new QLabel(this)) {
    makeActions();
    setUpTable();
    const auto markOwn = [this] { m_model->setOwn(m_document.project()); };
    connect(&m_document, &ProjectDocument::changed, m_model, markOwn);
    markOwn();
    m_empty->addButton(m_actions.create);
    m_empty->addButton(m_actions.open);
    m_stage->addWidget(m_empty);
    m_stage->addWidget(m_table);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Cells that are done"));
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_words->setContentsMargins(panelMargin, tightSpacing, panelMargin, spacing);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTools());
    layout->addWidget(m_stage, 1);
    layout->addWidget(m_progress);
    layout->addWidget(m_words);
    connectRunner();
    refresh();
}

void SweepPanel::makeActions() {
    m_actions.open = new QAction(themedIcon(QStringLiteral("document-open")), tr("Open a sweep…"), this);
    m_actions.create =
        new QAction(themedIcon(QStringLiteral("add")), tr("New sweep from this project…"), this);
    m_actions.create->setToolTip(tr("Writes a file that times this project's attention beside other modes"));
    m_actions.start = new QAction(themedIcon(QStringLiteral("play")), tr("Run"), this);
    m_actions.repeat = new QAction(themedIcon(QStringLiteral("loop")), tr("Repeat"), this);
    m_actions.cancel = new QAction(themedIcon(QStringLiteral("cancel")), tr("Cancel"), this);
    m_actions.save = new QAction(themedIcon(QStringLiteral("export")), tr("Export CSV…"), this);
    m_actions.cancel->setToolTip(tr("Stops; passes that are done are kept"));
    m_actions.save->setToolTip(tr("Write every pass to a file"));
    connect(m_actions.open, &QAction::triggered, this, &SweepPanel::askForSweep);
    connect(m_actions.create, &QAction::triggered, this, &SweepPanel::askForNew);
    connect(m_actions.start, &QAction::triggered, this, &SweepPanel::start);
    connect(m_actions.repeat, &QAction::triggered, this, &SweepPanel::repeat);
    connect(m_actions.cancel, &QAction::triggered, m_runner, &SweepRunner::cancel);
    connect(m_actions.save, &QAction::triggered, this, &SweepPanel::askForCsv);
}

QWidget* SweepPanel::makeTools() {
    auto* tools = new PanelToolBar(this);
    tools->setIconSize(toolIconSize);
    tools->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    tools->addActions({m_actions.create, m_actions.open, m_actions.start, m_actions.repeat, m_actions.cancel,
                       m_actions.save});
    return tools;
}

void SweepPanel::setUpTable() {
    m_table->setModel(m_model);
    setUpRowTable(*m_table);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setAccessibleName(tr("Cells of the sweep"));
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &SweepPanel::refreshRepeat);
}

void SweepPanel::connectRunner() {
    connect(m_runner, &SweepRunner::busyChanged, this, &SweepPanel::refresh);
    connect(m_runner, &SweepRunner::rowAdded, this, [this](const SweepRow& row) {
        m_model->addRow(row);
        makeRoomForCells(*m_table, *m_table->horizontalHeader());
        refresh();
    });
    connect(m_runner, &SweepRunner::failed, this, &SweepPanel::wentWrong);
    connect(m_runner, &SweepRunner::leftOut, this, &SweepPanel::wentWrong);
    connect(m_runner, &SweepRunner::noted, this,
            [this](const Sentence& note) { emit noted(sentenceText(note)); });
}

void SweepPanel::spreadColumns() {
    m_table->resizeColumnsToContents();
    const int columns = m_model->columnCount();
    int used = 0;
    for (int column = 0; column < columns; ++column)
        used += m_table->columnWidth(column);
    const int room = m_table->viewport()->width() - used;
    for (int column = 0; room > 0 && column + 1 < columns; ++column)  // the last one takes the rest
        m_table->setColumnWidth(column, m_table->columnWidth(column) + room / columns);
}

void SweepPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    spreadColumns();
}

void SweepPanel::setObstacle(const QString& reason) {
    m_obstacle = reason;
    refresh();
}

QString SweepPanel::words() const {
    return m_words->text();
}

void SweepPanel::askForSweep() {
    const QString file =
        QFileDialog::getOpenFileName(this, tr("Open a sweep"), exportFolder(), tr("Sweeps (*.yaml *.yml)"));
    if (!file.isEmpty())
        open(file.toStdString());
}

void SweepPanel::askForNew() {
    const QString file = askForExport({.title = tr("New sweep from this project"),
                                       .name = QStringLiteral("strategies.yaml"),
                                       .filters = tr("Sweeps (*.yaml)")},
                                      this);
    if (file.isEmpty())
        return;
    try {
        createFor(file.toStdString());
    } catch (...) {
        emit wentWrong(currentProblem());
    }
}

void SweepPanel::createFor(const std::filesystem::path& file) {
    writeFileAtomically(file, newSweepText(m_document.runnableProject()));
    open(file);
}

void SweepPanel::open(const std::filesystem::path& file) {
    if (m_runner->isBusy())
        return;
    m_background.run([file] { return openSweep(file, sweepFolder(file)); },
                     [this](OpenedSweep sweep) { showSweep(std::move(sweep)); },
                     [this](const Problem& problem) { emit wentWrong(problem); });
}

void SweepPanel::showSweep(OpenedSweep sweep) {
    m_model->setSweep(sweep.sweep, sweep.rows);
    m_sweep = std::move(sweep);
    m_stage->setCurrentWidget(m_table);
    spreadColumns();
    refresh();
    emit opened();
    for (const Problem& warning : m_sweep->sweep->warnings)
        emit wentWrong(warning);
    for (const Error& unread : m_sweep->leftOut)
        emit wentWrong(unread.problem());
}

void SweepPanel::start() {
    if (m_sweep && m_obstacle.isEmpty())
        m_runner->start(m_sweep->sweep, m_sweep->folder, m_model->asked());
}

PassesOfCells SweepPanel::passesToRepeat() const {
    const QItemSelectionModel& selection = *m_table->selectionModel();
    std::vector<int> rows;
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (!selection.hasSelection() || selection.isRowSelected(row))
            rows.push_back(row);
    return m_model->passesToRepeat(rows);
}

void SweepPanel::repeat() {
    const PassesOfCells passes = passesToRepeat();
    if (passes.empty() || m_runner->isBusy() || !m_obstacle.isEmpty())
        return;
    m_model->askFor(passes);
    start();
}

void SweepPanel::askForCsv() {
    const QString file = askForExport({.title = tr("Export every pass"),
                                       .name = QStringLiteral("sweep.csv"),
                                       .filters = tr("Table (*.csv)")},
                                      this);
    if (file.isEmpty())
        return;
    try {
        exportTo(file.toStdString());
        emit noted(tr("The passes were written to %1").arg(file));
    } catch (...) {
        emit wentWrong(currentProblem());
    }
}

void SweepPanel::exportTo(const std::filesystem::path& file) const {
    writeFileAtomically(file, m_model->csv());
}

void SweepPanel::refresh() {
    const bool busy = m_runner->isBusy();
    const int cells = m_model->rowCount();
    const int done = m_model->cellsThatAre(SweepModel::CellState::Done);
    const int refused = m_model->cellsThatAre(SweepModel::CellState::Refused);
    m_actions.open->setEnabled(!busy);
    m_actions.create->setEnabled(!busy);
    m_actions.start->setEnabled(m_sweep.has_value() && !busy && m_obstacle.isEmpty() &&
                                done + refused < cells);
    m_actions.start->setText(m_model->passes().empty() ? tr("Run") : tr("Go on"));
    m_actions.start->setToolTip(m_obstacle.isEmpty() ? tr("Times every cell; passes that are there are kept")
                                                     : m_obstacle);
    refreshRepeat();
    m_actions.cancel->setEnabled(busy);
    m_actions.save->setEnabled(!m_model->passes().empty());
    m_progress->setVisible(busy);
    m_progress->setRange(0, cells);
    m_progress->setValue(done + refused);
    m_words->setVisible(cells > 0);
    if (cells == 0)
        return;
    const SweepFile& sweep = *m_sweep->sweep;
    const QString words =
        tr("%1: %2 of %n cells done, %3 passes each; results in %4", "name, numbers, folder", cells)
            .arg(QString::fromStdString(sweep.name.empty() ? m_sweep->file.stem().string() : sweep.name))
            .arg(done)
            .arg(sweep.repeats)
            .arg(QString::fromStdString(withTilde(m_sweep->folder)));
    m_words->setText(refused == 0 ? words
                                  : tr("%1 (%n cells cannot run)", "what is done", refused).arg(words));
}

void SweepPanel::refreshRepeat() {
    const bool mayStart = m_sweep.has_value() && !m_runner->isBusy() && m_obstacle.isEmpty();
    const auto cells = mayStart ? static_cast<int>(passesToRepeat().size()) : 0;
    m_actions.repeat->setEnabled(cells > 0);
    m_actions.repeat->setToolTip(
        !m_obstacle.isEmpty() ? m_obstacle
        : cells > 0
            ? tr("Times %n cells again, as often as it takes to tell those within the noise from what "
                 "they are compared with",
                 nullptr, cells)
            : tr("No cell is within the noise of what it is compared with"));
}

}  // namespace meshreel

#include "moc_sweep_panel.cpp"
