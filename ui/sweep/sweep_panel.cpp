// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sweep/sweep_panel.h"

#include <QAction>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "ui/sweep/sweep_model.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_place.h"
#include "ui/widgets/panel_tool_bar.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/table_columns.h"

namespace meshreel {

namespace {

constexpr QSize toolIconSize{18, 18};

}  // namespace

SweepPanel::SweepPanel(QWidget* parent)
    : QWidget(parent),
      m_runner(new SweepRunner(this)),
      m_model(new SweepModel(this)),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState(
          tr("A sweep times modes, meshes, batches and block sizes beside each other: open one, "
             "such as configs/sweeps/attention-strategies.yaml."),
          this)),
      m_table(new QTableView(this)),
      m_progress(new QProgressBar(this)),
      m_words(new QLabel(this)) {
    makeActions();
    setUpTable();
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
    m_actions.start = new QAction(themedIcon(QStringLiteral("play")), tr("Run"), this);
    m_actions.cancel = new QAction(themedIcon(QStringLiteral("cancel")), tr("Cancel"), this);
    m_actions.save = new QAction(themedIcon(QStringLiteral("export")), tr("Export CSV…"), this);
    m_actions.cancel->setToolTip(tr("Stops; passes that are done are kept"));
    m_actions.save->setToolTip(tr("Write every pass to a file"));
    connect(m_actions.open, &QAction::triggered, this, &SweepPanel::askForSweep);
    connect(m_actions.start, &QAction::triggered, this, &SweepPanel::start);
    connect(m_actions.cancel, &QAction::triggered, m_runner, &SweepRunner::cancel);
    connect(m_actions.save, &QAction::triggered, this, &SweepPanel::askForCsv);
}

QWidget* SweepPanel::makeTools() {
    auto* tools = new PanelToolBar(this);
    tools->setIconSize(toolIconSize);
    tools->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    tools->addActions({m_actions.open, m_actions.start, m_actions.cancel, m_actions.save});
    return tools;
}

void SweepPanel::setUpTable() {
    m_table->setModel(m_model);
    setUpRowTable(*m_table);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setAccessibleName(tr("Cells of the sweep"));
}

void SweepPanel::connectRunner() {
    connect(m_runner, &SweepRunner::busyChanged, this, &SweepPanel::refresh);
    connect(m_runner, &SweepRunner::rowAdded, this, [this](const SweepRow& row) {
        m_model->addRow(row);
        makeRoomForCells(*m_table, *m_table->horizontalHeader());
        refresh();
    });
    connect(m_runner, &SweepRunner::failed, this, &SweepPanel::troubled);
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
        QFileDialog::getOpenFileName(this, tr("Open a sweep"), QString(), tr("Sweeps (*.yaml *.yml)"));
    if (!file.isEmpty())
        open(file.toStdString());
}

void SweepPanel::open(const std::filesystem::path& file) {
    if (m_runner->isBusy())
        return;
    m_background.run([file] { return openSweep(file, sweepFolderOf(file)); },
                     [this](OpenedSweep sweep) { showSweep(std::move(sweep)); },
                     [this](const Trouble& trouble) { emit troubled(trouble); });
}

void SweepPanel::showSweep(OpenedSweep sweep) {
    m_model->setSweep(sweep.sweep, sweep.rows);
    m_sweep = std::move(sweep);
    m_stage->setCurrentWidget(m_table);
    m_table->resizeColumnsToContents();
    refresh();
    emit opened();
}

void SweepPanel::start() {
    if (m_sweep && m_obstacle.isEmpty())
        m_runner->start(m_sweep->sweep, m_sweep->folder);
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
        emit troubled(Trouble::ofCurrentException());
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
    m_actions.start->setEnabled(m_sweep.has_value() && !busy && m_obstacle.isEmpty() &&
                                done + refused < cells);
    m_actions.start->setText(m_model->passes().empty() ? tr("Run") : tr("Go on"));
    m_actions.start->setToolTip(m_obstacle.isEmpty() ? tr("Times every cell; passes that are there are kept")
                                                     : m_obstacle);
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

}  // namespace meshreel
