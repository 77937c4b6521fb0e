// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/devices_panel.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QStringList>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <span>
#include <utility>

#include "engine/base/system.h"
#include "engine/base/units.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/work.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_list.h"
#include "engine/kernels/dispatch/cpu_features.h"
#include "engine/kernels/measured_forms.h"
#include "engine/planning/run_plan.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/lane_chart.h"
#include "ui/running/device_lane_model.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"

namespace meshreel {

namespace {

constexpr int troughAlpha = 28;
constexpr int verticalMargin = 3;
constexpr int leastWidth = 160;

/// What was done between two pixels.
void fillColumn(QPainter& painter, const QRect& column, const DeviceTime& time, double seconds) {
    double below = 0;
    int bottom = column.bottom() + 1;
    for (const LaneActivityColumn& activity : DeviceLaneModel::activities()) {
        below += activity.seconds(time);
        const int top =
            column.bottom() + 1 - static_cast<int>(std::lround(below / seconds * column.height()));
        painter.fillRect(QRect(column.left(), top, column.width(), bottom - top),
                         ChartStyle::series(activity.color));
        bottom = top;
    }
}

}  // namespace

LaneDelegate::LaneDelegate(const DeviceLaneModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model) {}

QRect LaneDelegate::laneArea(const QRect& cell) {
    return cell.adjusted(spacing, verticalMargin, -spacing, -verticalMargin);
}

void LaneDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
    const QRect lane = laneArea(option.rect);
    QColor trough = option.palette.color(QPalette::Text);
    trough.setAlpha(troughAlpha);
    painter->fillRect(lane, trough);
    const double end = m_model.expectedSeconds();
    if (end <= 0)
        return;
    const auto device = static_cast<std::size_t>(index.row());
    int left = lane.left();
    DeviceTime time;
    double seconds = 0;
    for (const LaneStretch& stretch : m_model.history().stretches()) {
        time += stretch.devices[device];
        seconds += stretch.seconds;
        const double share = (stretch.start + stretch.seconds) / end;
        const int right = lane.left() + static_cast<int>(std::lround(share * lane.width()));
        if (right == left || seconds <= 0)
            continue;
        fillColumn(*painter, QRect(left, lane.top(), right - left, lane.height()), time, seconds);
        left = right;
        time = {};
        seconds = 0;
    }
}

QSize LaneDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const {
    return {leastWidth, option.fontMetrics.height() + 2 * verticalMargin};
}

bool LaneDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                             const QModelIndex& index) {
    const QRect lane = laneArea(option.rect);
    if (event->type() != QEvent::ToolTip || lane.width() <= 0)
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    const double seconds =
        static_cast<double>(event->pos().x() - lane.left()) / lane.width() * m_model.expectedSeconds();
    const LaneStretch* stretch = m_model.history().stretchAt(seconds);
    if (stretch == nullptr)
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    QToolTip::showText(event->globalPos(), m_model.stretchText(*stretch, index.row()), view);
    return true;
}

LaneReader::LaneReader(const DeviceLaneModel& model, QTreeView& view)
    : QObject(&view), m_model(model), m_view(view) {
    view.installEventFilter(this);
    view.setWhatsThis(tr("Comma and full stop go from step to step in the lane of the current row."));
    connect(&model, &QAbstractItemModel::modelReset, this, [this] { m_told = -1; });
}

bool LaneReader::eventFilter(QObject* /*watched*/, QEvent* event) {
    return event->type() == QEvent::KeyPress && takeKey(static_cast<QKeyEvent*>(event)->key());
}

bool LaneReader::takeKey(int key) {
    const bool isBack = key == Qt::Key_Comma;
    const auto count = static_cast<int>(m_model.history().stretches().size());
    if ((!isBack && key != Qt::Key_Period) || count == 0)
        return false;
    if (!m_view.currentIndex().isValid())
        m_view.setCurrentIndex(m_model.index(0, 0));
    tell(std::clamp(m_told + (isBack ? -1 : 1), 0, count - 1));
    return true;
}

void LaneReader::tell(int stretch) {
    m_told = stretch;
    const LaneStretch& told = m_model.history().stretches()[static_cast<std::size_t>(stretch)];
    const QModelIndex cell = m_view.currentIndex().siblingAtColumn(DeviceLaneModel::Lane);
    const QString words = m_model.stretchText(told, cell.row());
    const QRect lane = LaneDelegate::laneArea(m_view.visualRect(cell));
    const double share = (told.start + told.seconds / 2) / m_model.expectedSeconds();
    const QPoint place(lane.left() + static_cast<int>(std::lround(share * lane.width())), lane.center().y());
    QToolTip::showText(m_view.viewport()->mapToGlobal(place), words, m_view.viewport());
    m_view.setAccessibleDescription(words);
}

namespace {

constexpr int leastLanesWidth = 560;
constexpr int machineWidth = 540;

enum MachineColumn { NameColumn, MemoryColumn, RateColumn, MachineColumns };
constexpr int numberRole = Qt::UserRole;  ///< of a GPU's item, its number

/// Returns nothing when there is none, or it is damaged: the code that uses it reports that.
std::optional<double> measuredCpuRate() {
    try {
        const MachineIdentity machine = MachineIdentity::ofThis();
        const std::optional<MachineRates> rates = readRates(ratesFile(machine), machine);
        const auto linear = static_cast<std::size_t>(WorkClass::LinearBf16);
        if (rates && rates->secondsPerUnit.at(linear) > 0)
            return 1 / rates->secondsPerUnit.at(linear);
    } catch (const std::exception&) {
        // See above.
    }
    return std::nullopt;
}

QString rateText(const std::optional<double>& rate) {
    return rate ? MachineList::tr("%1 TFLOP/s").arg(QLocale().toString(*rate / tera, 'g', 3))
                : MachineList::tr("not measured");
}

QString memoryText(double bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), 1);
}

QString kindText(GpuKind kind) {
    // In the order of GpuKind.
    static constexpr std::array texts{
        QT_TRANSLATE_NOOP("meshreel::MachineList", "Card with its own memory"),
        QT_TRANSLATE_NOOP("meshreel::MachineList", "Shares the memory of the CPU"),
        QT_TRANSLATE_NOOP("meshreel::MachineList", "GPU of a virtual machine"),
        QT_TRANSLATE_NOOP("meshreel::MachineList", "Computes on the CPU: never taken by Automatic"),
        QT_TRANSLATE_NOOP("meshreel::MachineList", "GPU of another kind")};
    return MachineList::tr(texts.at(static_cast<std::size_t>(kind)));
}

QString formText(const MatrixFormFacts& form) {
    const QString name = QString::fromStdString(form.name);
    QString text = form.taken ? MachineList::tr("%1: taken", "way to multiply matrices").arg(name)
                              : MachineList::tr("%1: not taken", "way to multiply matrices").arg(name);
    if (form.rate)
        text +=
            QStringLiteral(", ") + (form.isOfInt8() ? MachineList::tr("%1 TOP/s", "int8 operations")
                                                          .arg(QLocale().toString(*form.rate / tera, 'g', 3))
                                                    : rateText(form.rate));
    if (!form.why.empty())
        text += QStringLiteral("; ") + sentenceText(form.why);
    return text;
}

/// What bf16 is multiplied at.
std::optional<double> fastestRate(const GpuFacts& gpu) {
    std::optional<double> fastest;
    for (const MatrixFormFacts& form : gpu.forms)
        if (form.rate && !form.isOfInt8() && (!fastest || *form.rate > *fastest))
            fastest = form.rate;
    return fastest;
}

/// A line that says more of `item`, as wide as the list.
void addLine(QTreeWidgetItem& item, const QString& words) {
    auto* line = new QTreeWidgetItem(&item, {words});
    line->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    line->setFirstColumnSpanned(true);
}

QString partName(PlacedPart part) {
    switch (part) {
        case PlacedPart::TextEncoder:
            return MachineList::tr("Text encoder");
        case PlacedPart::ImageEncoder:
            return MachineList::tr("Image encoder");
        case PlacedPart::VaeEncoder:
            return MachineList::tr("VAE encoder");
        case PlacedPart::VaeDecoder:
            return MachineList::tr("VAE decoder");
        case PlacedPart::PreviewDecoder:
            return MachineList::tr("Preview decoder");
        case PlacedPart::Transformer:
        case PlacedPart::SecondTransformer:
        case PlacedPart::Embeddings:
            break;  // no search moves them away from the GPU, or to it
    }
    return {};
}

/// "VAE encoder on the CPU: it does not fit." for each part of a group that the CPU computes for another
/// reason than was said.
QStringList exceptionsOf(const Placement& placement, std::span<const PlacedPart> group,
                         const Sentence& said) {
    QStringList sentences;
    for (const PlacedPart part : group) {
        const Sentence why = placement.whyOnCpu(part);
        if (placement.find(part) != nullptr && !placement.isOnGpu(part) && why != said)
            sentences +=
                MachineList::tr("%1 on the CPU: %2.", "part, why").arg(partName(part), sentenceText(why));
    }
    return sentences;
}

QString placementText(const Placement& placement) {
    if (placement.gpus.empty())
        return placement.whyNoGpu().empty() ? MachineList::tr("The CPU computes this project.")
                                            : MachineList::tr("The CPU computes this project: %1.", "why")
                                                  .arg(sentenceText(placement.whyNoGpu()));
    QStringList names;
    for (const ChosenGpu& gpu : placement.gpus)
        names += MachineList::tr("%1 (GPU %2)", "name and number")
                     .arg(QString::fromStdString(gpu.facts.name))
                     .arg(gpu.number);
    names.removeDuplicates();
    const QString all = names.join(QStringLiteral(", "));
    const bool hasVae = placement.anyOnGpu(vaeParts);
    const bool hasEncoders = placement.anyOnGpu(encoderParts);
    QStringList sentences;
    if (hasVae && hasEncoders)
        sentences += MachineList::tr("Transformer, VAE and encoders are computed by %1.", "GPUs").arg(all);
    else if (hasVae)
        sentences += MachineList::tr("Transformer and VAE are computed by %1.", "GPUs").arg(all);
    else
        sentences +=
            MachineList::tr("The transformer is computed by %1, the VAE by the CPU: %2.", "GPUs, why")
                .arg(all, sentenceText(placement.whyOnCpu(PlacedPart::VaeDecoder)));
    if (!hasEncoders)
        sentences += MachineList::tr("The CPU computes the text and image encoders: %1.", "why")
                         .arg(sentenceText(placement.whyOnCpu(PlacedPart::TextEncoder)));
    else if (!hasVae)
        sentences += MachineList::tr("The GPU computes the text and image encoders.");
    sentences +=
        exceptionsOf(placement, vaeParts, hasVae ? Sentence() : placement.whyOnCpu(PlacedPart::VaeDecoder));
    sentences += exceptionsOf(placement, encoderParts,
                              hasEncoders ? Sentence() : placement.whyOnCpu(PlacedPart::TextEncoder));
    for (const PassedOver& left : placement.gpusLeft)
        sentences +=
            MachineList::tr("Not taken: %1.", "why a GPU does not compute").arg(sentenceText(left.why));
    return sentences.join(QLatin1Char(' '));
}

}  // namespace

MachineDevices askMachineDevices(bool again) {
    return {.cpu = cpuModelName(),
            .isa = isaName(),
            .memoryFree = availableMemory(),
            .rate = measuredCpuRate(),
            .drivers = askMeasuredDrivers(again)};
}

MachineList::MachineList(Ask ask, QWidget* parent)
    : QWidget(parent),
      m_ask(std::move(ask)),
      m_sentence(new QLabel(this)),
      m_automatic(new QCheckBox(tr("Automatic", "choice of the GPU"), this)),
      m_again(new QToolButton(this)),
      m_tree(new QTreeWidget(this)) {
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_automatic->setToolTip(
        tr("The plan takes the best GPU where it counts as faster than the CPU. Without this, the GPUs with "
           "a tick compute; without a tick, the CPU does."));
    connect(m_automatic, &QCheckBox::clicked, this, [this](bool automatic) {
        if (automatic)
            emit gpusChosen(QString::fromStdString(GpuChoice::anyReal().text()));
        else
            choose(m_planned);
    });
    m_again->setIcon(themedIcon(QStringLiteral("refresh")));
    nameControl(*m_again, tr("Look for GPUs again"));
    m_again->setToolTip(tr("Look for GPUs again, and ask drivers that failed before"));
    connect(m_again, &QToolButton::clicked, this, [this] { this->ask(true); });
    m_tree->setColumnCount(MachineColumns);
    m_tree->setHeaderLabels({tr("This machine"), tr("Memory"), tr("Linear layers")});
    m_tree->headerItem()->setToolTip(
        RateColumn,
        tr("How fast layers in bf16 are multiplied. A GPU is measured by its first run in bf16, the CPU by "
           "“Measure this machine”."));
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setAccessibleName(tr("CPU and GPUs of this machine"));
    new CellTips(*m_tree);
    QHeaderView* columns = m_tree->header();
    columns->setStretchLastSection(false);
    columns->setSectionsMovable(false);
    columns->setSectionResizeMode(QHeaderView::ResizeToContents);
    columns->setSectionResizeMode(NameColumn, QHeaderView::Stretch);
    new ColumnMenu(*m_tree, *columns);
    connect(m_tree, &QTreeWidget::itemChanged, this, [this](const QTreeWidgetItem* item, int column) {
        if (column == NameColumn && !m_isTicking)
            take(*item);
    });
    auto* header = new QHBoxLayout;
    header->setSpacing(spacing);
    header->addWidget(m_sentence, 1);
    header->addWidget(m_automatic, 0, Qt::AlignTop);
    header->addWidget(m_again, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(spacing);
    column->addLayout(header);
    column->addWidget(m_tree, 1);
    tick();
}

QSize MachineList::sizeHint() const {
    return {machineWidth, QWidget::sizeHint().height()};
}

QString MachineList::words() const {
    return m_sentence->text();
}

void MachineList::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!m_wasAsked)
        ask(false);
}

void MachineList::ask(bool again) {
    m_wasAsked = true;
    m_again->setEnabled(false);
    if (m_tree->topLevelItemCount() == 0)
        new QTreeWidgetItem(m_tree, {tr("Asking the GPU drivers…")});
    m_asking.run([ask = m_ask, again] { return ask(again); },
                 [this](const MachineDevices& machine) { fill(machine); },
                 [this](const Problem& problem) { showProblem(problem); });
}

void MachineList::showProblem(const Problem& problem) {
    m_again->setEnabled(true);
    m_tree->clear();
    auto* item = new QTreeWidgetItem(m_tree, {wholeText(problem)});
    item->setFirstColumnSpanned(true);
}

void MachineList::fill(const MachineDevices& machine) {
    m_again->setEnabled(true);
    m_isTicking = true;
    m_tree->clear();
    addCpu(machine);
    const std::vector<GpuFacts> gpus = listGpus(machine.drivers);
    for (int number = 0; const GpuFacts& gpu : gpus)
        addGpu(number++, gpu);
    if (const Sentence why = whyNoGpu(machine.drivers); !why.empty()) {
        auto* item = new QTreeWidgetItem(m_tree, {tr("No GPU: %1", "why").arg(sentenceText(why))});
        item->setFirstColumnSpanned(true);
    }
    addWithout(machine.drivers);
    if (gpus.size() == 1)
        m_tree->topLevelItem(1)->setExpanded(true);
    m_isTicking = false;
    tick();
}

void MachineList::addCpu(const MachineDevices& machine) {
    auto* item = new QTreeWidgetItem(
        m_tree, {tr("CPU: %1 (%2)", "name, instruction set")
                     .arg(QString::fromStdString(machine.cpu), QString::fromStdString(machine.isa)),
                 tr("%1 free", "bytes").arg(memoryText(static_cast<double>(machine.memoryFree))),
                 rateText(machine.rate)});
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
}

void MachineList::addGpu(int number, const GpuFacts& gpu) {
    const QString total = memoryText(gpu.memoryTotal);
    auto* item = new QTreeWidgetItem(
        m_tree,
        {QString(),
         gpu.memoryFree ? tr("%1 of %2 free", "bytes").arg(memoryText(*gpu.memoryFree), total) : total,
         rateText(fastestRate(gpu))});
    item->setData(NameColumn, numberRole, number);
    item->setData(NameColumn, Qt::DisplayRole,
                  tr("GPU %1: %2", "number, name").arg(number).arg(QString::fromStdString(gpu.name)));
    addLine(*item, tr("%1; %2, Vulkan %3", "kind, driver, version")
                       .arg(kindText(gpu.kind), QString::fromStdString(gpu.driver),
                            QString::fromStdString(gpu.vulkan)));
    if (!gpu.missing.empty())
        addLine(*item, tr("It cannot be used: %1", "why").arg(sentenceText(gpu.missing)));
    for (const MatrixFormFacts& form : gpu.forms)
        addLine(*item, formText(form));
    item->setFlags(gpu.missing.empty() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
                                       : Qt::ItemIsEnabled | Qt::ItemIsSelectable);
}

/// Adds those that say why, or that were not asked.
void MachineList::addWithout(const std::vector<GpuDriver>& drivers) {
    QTreeWidgetItem* group = nullptr;
    for (const GpuDriver& driver : drivers) {
        if (!driver.gpus.empty())
            continue;
        if (group == nullptr) {
            group = new QTreeWidgetItem(m_tree, {tr("Drivers without a device")});
            group->setFirstColumnSpanned(true);
        }
        const QString why = sentenceText(driver.why);
        addLine(*group,
                QStringLiteral("%1: %2").arg(
                    QString::fromStdString(driver.manifest.string()),
                    driver.state == DriverState::Skipped ? tr("%1 (not asked this time)").arg(why) : why));
    }
}

void MachineList::showChoice(const GpuChoice& gpus) {
    m_choice = gpus;
    tick();
}

void MachineList::showPlacement(const Placement* placement) {
    m_planned.clear();
    if (placement != nullptr)
        for (const ChosenGpu& gpu : placement->gpus)
            m_planned.push_back(gpu.number);
    m_sentence->setText(placement == nullptr ? QString() : placementText(*placement));
    tick();
}

const std::vector<int>& MachineList::used() const {
    return m_choice.automatic ? m_planned : m_choice.numbers;
}

void MachineList::tick() {
    m_isTicking = true;
    m_automatic->setChecked(m_choice.automatic);
    for (int row = 0; row < m_tree->topLevelItemCount(); ++row) {
        QTreeWidgetItem& item = *m_tree->topLevelItem(row);
        if (!item.flags().testFlag(Qt::ItemIsUserCheckable) || !item.data(NameColumn, numberRole).isValid())
            continue;
        const auto times = std::ranges::count(used(), item.data(NameColumn, numberRole).toInt());
        item.setCheckState(NameColumn, times > 0 ? Qt::Checked : Qt::Unchecked);
        item.setToolTip(NameColumn, times > 1 ? tr("%n devices of the mesh", nullptr, static_cast<int>(times))
                                              : QString());
    }
    m_isTicking = false;
}

/// A tick was set or taken away.
void MachineList::take(const QTreeWidgetItem& item) {
    const int number = item.data(NameColumn, numberRole).toInt();
    std::vector<int> numbers = used();
    std::erase(numbers, number);
    if (item.checkState(NameColumn) == Qt::Checked)
        numbers.push_back(number);
    choose(numbers);
}

void MachineList::choose(const std::vector<int>& numbers) {
    emit gpusChosen(QString::fromStdString(GpuChoice{.numbers = numbers}.text()));
}

DevicesPanel::DevicesPanel(QWidget* parent, MachineList::Ask ask)
    : QWidget(parent),
      m_stage(new QStackedWidget(this)),
      m_empty(new EmptyState({}, this)),
      m_sentence(new QLabel(this)),
      m_view(new QTreeView(this)),
      m_export(new ExportButton(QStringLiteral("devices"), this)),
      m_machine(new MachineList(std::move(ask), this)),
      m_parts(new QBoxLayout(QBoxLayout::TopToBottom, this)) {
    const QPushButton* mesh =
        m_empty->addButton(themedIcon(QStringLiteral("grid")), tr("Set up several devices"));
    connect(mesh, &QPushButton::clicked, this, &DevicesPanel::meshRequested);
    m_stage->addWidget(m_empty);
    m_stage->addWidget(makeLanes());
    m_parts->setContentsMargins(0, 0, 0, 0);
    m_parts->addWidget(m_stage, 1);
    m_parts->addWidget(m_machine);
    refresh();
}

void DevicesPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_parts->setDirection(width() < leastLanesWidth + machineWidth ? QBoxLayout::TopToBottom
                                                                   : QBoxLayout::LeftToRight);
}

QWidget* DevicesPanel::makeLanes() {
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_view->setModel(&m_model);
    m_view->setItemDelegateForColumn(DeviceLaneModel::Lane, new LaneDelegate(m_model, m_view));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Lanes of the devices"));
    new CellTips(*m_view);
    new LaneReader(m_model, *m_view);
    QHeaderView* columns = m_view->header();
    columns->setStretchLastSection(false);
    columns->setSectionsMovable(false);
    columns->setSectionResizeMode(QHeaderView::ResizeToContents);
    columns->setSectionResizeMode(DeviceLaneModel::Lane, QHeaderView::Stretch);
    new ColumnMenu(*m_view, *columns);
    connect(m_export, &ExportButton::exportRequested, this, &DevicesPanel::exportRequested);
    auto* header = new QHBoxLayout;
    header->setSpacing(spacing);
    header->addWidget(m_sentence, 1);
    header->addWidget(m_export, 0, Qt::AlignTop);
    auto* lanes = new QWidget(this);
    auto* column = new QVBoxLayout(lanes);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(spacing);
    column->addLayout(header);
    column->addWidget(m_view, 1);
    return lanes;
}

void DevicesPanel::restart(Subject subject) {
    m_subject = subject;
    m_model.clear();
    refresh();
}

void DevicesPanel::begin() {
    restart(Subject::RunAtHand);
}

void DevicesPanel::addSteps(const std::vector<StepDeviceTimes>& steps) {
    m_model.add(steps);
    refresh();
}

void DevicesPanel::showProgress(const Progress& progress) {
    m_model.setStepsLeft(progress.steps - progress.stepsDone);
}

void DevicesPanel::end() {
    if (m_subject == Subject::RunAtHand)
        m_subject = Subject::Nothing;
    m_model.setStepsLeft(0);
    refresh();
}

void DevicesPanel::showRun(const std::vector<StepDeviceTimes>& steps) {
    restart(Subject::PastRun);
    addSteps(steps);
}

void DevicesPanel::clear() {
    restart(Subject::Nothing);
}

void DevicesPanel::exportTo(const std::filesystem::path& file) const {
    ChartSheet sheet = deviceLaneSheet(m_model.steps());
    sheet.title = tr("What the devices did");
    exportChart(file, sheet);
}

QString DevicesPanel::words() const {
    return showsLanes() ? m_sentence->text() : m_empty->sentence();
}

bool DevicesPanel::showsLanes() const {
    return m_stage->currentWidget() != m_empty;
}

void DevicesPanel::refresh() {
    m_stage->setCurrentIndex(m_model.rowCount() > 1 || m_model.hasGpus() ? 1 : 0);
    m_view->setColumnHidden(DeviceLaneModel::HostOnly, !m_model.hasGpus());
    m_empty->setSentence(emptySentence());
    m_sentence->setText(m_model.sentence());
    m_view->setAccessibleDescription(m_sentence->text());
}

QString DevicesPanel::emptySentence() const {
    if (m_model.rowCount() == 1)
        return tr("This run has one device, which computes all the time.");
    switch (m_subject) {
        case Subject::RunAtHand:
            return tr("The lanes of the devices begin when the first step has ended.");
        case Subject::PastRun:
            return tr(
                "This run did not record how its devices spent their steps: an earlier version made it, "
                "or it ended before its first step did. What its trace tells is drawn by Compare, as "
                "Devices of one run.");
        case Subject::Nothing:
            break;
    }
    return tr(
        "How much each device computes, exchanges and waits is drawn here while a run of several "
        "devices goes on, or when a past one is opened.");
}

}  // namespace meshreel

#include "moc_devices_panel.cpp"
