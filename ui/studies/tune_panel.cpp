// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/studies/tune_panel.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/base/units.h"
#include "engine/foresight/mesh_foresight.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/tile_search.h"
#include "engine/planning/target_hardware.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/project_keys.h"
#include "engine/timing/verdict.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/tile_chart.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/panel_parts.h"

namespace meshreel {

namespace {

struct TuneTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::TuneTexts)
};

QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

/// "block_q 1,024 · block_kv 512: 12.3 ms, spread 4.1 %".
QString trialText(const TileSample& trial) {
    return TuneTexts::tr("block_q %1 · block_kv %2: %3", "sizes, time and spread")
        .arg(number(trial.blocks.blockQ), number(trial.blocks.blockKv),
             sentenceText(timesSentence(trial.times())));
}

QString failuresText(std::ptrdiff_t failed) {
    return failed == 0 ? QString()
                       : TuneTexts::tr("%n choices did not run.", nullptr, static_cast<int>(failed));
}

QString verdictWords(const Verdict& verdict) {
    return TuneTexts::tr("%1.", "a verdict as a sentence").arg(sentenceText(verdictSentence(verdict)));
}

/// "khr_f16 16x16x16.128x128x32.2x2.1: 12.3 ms, spread 4.1 %".
QString candidateText(const GpuSample& trial) {
    QString name = QString::fromStdString(trial.form);
    if (!trial.block.empty())
        name += QLatin1Char(' ') + QString::fromStdString(trial.block);
    return TuneTexts::tr("%1: %2", "a GPU's kernel, its time and spread")
        .arg(name, sentenceText(timesSentence(trial.timing.times())));
}

}  // namespace

QString taskText(const TuneTask& task) {
    return TuneTexts::tr("%1: %2 queries × %3 keys, %n choices", "mode, numbers",
                         static_cast<int>(task.choices))
        .arg(task.label, number(task.sequence.queries), number(task.sequence.keys));
}

QString kernelTitle(const TunedKernel& kernel) {
    if (kernel.kernel == linearKernelName(Arithmetic::BF16))
        return TuneTexts::tr("Linear layers");
    if (kernel.kernel == linearKernelName(Arithmetic::Int8))
        return TuneTexts::tr("Linear layers with int8 weights");
    const std::string widest = kernel.kernel.substr(kernel.kernel.rfind(' ') + 1);
    return TuneTexts::tr("Attention of heads of up to %1 numbers").arg(QString::fromStdString(widest));
}

QString verdictText(const TunedKernel& kernel) {
    const GpuSample* best = kernel.fastest();
    if (best == nullptr)
        return TuneTexts::tr("None of them ran: %1").arg(sentenceText(kernel.trials.front().timing.detail));
    QStringList sentences{TuneTexts::tr("Fastest: %1.").arg(candidateText(*best))};
    const GpuSample* taken = kernel.taken ? &kernel.trials.at(*kernel.taken) : nullptr;
    if (kernel.trials.size() == 1)
        sentences += TuneTexts::tr("This GPU offers nothing else.");
    else if (taken == best)
        sentences += TuneTexts::tr("Runs take it already.");
    else if (taken == nullptr)
        sentences += TuneTexts::tr("No run has compared them yet.");
    else if (taken->hasRun()) {
        sentences += TuneTexts::tr("Runs take now: %1.").arg(candidateText(*taken));
        if (const std::optional<Verdict> verdict = kernel.verdict())
            sentences += verdictWords(*verdict);
    }
    sentences += failuresText(
        std::ranges::count_if(kernel.trials, [](const GpuSample& trial) { return !trial.hasRun(); }));
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

QString progressText(const TuneTask& task, const TuneProgress& progress, double secondsSinceBegin) {
    const double each =
        secondsSinceBegin / static_cast<double>(std::max<std::size_t>(1, progress.passesDone));
    const auto left = static_cast<double>(task.passes - std::min(task.passes, progress.passesDone));
    return TuneTexts::tr("Pass %1 of %2, about %3 left", "counts, duration")
        .arg(progress.passesDone)
        .arg(task.passes)
        .arg(durationText(each * left));
}

QString verdictText(const TuneResult& result) {
    const TileSample* best = result.fastest();
    QStringList sentences;
    if (best == nullptr)
        sentences +=
            TuneTexts::tr("None of these sizes ran: %1").arg(sentenceText(result.trials.front().detail));
    else
        sentences += TuneTexts::tr("Fastest choice: %1.").arg(trialText(*best));
    if (result.now.hasRun())
        sentences += TuneTexts::tr("The project's own: %1.").arg(trialText(result.now));
    if (const std::optional<Verdict> verdict = result.verdict())
        sentences += verdictWords(*verdict);
    sentences += failuresText(
        std::ranges::count_if(result.trials, [](const TileSample& trial) { return !trial.hasRun(); }));
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

namespace {

constexpr int mostPasses = 10000;
constexpr int mostCount = 100;
constexpr int stepOfSteps = 128;  ///< the full grid's step is a multiple of it
constexpr int mostStep = 128 * 64;

QSpinBox* spinBox(QWidget* parent, int least, int most, int value) {
    auto* box = new QSpinBox(parent);
    box->setRange(least, most);
    box->setValue(value);
    return box;
}

}  // namespace

TuneForm::TuneForm(QWidget* parent)
    : QWidget(parent),
      m_mode(new QComboBox(this)),
      m_count(spinBox(this, 1, mostCount, TileTuningOptions().count)),
      m_step(spinBox(this, stepOfSteps, mostStep, static_cast<int>(TileTuningOptions().step))),
      m_most(spinBox(this, 0, mostPasses, 0)),
      m_passes(spinBox(this, 1, mostPasses, TileTiming().iterations)),
      m_warmUp(spinBox(this, 1, mostPasses, TileTiming().warmUp)),
      m_form(new QFormLayout(this)) {
    m_form->setContentsMargins(0, 0, 0, 0);
    for (const TileGridRow& row : tileGridModes()) {
        m_mode->addItem(row.mode == TileGridMode::Smart ? tr("Smart ladder") : tr("Full grid"),
                        static_cast<int>(row.mode));
        m_mode->setItemData(m_mode->count() - 1, engineText(row.help), Qt::ToolTipRole);
    }
    m_step->setSingleStep(stepOfSteps);
    m_most->setSpecialValueText(tr("All"));
    addField(tr("Which sizes"), m_mode, tr("What is tried: a few that divide the sequence well, or all"));
    addField(tr("Sizes of each block"), m_count, tr("Sizes of block_q, and of block_kv beside each"));
    addField(tr("Step"), m_step, tr("Sizes are multiples of this"));
    addField(tr("At most"), m_most, tr("Only the first of them are tried"));
    addField(tr("Passes"), m_passes, tr("Passes of each choice that count; the choices take turns"));
    addField(tr("Warm-up"), m_warmUp, tr("Passes of each choice before them"));
    connect(m_mode, &QComboBox::currentIndexChanged, this, &TuneForm::showFields);
    showFields();
}

void TuneForm::addField(const QString& title, QWidget* field, const QString& help) {
    field->setAccessibleName(title);
    field->setToolTip(help);
    m_form->addRow(title, field);
}

void TuneForm::showFields() {
    const bool smart = options().mode == TileGridMode::Smart;
    m_form->setRowVisible(m_mode, !m_onGpu);
    m_form->setRowVisible(m_count, smart && !m_onGpu);
    m_form->setRowVisible(m_step, !smart && !m_onGpu);
    m_form->setRowVisible(m_most, !smart && !m_onGpu);
}

void TuneForm::setOnGpu(bool onGpu) {
    m_onGpu = onGpu;
    showFields();
}

TileTuningOptions TuneForm::options() const {
    return {.mode = static_cast<TileGridMode>(m_mode->currentData().toInt()),
            .count = m_count->value(),
            .step = m_step->value() / stepOfSteps * stepOfSteps,
            .mostChoices = static_cast<std::size_t>(m_most->value()),
            .timing = {.iterations = m_passes->value(), .warmUp = m_warmUp->value()}};
}

void TuneForm::setOptions(const TileTuningOptions& options) {
    m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(options.mode)));
    m_count->setValue(options.count);
    m_step->setValue(static_cast<int>(options.step));
    m_most->setValue(static_cast<int>(options.mostChoices));
    m_passes->setValue(options.timing.iterations);
    m_warmUp->setValue(options.timing.warmUp);
}

TuneResults::TuneResults(QWidget* parent)
    : QWidget(parent),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState(
          tr("The map of block sizes appears here: press Search while nothing else is running."), this)),
      m_view(new ChartView(this)),
      m_progress(new QProgressBar(this)),
      m_words(new QLabel(this)),
      m_verdict(new QLabel(this)),
      m_row(new QHBoxLayout),
      m_kernelChoice(new QComboBox(this)) {
    m_kernelChoice->setAccessibleName(tr("Kernel"));
    m_kernelChoice->hide();
    connect(m_kernelChoice, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0)
            showKernel(m_kernels.at(static_cast<std::size_t>(index)));
    });
    m_view->setAccessibleName(tr("Time by block sizes"));
    m_stage->addWidget(m_empty);
    m_stage->addWidget(m_view);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    column->addWidget(m_stage, 1);
    column->addWidget(makeFoot());
}

QWidget* TuneResults::makeFoot() {
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the search"));
    for (QLabel* label : {m_words, m_verdict}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_row->addWidget(m_kernelChoice);
    m_row->addWidget(m_words, 1);
    auto* foot = new QWidget(this);
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_progress);
    column->addLayout(m_row);
    column->addWidget(m_verdict);
    return foot;
}

void TuneResults::addButton(QWidget* button) {
    m_row->addWidget(button);
}

void TuneResults::begin(const QString& preparing) {
    clear();
    m_words->setText(preparing);
    m_progress->setRange(0, 0);
}

void TuneResults::showTask(const TuneTask& task) {
    m_task = task;
    m_begun.start();
    m_progress->setRange(0, static_cast<int>(task.passes));
    m_words->setText(taskText(task));
}

void TuneResults::showProgress(const TuneProgress& progress) {
    m_progress->setValue(static_cast<int>(progress.passesDone));
    m_verdict->setText(
        progressText(m_task, progress, static_cast<double>(m_begun.elapsed()) / millisecondsPerSecond));
    showMap(progress.tiles);
}

void TuneResults::showResult(const TuneResult& result) {
    std::vector<TileTime> tiles = toTileTimes(result.trials);
    TileNotes notes;
    for (const TileSample& trial : result.trials)
        if (trial.hasRun())
            notes.deviations[{trial.blocks.blockQ, trial.blocks.blockKv}] = trial.deviation();
    if (result.now.hasRun()) {
        notes.own = {result.now.blocks.blockQ, result.now.blocks.blockKv};
        notes.deviations[*notes.own] = result.now.deviation();
        const auto isOwn = [&notes](const TileTime& tile) {
            return TileNotes::Pair(tile.blockQ, tile.blockKv) == *notes.own;
        };
        if (std::ranges::none_of(tiles, isOwn))
            tiles.push_back({notes.own->first, notes.own->second, result.now.times().median});
    }
    showMap(tiles, notes);
    m_verdict->setText(verdictText(result));
}

namespace {

/// A cell for each candidate that ran: forms across, blocks up.
struct CandidateMap {
    std::vector<TileTime> tiles;
    TileNotes notes;
};

qsizetype placeIn(QStringList& names, const QString& name) {
    if (!names.contains(name))
        names += name;
    return names.indexOf(name);
}

CandidateMap candidateMap(const TunedKernel& kernel) {
    CandidateMap map;
    TileNames names{.across = TuneTexts::tr("form", "of a GPU's kernel"),
                    .up = TuneTexts::tr("block", "of a GPU's kernel"),
                    .own = TuneTexts::tr(" (taken now)"),
                    .columns = {},
                    .rows = {}};
    for (std::size_t index = 0; index < kernel.trials.size(); ++index) {
        const GpuSample& trial = kernel.trials[index];
        if (!trial.hasRun())
            continue;
        const QString block = trial.block.empty() ? QStringLiteral("–")  // it has one alone
                                                  : QString::fromStdString(trial.block);
        const TileNotes::Pair place{placeIn(names.columns, QString::fromStdString(trial.form)),
                                    placeIn(names.rows, block)};
        map.tiles.push_back({place.first, place.second, trial.timing.times().median});
        map.notes.deviations[place] = trial.timing.deviation();
        if (kernel.taken == index)
            map.notes.own = place;
    }
    map.notes.names = std::move(names);
    return map;
}

/// "A card: 12 heads of 128, 7800 queries, 7800 keys".
QString kernelText(const TunedKernel& kernel) {
    return TuneTexts::tr("%1: %2, %n candidates", "a GPU and the size of its work",
                         static_cast<int>(kernel.trials.size()))
        .arg(QString::fromStdString(kernel.gpu.facts.name), sentenceText(kernel.size));
}

}  // namespace

void TuneResults::showKernelProgress(const KernelProgress& progress) {
    if (progress.passesDone <= 1) {  // of a kernel
        m_map = nullptr;
        m_begun.start();
    }
    m_progress->setRange(0, static_cast<int>(progress.passes));
    m_progress->setValue(static_cast<int>(progress.passesDone));
    m_words->setText(TuneTexts::tr("%1. %2", "kernel and GPU")
                         .arg(kernelTitle(progress.kernel), kernelText(progress.kernel)));
    m_verdict->setText(progressText({.passes = progress.passes},
                                    {.passesDone = progress.passesDone, .tiles = {}},
                                    static_cast<double>(m_begun.elapsed()) / millisecondsPerSecond));
    const CandidateMap map = candidateMap(progress.kernel);
    showMap(map.tiles, map.notes);
}

void TuneResults::showKernels(const std::vector<TunedKernel>& kernels) {
    const int before = m_kernelChoice->currentIndex();
    const bool isSame = kernels.size() == m_kernels.size();
    m_kernels = kernels;
    const QSignalBlocker blocker(m_kernelChoice);
    m_kernelChoice->clear();
    const auto isOther = [&](const TunedKernel& kernel) {
        return kernel.gpu.number != kernels.front().gpu.number;
    };
    const bool areOfSeveral = std::ranges::any_of(kernels, isOther);
    for (const TunedKernel& kernel : kernels)
        m_kernelChoice->addItem(areOfSeveral ? TuneTexts::tr("GPU %1: %2", "number, kernel")
                                                   .arg(kernel.gpu.number)
                                                   .arg(kernelTitle(kernel))
                                             : kernelTitle(kernel));
    m_kernelChoice->setCurrentIndex(isSame ? std::max(before, 0) : 0);
    m_kernelChoice->setVisible(!kernels.empty());
    if (!kernels.empty())
        showKernel(kernels.at(static_cast<std::size_t>(m_kernelChoice->currentIndex())));
}

void TuneResults::showKernel(const TunedKernel& kernel) {
    m_map = nullptr;  // another kernel has other names
    m_sheet = {};
    m_stage->setCurrentWidget(m_empty);
    const CandidateMap map = candidateMap(kernel);
    showMap(map.tiles, map.notes);
    m_words->setText(kernelText(kernel));
    m_verdict->setText(verdictText(kernel));
}

void TuneResults::showForeseen(const QString& hardware, const std::vector<TileTime>& tiles,
                               const TileTime& own) {
    m_words->setText(tr("Foreseen for %1, not measured: seconds a step by block sizes").arg(hardware));
    const auto best = std::ranges::min_element(tiles, {}, &TileTime::seconds);
    m_verdict->setText(tr("Fastest: block_q %1 · block_kv %2, %3 s a step. The project's own sizes: %4 s.")
                           .arg(number(best->blockQ), number(best->blockKv), threeDigits(best->seconds),
                                threeDigits(own.seconds)));
    showMap(tiles, {.own = TileNotes::Pair(own.blockQ, own.blockKv), .deviations = {}});
}

void TuneResults::clear() {
    m_map = nullptr;
    m_sheet = {};
    m_stage->setCurrentWidget(m_empty);
    m_words->clear();
    m_verdict->clear();
    showKernels({});
}

void TuneResults::showEnd(const QString& sentence) {
    m_words->setText(sentence);
    m_verdict->clear();  // how long it would have taken
}

void TuneResults::setBusy(bool busy) {
    m_progress->setVisible(busy);
}

QString TuneResults::words() const {
    return m_words->text();
}

QString TuneResults::verdict() const {
    return m_verdict->text();
}

void TuneResults::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && m_map != nullptr)
        ChartStyle::of(palette()).applyTo(*m_map);
    QWidget::changeEvent(event);
}

void TuneResults::showMap(const std::vector<TileTime>& tiles, const TileNotes& notes) {
    if (tiles.empty())
        return;
    m_sheet = makeTileSheet(tiles, notes);
    m_sheet.title = notes.names ? tr("Time by form and block") : tr("Time by block sizes");
    if (m_map != nullptr) {
        m_map->setTiles(tiles, notes);
        return;
    }
    auto map = std::make_unique<TileChart>(tiles, notes);
    m_map = map.get();
    m_view->draw(std::move(map));
    m_stage->setCurrentWidget(m_view);
    emit mapShown();
}

namespace {

constexpr int sideWidth = 250;  ///< at least

}  // namespace

TunePanel::TunePanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_tuner(new TileTuner(this)),
      m_form(new TuneForm(this)),
      m_results(new TuneResults(this)),
      m_start(new QPushButton(themedIcon(QStringLiteral("play")), tr("Search"), this)),
      m_cancel(new QPushButton(themedIcon(QStringLiteral("cancel")), tr("Cancel"), this)),
      m_repeat(new QPushButton(themedIcon(QStringLiteral("loop")), tr("Repeat"), this)),
      m_write(new QPushButton(themedIcon(QStringLiteral("check")), QString(), this)),
      m_export(new ExportButton(QStringLiteral("block-sizes"), this)),
      m_about(new QLabel(this)) {
    m_results->addButton(m_repeat);
    m_results->addButton(m_write);
    m_results->addButton(m_export);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(2 * panelMargin);
    layout->addWidget(makeSide());
    layout->addWidget(m_results, 1);
    connectTuner();
    refresh();
}

QWidget* TunePanel::makeSide() {
    m_about->setTextFormat(Qt::PlainText);
    m_about->setWordWrap(true);
    keepInk(*m_about, mutedColor);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_start, 1);
    buttons->addWidget(m_cancel, 1);
    auto* side = new QWidget(this);
    side->setFixedWidth(std::max(sideWidth, m_form->sizeHint().width()));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(panelMargin);
    column->addWidget(m_about);
    column->addWidget(m_form);
    column->addLayout(buttons);
    column->addStretch(1);
    return side;
}

void TunePanel::connectTuner() {
    connect(m_start, &QPushButton::clicked, this, &TunePanel::start);
    connect(m_cancel, &QPushButton::clicked, m_tuner, &TileTuner::cancel);
    connect(m_repeat, &QPushButton::clicked, this, &TunePanel::repeat);
    connect(m_write, &QPushButton::clicked, this, &TunePanel::useFastest);
    connect(m_export, &ExportButton::exportRequested, this, &TunePanel::exportRequested);
    connect(m_results, &TuneResults::mapShown, this, &TunePanel::refresh);
    connect(m_tuner, &TileTuner::busyChanged, this, &TunePanel::refresh);
    connect(m_tuner, &TileTuner::planned, m_results, &TuneResults::showTask);
    connect(m_tuner, &TileTuner::progressed, m_results, &TuneResults::showProgress);
    connect(m_tuner, &TileTuner::finished, this, [this](const TuneResult& result) {
        m_result = result;
        m_results->showResult(result);
        refresh();
    });
    connect(m_tuner, &TileTuner::kernelProgressed, m_results, &TuneResults::showKernelProgress);
    connect(m_tuner, &TileTuner::kernelsTimed, this, [this](const std::vector<TunedKernel>& kernels) {
        m_kernels = kernels;
        m_results->showKernels(m_kernels);
        refresh();
    });
    connect(m_tuner, &TileTuner::cancelled, this, [this] { showEarlierOr(tr("Cancelled.")); });
    connect(m_tuner, &TileTuner::failed, this, [this](const Problem& problem) {
        showEarlierOr(sentenceText(problem.message));
        emit wentWrong(problem);
    });
}

void TunePanel::showForecast(const ProjectForecast& forecast) {
    const bool wasForeseen = m_foreseen.has_value();
    const bool hasSearched = m_tuner->isBusy() || m_result || !m_kernels.empty();
    m_foreseen.reset();
    m_onGpu = forecast.outlook == nullptr && forecast.plan != nullptr && forecast.plan->placement.hasGpus();
    m_form->setOnGpu(m_onGpu);
    if (forecast.outlook != nullptr && !forecast.outlook->own.blocks.empty()) {
        const ForeseenMesh& own = forecast.outlook->own;
        std::vector<TileTime> tiles;
        for (const ForeseenBlocks& pair : own.blocks)
            tiles.push_back({pair.blocks.q, pair.blocks.kv, pair.stepSeconds});
        const TileTime now{own.of.blockQ, own.of.blockKv, own.seconds.step.total()};
        if (std::ranges::none_of(tiles, [&now](const TileTime& tile) {
                return tile.blockQ == now.blockQ && tile.blockKv == now.blockKv;
            }))
            tiles.push_back(now);
        const auto best = std::ranges::min_element(own.blocks, {}, &ForeseenBlocks::stepSeconds);
        m_foreseen = FlashBlockSizes{
            .blockQ = best->blocks.q, .blockKv = best->blocks.kv, .blockKvCompute = best->blocks.kv};
        if (!hasSearched)
            m_results->showForeseen(QString::fromStdString(own.of.hardware->title), tiles, now);
    } else if (wasForeseen && !hasSearched) {
        m_results->clear();
    }
    refresh();
}

/// A repetition that did not end leaves what was there before it.
void TunePanel::showEarlierOr(const QString& sentence) {
    m_results->showEnd(sentence);
    if (m_result)
        m_results->showResult(*m_result);
    else if (!m_kernels.empty())
        m_results->showKernels(m_kernels);
}

void TunePanel::setObstacle(const QString& reason) {
    m_obstacle = reason;
    refresh();
}

void TunePanel::start() {
    if (!m_obstacle.isEmpty())
        return;
    m_result.reset();
    m_kernels.clear();
    m_searched = m_document.runnableProject();
    m_results->begin(m_onGpu ? tr("Preparing the GPU…") : tr("Preparing weights…"));
    m_tuner->start(m_searched, m_form->options());
}

int TunePanel::repeats() const {
    const auto repeatsOf = [](const std::optional<Verdict>& verdict) {
        return verdict ? verdict->repeats : 0;
    };
    int most = m_result ? repeatsOf(m_result->verdict()) : 0;
    for (const TunedKernel& kernel : m_kernels)
        most = std::max(most, repeatsOf(kernel.verdict()));
    return most;
}

void TunePanel::repeat() {
    TileTuningOptions options = m_form->options();
    options.timing.iterations = repeats();
    if (options.timing.iterations == 0 || m_tuner->isBusy() || !m_obstacle.isEmpty())
        return;
    m_results->begin(m_kernels.empty() ? tr("Preparing weights…") : tr("Preparing the GPU…"));
    if (m_kernels.empty())
        m_tuner->repeat(m_searched, options, *m_result);
    else
        m_tuner->repeat(m_searched, options, m_kernels);
}

void TunePanel::useFastest() {
    if (m_kernels.empty())
        writeToProject();
    else
        keepForRuns();
}

void TunePanel::keepForRuns() {
    try {
        keepFastest(m_kernels);
    } catch (const Error&) {
        emit wentWrong(currentProblem());
        return;
    }
    for (TunedKernel& kernel : m_kernels)
        if (const GpuSample* fastest = kernel.fastest())
            kernel.taken = static_cast<std::size_t>(fastest - kernel.trials.data());
    m_results->showKernels(m_kernels);
    refresh();
}

bool TunePanel::hasNewWinner() const {
    return std::ranges::any_of(m_kernels, [](const TunedKernel& kernel) {
        const GpuSample* fastest = kernel.fastest();
        return fastest != nullptr && kernel.trials.size() > 1 &&
               (!kernel.taken || &kernel.trials.at(*kernel.taken) != fastest);
    });
}

void TunePanel::writeToProject() {
    FlashBlockSizes blocks;
    if (m_result && m_result->fastest() != nullptr)
        blocks = sizesToWrite(m_result->fastest()->blocks);
    else if (!m_result && m_foreseen)
        blocks = *m_foreseen;
    else
        return;
    std::vector<KeyText> texts;
    for (const BlockSizeRow& row : blockSizeRows())
        if (row.searched)
            texts.push_back({findProjectKey(row.key), QString::number(blocks.*row.member)});
    m_document.setTexts(tr("Block sizes that were found"), texts);
}

void TunePanel::exportTo(const std::filesystem::path& file) const {
    exportChart(file, m_results->sheet());
}

void TunePanel::refresh() {
    const bool busy = m_tuner->isBusy();
    m_start->setEnabled(!busy && m_obstacle.isEmpty());
    m_start->setToolTip(m_obstacle);
    m_cancel->setEnabled(busy);
    const int passes = repeats();
    m_repeat->setEnabled(!busy && m_obstacle.isEmpty() && passes > 0);
    m_repeat->setToolTip(
        !m_obstacle.isEmpty() ? m_obstacle
        : passes > 0 ? tr("Times the fastest and what it is compared with %n times more", nullptr, passes)
                     : tr("There is nothing within the noise to repeat"));
    m_results->setBusy(busy);
    const bool ofGpu = !m_kernels.empty() || (m_onGpu && !m_result);
    m_about->setText(
        m_onGpu ? tr("Times every form and block of the GPU's kernels at the sizes of this project.")
                : tr("Times one block of the transformer with this project's video, mesh and attention."));
    m_write->setText(ofGpu ? tr("Use in runs") : tr("Write to project"));
    m_write->setToolTip(ofGpu ? tr("Runs on this GPU take the fastest from now on")
                              : tr("Sets the project's block sizes to the fastest; can be undone"));
    m_write->setEnabled(!busy && (ofGpu      ? hasNewWinner()
                                  : m_result ? m_result->fastest() != nullptr
                                             : m_foreseen.has_value()));
    m_export->setEnabled(m_results->sheet().draw != nullptr);
}

}  // namespace meshreel

#include "moc_tune_panel.cpp"
