// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/tune_panel.h"

#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "engine/project/project_keys.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/tile_chart.h"
#include "ui/models/key_texts.h"
#include "ui/models/project_document.h"
#include "ui/models/run_texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_button.h"

namespace meshreel {

namespace {

constexpr int optionsWidth = 250;
constexpr int mostPasses = 10000;
constexpr int mostCount = 100;
constexpr int stepOfSteps = 128;  ///< the full grid's step is a multiple of it
constexpr int mostStep = 128 * 64;
constexpr double millisecondsPerSecond = 1e3;
constexpr double percent = 100;

QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

/// "block_q 1,024 · block_kv 512: 12.3 ms".
QString trialText(const TileTrial& trial) {
    return TunePanel::tr("block_q %1 · block_kv %2: %3 ms", "sizes and time")
        .arg(number(trial.blocks.blockQ), number(trial.blocks.blockKv),
             QLocale().toString(trial.mean() * millisecondsPerSecond, 'f', 2));
}

bool hasRun(const TileTrial& trial) {
    return trial.status == TrialStatus::Ok && !trial.seconds.empty();
}

QString failuresText(const std::vector<TileTrial>& trials) {
    const auto failed = static_cast<int>(
        std::ranges::count_if(trials, [](const TileTrial& trial) { return !hasRun(trial); }));
    return failed == 0 ? QString() : TunePanel::tr("%n choices did not run.", nullptr, failed);
}

QSpinBox* spinBox(QWidget* parent, int least, int most, int value) {
    auto* box = new QSpinBox(parent);
    box->setRange(least, most);
    box->setValue(value);
    return box;
}

}  // namespace

TunePanel::TunePanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_tuner(new TileTuner(this)),
      m_mode(new QComboBox(this)),
      m_count(spinBox(this, 1, mostCount, TileTuningOptions().count)),
      m_step(spinBox(this, stepOfSteps, mostStep, static_cast<int>(TileTuningOptions().step))),
      m_most(spinBox(this, 0, mostPasses, 0)),
      m_passes(spinBox(this, 1, mostPasses, TileTiming().iterations)),
      m_warmUp(spinBox(this, 1, mostPasses, TileTiming().warmUp)),
      m_form(new QFormLayout),
      m_start(new QPushButton(themedIcon(QStringLiteral("play")), tr("Search"), this)),
      m_cancel(new QPushButton(themedIcon(QStringLiteral("cancel")), tr("Cancel"), this)),
      m_write(new QPushButton(themedIcon(QStringLiteral("check")), tr("Write to project"), this)),
      m_export(new ExportButton(QStringLiteral("block-sizes"), this)),
      m_progress(new QProgressBar(this)),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState(
          tr("The map of block sizes appears here: press Search while nothing else is running."), this)),
      m_view(new QChartView(this)),
      m_words(new QLabel(this)),
      m_verdict(new QLabel(this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(2 * panelMargin);
    layout->addWidget(makeOptions());
    auto* column = new QVBoxLayout;
    column->setSpacing(spacing);
    column->addWidget(makeStage(), 1);
    column->addWidget(makeFoot());
    layout->addLayout(column, 1);
    connectTuner();
    refresh();
}

QWidget* TunePanel::makeOptions() {
    for (const TileGridRow& row : tileGridModes()) {
        m_mode->addItem(row.mode == TileGridMode::Smart ? tr("Smart ladder") : tr("Full grid"),
                        static_cast<int>(row.mode));
        m_mode->setItemData(m_mode->count() - 1, engineText(row.help), Qt::ToolTipRole);
    }
    m_step->setSingleStep(stepOfSteps);
    m_most->setSpecialValueText(tr("All"));
    const auto add = [this](const QString& title, QWidget* field, const QString& help) {
        field->setAccessibleName(title);
        field->setToolTip(help);
        m_form->addRow(title, field);
    };
    add(tr("Which sizes"), m_mode, tr("What is tried: a few that divide the sequence well, or all"));
    add(tr("Sizes of each block"), m_count, tr("Sizes of block_q, and of block_kv beside each"));
    add(tr("Step"), m_step, tr("Sizes are multiples of this"));
    add(tr("At most"), m_most, tr("Only the first of them are tried"));
    add(tr("Passes"), m_passes, tr("Passes of each choice that count; the choices take turns"));
    add(tr("Warm-up"), m_warmUp, tr("Passes of each choice before them"));
    connect(m_mode, &QComboBox::currentIndexChanged, this, &TunePanel::refresh);

    auto* words = new QLabel(
        tr("Times one block of the transformer with this project's video, mesh and attention."), this);
    words->setWordWrap(true);
    QPalette muted = words->palette();
    muted.setColor(QPalette::WindowText, mutedColor(muted));
    words->setPalette(muted);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_start, 1);
    buttons->addWidget(m_cancel, 1);
    auto* options = new QWidget(this);
    options->setFixedWidth(optionsWidth);
    auto* column = new QVBoxLayout(options);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(panelMargin);
    column->addWidget(words);
    column->addLayout(m_form);
    column->addLayout(buttons);
    column->addStretch(1);
    return options;
}

QWidget* TunePanel::makeStage() {
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Time by block sizes"));
    m_stage->addWidget(m_empty);
    m_stage->addWidget(m_view);
    return m_stage;
}

QWidget* TunePanel::makeFoot() {
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the search"));
    for (QLabel* label : {m_words, m_verdict}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_words->setAccessibleName(tr("The search"));
    m_verdict->setAccessibleName(tr("What was found"));
    m_write->setToolTip(tr("Sets the project's block sizes to the fastest; can be undone"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_words, 1);
    row->addWidget(m_write);
    row->addWidget(m_export);
    auto* foot = new QWidget(this);
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_progress);
    column->addLayout(row);
    column->addWidget(m_verdict);
    return foot;
}

void TunePanel::connectTuner() {
    connect(m_start, &QPushButton::clicked, this, &TunePanel::start);
    connect(m_cancel, &QPushButton::clicked, m_tuner, &TileTuner::cancel);
    connect(m_write, &QPushButton::clicked, this, &TunePanel::writeToProject);
    connect(m_export, &ExportButton::exportRequested, this, &TunePanel::exportRequested);
    connect(m_tuner, &TileTuner::busyChanged, this, &TunePanel::refresh);
    connect(m_tuner, &TileTuner::planned, this, &TunePanel::showTask);
    connect(m_tuner, &TileTuner::progressed, this, &TunePanel::showProgress);
    connect(m_tuner, &TileTuner::finished, this, &TunePanel::showResult);
    connect(m_tuner, &TileTuner::cancelled, this, [this] { m_words->setText(tr("Cancelled.")); });
    connect(m_tuner, &TileTuner::failed, this, [this](const Trouble& trouble) {
        m_words->setText(trouble.message);
        emit troubled(trouble);
    });
}

void TunePanel::setEngineBusy(bool busy) {
    m_engineIsBusy = busy;
    refresh();
}

TileTuningOptions TunePanel::options() const {
    return {.mode = static_cast<TileGridMode>(m_mode->currentData().toInt()),
            .count = m_count->value(),
            .step = m_step->value() / stepOfSteps * stepOfSteps,
            .mostChoices = static_cast<std::size_t>(m_most->value()),
            .timing = {.iterations = m_passes->value(), .warmUp = m_warmUp->value()}};
}

void TunePanel::setOptions(const TileTuningOptions& options) {
    m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(options.mode)));
    m_count->setValue(options.count);
    m_step->setValue(static_cast<int>(options.step));
    m_most->setValue(static_cast<int>(options.mostChoices));
    m_passes->setValue(options.timing.iterations);
    m_warmUp->setValue(options.timing.warmUp);
}

QString TunePanel::words() const {
    return m_words->text();
}

QString TunePanel::verdict() const {
    return m_verdict->text();
}

void TunePanel::start() {
    m_result.reset();
    m_sheet = {};
    m_stage->setCurrentWidget(m_empty);
    m_verdict->clear();
    m_words->setText(tr("Preparing weights…"));
    m_progress->setRange(0, 0);
    m_tuner->start(m_document.runnableProject(), options());
}

void TunePanel::writeToProject() {
    if (!m_result || m_result->fastest() == nullptr)
        return;
    const FlashBlockSizes& blocks = m_result->fastest()->blocks;
    const std::array<std::pair<const char*, std::int64_t>, 4> sizes{
        {{"flash_block_sizes.block_q", blocks.blockQ},
         {"flash_block_sizes.block_kv", blocks.blockKv},
         {"flash_block_sizes.block_kv_compute", blocks.blockKvCompute},
         {"flash_block_sizes.block_kv_compute_in", 0}}};  // automatic, as it was timed
    std::vector<KeyText> texts;
    for (const auto& [key, size] : sizes)
        texts.push_back({findProjectKey(key), QString::number(size)});
    m_document.setTexts(tr("Block sizes that were found"), texts);
}

void TunePanel::exportTo(const std::filesystem::path& file) const {
    exportChart(file, m_sheet);
}

void TunePanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && m_view->chart() != nullptr && m_sheet.draw)
        ChartStyle::of(palette()).applyTo(*m_view->chart());
    QWidget::changeEvent(event);
}

void TunePanel::refresh() {
    const bool smart = options().mode == TileGridMode::Smart;
    m_form->setRowVisible(m_count, smart);
    m_form->setRowVisible(m_step, !smart);
    m_form->setRowVisible(m_most, !smart);
    const bool busy = m_tuner->isBusy();
    m_start->setEnabled(!busy && !m_engineIsBusy);
    m_start->setToolTip(m_engineIsBusy ? tr("A run is going on, and would be measured too") : QString());
    m_cancel->setEnabled(busy);
    m_progress->setVisible(busy);
    m_write->setEnabled(!busy && m_result && m_result->fastest() != nullptr);
    m_export->setEnabled(m_sheet.draw != nullptr);
}

void TunePanel::showTask(const TuneTask& task) {
    m_task = task;
    m_begun.start();
    m_progress->setRange(0, static_cast<int>(task.passes));
    m_words->setText(
        tr("%1: %2 queries × %3 keys, %n choices", "mode, numbers", static_cast<int>(task.choices))
            .arg(task.label, number(task.sequence.queries), number(task.sequence.keys)));
}

void TunePanel::showProgress(const TuneProgress& progress) {
    m_progress->setValue(static_cast<int>(progress.passesDone));
    const double each = static_cast<double>(m_begun.elapsed()) / millisecondsPerSecond /
                        static_cast<double>(std::max<std::size_t>(1, progress.passesDone));
    const auto left = static_cast<double>(m_task.passes - std::min(m_task.passes, progress.passesDone));
    m_verdict->setText(tr("Pass %1 of %2, about %3 left", "counts, duration")
                           .arg(progress.passesDone)
                           .arg(m_task.passes)
                           .arg(durationText(each * left)));
    showMap(progress.tiles);
}

void TunePanel::showResult(const TuneResult& result) {
    m_result = result;
    showMap(tileTimesOf(result.trials));
    const TileTrial* best = result.fastest();
    QStringList sentences;
    if (best == nullptr)
        sentences +=
            tr("None of these sizes ran: %1").arg(QString::fromStdString(result.trials.front().detail));
    else
        sentences += tr("Fastest: %1.").arg(trialText(*best));
    if (hasRun(result.now))
        sentences += tr("The project's own: %1.").arg(trialText(result.now));
    if (best != nullptr && hasRun(result.now))
        sentences +=
            result.isClear()
                ? tr("%1 % less time.")
                      .arg(QLocale().toString(percent * (1 - best->mean() / result.now.mean()), 'f', 1))
                : tr("The difference is within the noise: nothing needs to be changed.");
    sentences += failuresText(result.trials);
    sentences.removeAll(QString());
    m_verdict->setText(sentences.join(QLatin1Char(' ')));
    refresh();
}

void TunePanel::showMap(const std::vector<TileTime>& tiles) {
    if (tiles.empty())
        return;
    m_sheet = tileSheetOf(tiles);
    const std::unique_ptr<QChart> former(m_view->chart());
    m_view->setChart(m_sheet.draw().release());
    ChartStyle::of(palette()).applyTo(*m_view->chart());
    m_stage->setCurrentWidget(m_view);
    m_export->setEnabled(true);
}

}  // namespace meshreel
