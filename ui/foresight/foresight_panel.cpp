// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/foresight/foresight_panel.h"

#include <fmt/format.h>

#include <QChart>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFont>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/attention/attention_mode.h"
#include "engine/base/error.h"
#include "engine/base/units.h"
#include "engine/foresight/efficiencies.h"
#include "engine/foresight/foresight_model.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/target_hardware.h"
#include "engine/timing/verdict.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/chart_view.h"
#include "ui/project/consequences.h"
#include "ui/project/project_document.h"
#include "ui/project/target_choice.h"
#include "ui/settings/plan_parts.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/splitter.h"

namespace meshreel {

namespace {

constexpr int mostForeseenDevices = 4096;

/// Returns the case of a run of this program: its video, mesh and mode in place of those of the answer.
AcceleratorCase caseOfRun(const ForesightAnswer& answer, const RunRecord& run) {
    AcceleratorCase of = answer.of;
    of.frames = run.frames;
    of.width = run.width;
    of.height = run.height;
    of.steps = static_cast<double>(run.steps.size());
    of.mesh = {.data = std::max(1, run.devices / (run.ulysses * run.ring)),
               .ring = run.ring,
               .ulysses = run.ulysses};
    if (const AttentionMode* mode = findAttentionMode(run.attention)) {
        of.kernel = &kernelFor(*of.hardware, *of.program, mode->kernel);
        of.bothWays = mode->rotation == Rotation::BidirectionalRing;
        if (mode->exchange == Exchange::Gather)
            std::swap(of.mesh.ring, of.mesh.gathered);
    }
    of.blockQ = of.blockKv = 0;
    return of;
}

}  // namespace

std::optional<std::vector<int>> readDeviceNumbers(const QString& text) {
    std::vector<int> numbers;
    const QStringList words = text.split(QLatin1Char(','), Qt::SkipEmptyParts);
    for (const QString& word : words) {
        bool isNumber = false;
        const int number = word.trimmed().toInt(&isNumber);
        if (!isNumber || number < 1 || number > mostForeseenDevices)
            return std::nullopt;
        numbers.push_back(number);
    }
    return numbers.empty() ? std::nullopt : std::optional(numbers);
}

ForesightAnswer foreseeOn(const RunPlan& plan, std::shared_ptr<const TargetHardware> target,
                          const std::vector<int>& devices) {
    ForesightAnswer answer{.of = projectCase(plan.project, target->hardware, *target->program),
                           .target = target,
                           .own = foreseeOwnMesh(plan.project, *target),
                           .devices = {},
                           .scaling = {}};
    for (const int number : devices)
        answer.devices.push_back({number, foreseeMeshes(answer.of, number, *target->foresight)});
    answer.scaling = foreseeScaling(answer.of, *target->foresight);
    return answer;
}

std::vector<MeasuredCase> besideMeasured(const ForesightAnswer& answer, const std::vector<RunRecord>& runs,
                                         const ForeseenMesh* pastedOn) {
    std::vector<MeasuredCase> cases;
    const Efficiencies& efficiencies = answer.target->foresight->efficiencies;
    for (const RunRecord& run : withShortNames(runs)) {
        if (!run.timings || (run.pasted && pastedOn == nullptr))
            continue;
        const AcceleratorCase of = run.pasted ? pastedOn->of : caseOfRun(answer, run);
        cases.push_back({.name = run.name,
                         .mesh = fmt::format("{} × {}", of.mesh.devices(), of.mesh.label()),
                         .measured = *run.timings,
                         .foreseen = efficiencies.foresee(of),
                         .clip = efficiencies.foresee(of, TimeMetric::Total)});
    }
    return cases;
}

KeyChanges toMeshChanges(const ForeseenMesh& mesh) {
    const AcceleratorMesh& axes = mesh.of.mesh;
    KeyChanges changes{{"attention", std::string(mesh.mode->name)},
                       {"devices", std::to_string(axes.devices())},
                       {"ulysses_shards", std::to_string(mesh.mode->hybrid() ? axes.ulysses : -1)}};
    const MeshShape shape{.data = axes.data,
                          .fsdp = axes.ownFsdp ? axes.fsdp : 1,
                          .context = axes.context(),
                          .tensor = axes.tensor};
    for (const MeshAxis axis : meshAxes) {
        changes.push_back({axisKey(MeshLevel::Ici, axis), std::to_string(shape.extent(axis))});
        changes.push_back({axisKey(MeshLevel::Dcn, axis), "1"});
    }
    if (!mesh.blocks.empty()) {
        changes.push_back({"flash_block_sizes.block_q", std::to_string(mesh.of.blockQ)});
        changes.push_back({"flash_block_sizes.block_kv", std::to_string(mesh.of.blockKv)});
        changes.push_back({"flash_block_sizes.block_kv_compute", std::to_string(mesh.of.blockKv)});
    }
    return changes;
}

void ForeseenMeshModel::setAnswer(const ForesightAnswer& answer) {
    beginResetModel();
    m_meshes.clear();
    m_own = -1;
    for (const ForeseenDevices& devices : answer.devices)
        m_meshes.insert(m_meshes.end(), devices.meshes.meshes.begin(), devices.meshes.meshes.end());
    if (answer.own) {
        const auto found = std::ranges::find_if(
            m_meshes, [&answer](const ForeseenMesh& mesh) { return areSame(mesh, *answer.own); });
        m_ownIsAdded = found == m_meshes.end();
        m_own = m_ownIsAdded ? 0 : static_cast<int>(found - m_meshes.begin());
        if (m_ownIsAdded)
            m_meshes.insert(m_meshes.begin(), *answer.own);
    }
    endResetModel();
}

int ForeseenMeshModel::firstRow() const {
    const int first = m_own >= 0 && m_ownIsAdded ? 1 : 0;
    return first < rowCount() ? first : -1;
}

void ForeseenMeshModel::setPrice(double price) {
    m_price = price;
    if (rowCount() > 0)
        emit dataChanged(index(0, Money), index(rowCount() - 1, Money));
}

int ForeseenMeshModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_meshes.size());
}

int ForeseenMeshModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

namespace {

QString bytesOfDevice(double bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), 0);
}

/// The largest cause besides the products that every mesh has.
QString dearestCause(const ForeseenMesh& mesh) {
    const CauseRow* dearest = nullptr;
    const StepCauses& step = mesh.seconds.step;
    for (const CauseRow& cause : causeRows())
        if (cause.seconds != &StepCauses::matrix && cause.seconds != &StepCauses::attention &&
            (dearest == nullptr || step.*cause.seconds > step.*dearest->seconds))
            dearest = &cause;
    return ForeseenMeshModel::tr("%1 %2 %", "cause of seconds, its share")
        .arg(engineText(dearest->title))
        .arg(QLocale().toString(percent * (step.*dearest->seconds) / step.total(), 'f', 0));
}

}  // namespace

/// How the project's own row differs from the others.
QVariant ForeseenMeshModel::ofOwn(const QModelIndex& index, int role) const {
    if (role == Qt::FontRole) {
        QFont font;
        font.setBold(true);
        return font;
    }
    if (role == Qt::AccessibleTextRole && index.column() == Mesh)
        return tr("%1, the project's own", "a mesh").arg(data(index).toString());
    if (role == Qt::ToolTipRole && index.column() == Mesh)
        return tr("The project's own mesh, which the others are compared with");
    return {};
}

QVariant ForeseenMeshModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    if (index.row() == m_own)
        if (QVariant own = ofOwn(index, role); own.isValid())
            return own;
    const ForeseenMesh& shown = mesh(index.row());
    if (role == Qt::ForegroundRole && !shown.fits())
        return mutedColor(QGuiApplication::palette());
    if (role == Qt::ToolTipRole) {
        QStringList lines;
        for (const Sentence& advice : adviceFor(shown))
            lines += sentenceText(advice);
        return lines.join(QLatin1Char('\n'));
    }
    if (role == Qt::TextAlignmentRole && (index.column() == Step || index.column() == Clip ||
                                          index.column() == Money || index.column() == Devices))
        return QVariant::fromValue(Qt::Alignment(Qt::AlignTrailing | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
        case Devices:
            return QLocale().toString(shown.of.mesh.devices());
        case Mesh:
            return QString::fromStdString(shown.of.mesh.label());
        case Attention:
            return QString::fromStdString(std::string(shown.mode->name));
        case Blocks:
            return shown.blocks.empty()
                       ? QStringLiteral("–")
                       : QStringLiteral("%1 × %2").arg(shown.of.blockQ).arg(shown.of.blockKv);
        case Step:
            return threeDigits(shown.step.seconds);
        case Range:
            return tr("%1 to %2", "seconds").arg(threeDigits(shown.step.low), threeDigits(shown.step.high));
        case Beside:
            return m_own < 0              ? QString()
                   : index.row() == m_own ? tr("The project's own")
                                          : sentenceText(verdictSentence(judgeSteps(
                                                m_meshes[static_cast<std::size_t>(m_own)], shown)));
        case Clip:
            return threeDigits(shown.clip.seconds);
        case Memory:
            return shown.fits() ? tr("%1 of %2", "memory")
                                      .arg(bytesOfDevice(shown.memory.total()),
                                           bytesOfDevice(shown.of.hardware->memory))
                                : tr("%1 of %2: does not fit", "memory")
                                      .arg(bytesOfDevice(shown.memory.total()),
                                           bytesOfDevice(shown.of.hardware->memory));
        case Money:
            return m_price > 0 ? threeDigits(shown.money(m_price)) : QString();
        case Besides:
            return dearestCause(shown);
        default:
            return {};
    }
}

QVariant ForeseenMeshModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole && section == Range)
        return tr("Four of five measurements fall into it");
    if (role == Qt::ToolTipRole && section == Beside)
        return tr("Beside the project's own mesh, in bold; where the ranges overlap, either may be faster");
    if (role == Qt::ToolTipRole && section == Besides)
        return tr("The largest cost apart from linear layers and attention products");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
        case Devices:
            return tr("Devices");
        case Mesh:
            return tr("Mesh");
        case Attention:
            return tr("Attention");
        case Blocks:
            return tr("Blocks");
        case Step:
            return tr("s/step");
        case Range:
            return tr("Range");
        case Beside:
            return tr("Verdict");
        case Clip:
            return tr("Clip s");
        case Memory:
            return tr("Memory per device");
        case Money:
            return tr("Money", "for a clip");
        case Besides:
            return tr("Largest overhead");
        default:
            return {};
    }
}

namespace {

constexpr int foresightChartHeight = 300;
constexpr int foresightTableHeight = 220;
constexpr int devicesWidth = 90;
constexpr double mostPrice = 1e4;

}  // namespace

ForesightPanel::ForesightPanel(ProjectDocument& document, TargetChoice& target, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_target(target),
      m_meshes(new ForeseenMeshModel(this)),
      m_program(new QComboBox(this)),
      m_devices(new QLineEdit(QStringLiteral("8, 16"), this)),
      m_price(new QDoubleSpinBox(this)),
      m_chart(new QComboBox(this)),
      m_export(new ExportButton(QStringLiteral("foresight"), this)),
      m_stage(new QStackedWidget(this)),
      m_words(new EmptyState({}, this)),
      m_view(new ChartView(this)),
      m_table(new QTableView(this)),
      m_basis(new QLabel(this)),
      m_use(new QPushButton(themedIcon(QStringLiteral("check")), tr("Use this mesh"), this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(spacing);
    layout->addWidget(makeHeader(target));
    layout->addWidget(makeBody(), 1);
    connect(&m_target, &TargetChoice::changed, this, [this] {
        fillPrograms();
        ask();
    });
    fillPrograms();
    draw();
}

QWidget* ForesightPanel::makeHeader(TargetChoice& target) {
    auto* header = new QWidget(this);
    auto* hardware = new HardwareChooser(target, header);
    nameControl(*m_program, tr("Program"));
    m_program->setToolTip(tr("What runs the model there"));
    connect(m_program, &QComboBox::activated, this,
            [this] { m_target.choose(m_target.name(), m_program->currentData().toString()); });
    nameControl(*m_devices, tr("Numbers of devices"));
    m_devices->setToolTip(tr("Numbers of devices from 1 to 4,096, separated by commas"));
    m_devices->setFixedWidth(devicesWidth);
    connect(m_devices, &QLineEdit::editingFinished, this, &ForesightPanel::ask);
    nameControl(*m_price, tr("Price"));
    m_price->setToolTip(tr("Price of a device for an hour: adds the money for a clip"));
    m_price->setRange(0, mostPrice);
    m_price->setSpecialValueText(tr("no price"));
    connect(m_price, &QDoubleSpinBox::valueChanged, this, [this](double price) {
        m_meshes->setPrice(price);
        m_table->setColumnHidden(ForeseenMeshModel::Money, price <= 0);
    });
    for (const auto& [chart, title] : {std::pair{Chart::BestByContext, tr("Best mesh by context size")},
                                       std::pair{Chart::Splits, tr("Seconds a step by split")},
                                       std::pair{Chart::Blocks, tr("Block sizes")},
                                       std::pair{Chart::Scaling, tr("Scaling to 4,096 devices")},
                                       std::pair{Chart::Measured, tr("Foreseen beside measured")}})
        m_chart->addItem(title, static_cast<int>(chart));
    nameControl(*m_chart, tr("What the chart shows"));
    connect(m_chart, &QComboBox::currentIndexChanged, this, &ForesightPanel::draw);
    connect(m_export, &ExportButton::exportRequested, this, &ForesightPanel::exportRequested);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(makeHardwareField(*hardware, target));
    row->addWidget(m_program);
    row->addWidget(new QLabel(tr("Devices"), header));
    row->addWidget(m_devices);
    row->addWidget(m_price);
    row->addWidget(m_chart);
    row->addStretch(1);
    row->addWidget(m_export);
    return header;
}

QWidget* ForesightPanel::makeBody() {
    m_view->setAccessibleName(tr("Chart of the foresight"));
    m_stage->addWidget(m_words);
    m_stage->addWidget(m_view);
    m_table->setModel(m_meshes);
    setUpRowTable(*m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAccessibleName(tr("Foreseen meshes"));
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->resizeColumnsToContents();
    m_table->setColumnHidden(ForeseenMeshModel::Money, true);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        m_use->setEnabled(m_table->currentIndex().isValid());
        const auto chart = static_cast<Chart>(m_chart->currentData().toInt());
        if (chart == Chart::Blocks || chart == Chart::Measured)
            draw();
    });
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex& index) { useMesh(index.row()); });
    m_use->setEnabled(false);
    m_use->setToolTip(tr("Gives this mesh, its attention and its block sizes to the project; can be undone"));
    connect(m_use, &QPushButton::clicked, this, [this] { useMesh(m_table->currentIndex().row()); });
    m_basis->setTextFormat(Qt::PlainText);
    m_basis->setWordWrap(true);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_basis, 1);
    foot->addWidget(m_use);
    auto* below = new QWidget(this);
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_table, 1);
    column->addLayout(foot);
    auto* body = new Splitter(Qt::Vertical, this);
    body->addPart(m_stage, tr("chart", "beside a divider"));
    body->addPart(below, tr("meshes", "beside a divider"));
    body->setStretchFactor(0, 1);
    body->setFirstSizes({foresightChartHeight, foresightTableHeight});
    return body;
}

void ForesightPanel::fillPrograms() {
    m_program->clear();
    const auto& target = m_target.target();
    m_program->setVisible(target != nullptr);
    if (target == nullptr)
        return;
    for (const AcceleratorProgram& program : acceleratorPrograms()) {
        const QString name = QString::fromStdString(std::string(program.name));
        const bool isDefault = program.name == target->hardware->defaultProgram;
        m_program->addItem(isDefault ? tr("%1 (default)", "program").arg(name) : name,
                           isDefault ? QString() : name);
    }
    const QString own = QString::fromStdString(std::string(target->program->name));
    const int isDefault = m_program->findData(QString());
    m_program->setCurrentIndex(std::max(isDefault, m_program->findData(own)));
}

void ForesightPanel::showForecast(const ProjectForecast& forecast) {
    m_forecast = forecast;
    ask();
}

void ForesightPanel::setRuns(std::vector<RunRecord> runs) {
    m_runs = std::move(runs);
    if (static_cast<Chart>(m_chart->currentData().toInt()) == Chart::Measured)
        draw();
}

void ForesightPanel::showChart(Chart chart) {
    m_chart->setCurrentIndex(m_chart->findData(static_cast<int>(chart)));
}

void ForesightPanel::setDevices(const QString& devices) {
    m_devices->setText(devices);
    ask();
}

void ForesightPanel::ask() {
    const std::optional<std::vector<int>> devices = readDeviceNumbers(m_devices->text());
    const auto& target = m_target.target();
    if (target == nullptr || m_forecast.plan == nullptr || !devices) {
        m_asking.forget();
        m_answer.reset();
        m_meshes->setAnswer({});
        return draw();
    }
    m_asking.run(
        [plan = m_forecast.plan, target, numbers = *devices] { return foreseeOn(*plan, target, numbers); },
        [this](ForesightAnswer answer) {
            m_meshes->setAnswer(answer);
            m_answer = std::move(answer);
            m_table->resizeColumnsToContents();
            draw();
            emit answered();
        },
        [this](const Problem& problem) {
            m_answer.reset();
            m_meshes->setAnswer({});
            draw();
            showSentence(wholeText(problem));
        });
}

const ForeseenMesh* ForesightPanel::chosenMesh() const {
    if (m_table->currentIndex().isValid())
        return &m_meshes->mesh(m_table->currentIndex().row());
    const int first = m_meshes->firstRow();
    return first >= 0 ? &m_meshes->mesh(first) : nullptr;
}

void ForesightPanel::showSentence(const QString& sentence) {
    m_sheet = {};
    m_words->setSentence(sentence);
    m_stage->setCurrentWidget(m_words);
    m_view->draw(std::make_unique<QChart>());  // which nothing can be done to
}

void ForesightPanel::draw() {
    m_export->setFormatsEnabled(false);
    m_basis->clear();
    if (!m_answer) {
        const bool badNumbers = !readDeviceNumbers(m_devices->text());
        return showSentence(
            m_target.name().isEmpty()
                ? tr("Choose the hardware above to see which mesh is the fastest there, and how many seconds "
                     "a step takes.")
            : badNumbers ? tr("Write numbers of devices from 1 to 4,096, such as 8, 16.")
            : m_forecast.plan == nullptr
                ? tr("The project cannot be planned: Problems says what keeps it from that.")
                : tr("Reading the profile and the published times…"));
    }
    const auto chart = static_cast<Chart>(m_chart->currentData().toInt());
    QString basis =
        tr("%1, %2: efficiencies from %3. Double click a mesh to use it.", "hardware, program, basis")
            .arg(QString::fromStdString(m_answer->of.hardware->title),
                 QString::fromStdString(std::string(m_answer->of.program->name)),
                 engineText(nameOf(m_answer->devices.front().meshes.basis)));
    if (chart == Chart::Measured && std::ranges::any_of(m_runs, &RunRecord::pasted))
        basis += QLatin1Char(' ') + tr("Pasted blocks name no mesh: select the one they ran on.");
    m_basis->setText(basis);
    const ForeseenMesh* own = m_answer->own ? &*m_answer->own : nullptr;
    try {
        switch (chart) {
            case Chart::BestByContext:
                m_sheet = bestByContextSheet(m_answer->devices, own);
                break;
            case Chart::Splits:
                m_sheet = splitSheet(m_answer->devices, own);
                break;
            case Chart::Blocks:
                if (const ForeseenMesh* mesh = chosenMesh())
                    m_sheet = blockCurveSheet(*mesh);
                break;
            case Chart::Scaling:
                m_sheet = foreseenScalingSheet(m_answer->scaling);
                break;
            case Chart::Measured:
                m_sheet = foreseenBesideMeasuredSheet(besideMeasured(*m_answer, m_runs, chosenMesh()));
                break;
        }
    } catch (const Error&) {
        return showSentence(wholeText(currentProblem()));
    }
    m_sheet.title = m_chart->currentText();
    if (m_sheet.draw == nullptr)
        return showSentence(tr("No legal mesh has so many devices."));
    m_sheet.title = tr("%1, %2", "title of a chart: what it shows, hardware")
                        .arg(m_chart->currentText(), QString::fromStdString(m_answer->of.hardware->title));
    m_view->draw(m_sheet.draw());
    m_stage->setCurrentWidget(m_view);
    m_export->setFormatsEnabled(true);
}

QString ForesightPanel::obstacle() const {
    return m_stage->currentWidget() == m_words ? m_words->sentence() : QString();
}

void ForesightPanel::exportTo(const std::filesystem::path& file) const {
    exportChart(file, m_sheet);
}

void ForesightPanel::useMesh(int row) {
    if (row < 0 || row >= m_meshes->rowCount())
        return;
    const ForeseenMesh& mesh = m_meshes->mesh(row);
    m_document.setTexts(tr("Mesh: %1").arg(QString::fromStdString(mesh.of.mesh.label())),
                        toMeshChanges(mesh));
}

}  // namespace meshreel

#include "moc_foresight_panel.cpp"
