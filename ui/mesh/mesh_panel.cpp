// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_panel.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/problem.h"
#include "engine/mesh/host_file.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/applied_values.h"
#include "engine/planning/forecast.h"
#include "engine/planning/mesh_search.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/target_hardware.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "ui/mesh/attention_walk.h"
#include "ui/mesh/legal_mesh_model.h"
#include "ui/mesh/mesh_picture.h"
#include "ui/mesh/mesh_view.h"
#include "ui/project/plan_watch.h"
#include "ui/project/project_document.h"
#include "ui/project/target_choice.h"
#include "ui/settings/key_field.h"
#include "ui/settings/plan_parts.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/panel_parts.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/splitter.h"

namespace meshreel {

LegalMeshes::LegalMeshes(QWidget* parent)
    : QWidget(parent),
      m_model(new LegalMeshModel(this)),
      m_table(new QTableView(this)),
      m_order(new QLabel(this)),
      m_measure(new QPushButton(tr("Measure to sort by time"), this)) {
    prepareTable();
    m_order->setTextFormat(Qt::PlainText);
    m_order->setWordWrap(true);
    m_measure->setToolTip(tr("Measures this machine for about two minutes; seconds are predicted from that"));
    m_measure->hide();
    connect(m_measure, &QPushButton::clicked, this, &LegalMeshes::measureRequested);
    auto* use = new QPushButton(themedIcon(QStringLiteral("check")), tr("Use this mesh"), this);
    use->setEnabled(false);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, use,
            [use](const QModelIndex& current) { use->setEnabled(current.isValid()); });
    connect(m_model, &QAbstractItemModel::modelReset, use, [use] { use->setEnabled(false); });
    connect(use, &QPushButton::clicked, this, &LegalMeshes::chooseCurrent);
    connect(m_table, &QTableView::activated, this, &LegalMeshes::chooseCurrent);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(spacing, 0, 0, 0);
    column->setSpacing(tightSpacing);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_measure);
    foot->addStretch(1);
    foot->addWidget(use);
    column->addWidget(m_order);
    column->addWidget(m_table, 1);
    column->addLayout(foot);
}

void LegalMeshes::setMeasuring(bool measuring) {
    m_isMeasuring = measuring;
    showMeasure();
}

void LegalMeshes::showMeasure() {
    m_measure->setVisible(m_canMeasure);
    m_measure->setEnabled(!m_isMeasuring);
}

QString LegalMeshes::orderText() const {
    return m_order->text();
}

void LegalMeshes::prepareTable() {
    m_table->setModel(m_model);
    setUpRowTable(*m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    new FillingColumn(*m_table->horizontalHeader(), LegalMeshModel::Attention, leastAttention());
    m_table->setAccessibleName(tr("Valid meshes"));
    showHostColumns(false);
}

void LegalMeshes::list(const ProjectForecast& forecast) {
    const QString hardware =
        forecast.target == nullptr ? QString() : QString::fromStdString(forecast.target->hardware->title);
    m_listing.run(
        [plan = forecast.plan, hostRanks = ranksByHost(forecast.hosts), basis = forecast.basis,
         target = forecast.target] {
            return target == nullptr ? rankedMeshes(*plan, hostRanks, basis.get())
                                     : rankedMeshesOn(*target, *plan);
        },
        [this, hardware](std::vector<LegalMesh> meshes) { setMeshes(std::move(meshes), hardware); },
        [](const Problem&) {});
}

void LegalMeshes::setMeshes(std::vector<LegalMesh> meshes, const QString& hardware) {
    m_model->setMeshes(std::move(meshes));
    const bool predicted = m_model->hasSeconds();
    // Several machines are not predicted, however often one is measured.
    m_canMeasure = !predicted && !m_model->hasHosts() && hardware.isEmpty();
    showMeasure();
    m_table->setColumnHidden(LegalMeshModel::Seconds, !predicted);
    showHostColumns(m_model->hasHosts());
    QHeaderView& header = *m_table->horizontalHeader();
    const int ranking = LegalMeshModel::Seconds;  // the place beside the meshes
    header.moveSection(header.visualIndex(LegalMeshModel::Exchange),
                       predicted ? LegalMeshModel::Exchange : ranking);
    m_order->setText(!predicted           ? tr("Valid meshes, least traffic first")
                     : hardware.isEmpty() ? tr("Valid meshes, fastest first as predicted")
                                          : tr("Valid meshes, fastest first on %1").arg(hardware));
    m_table->resizeColumnsToContents();
    m_width = widthOfColumns();
    updateGeometry();
}

void LegalMeshes::showHostColumns(bool shown) {
    m_table->setColumnHidden(LegalMeshModel::HostExchange, !shown);
    m_table->setColumnHidden(LegalMeshModel::HostAxes, !shown);
}

/// Distinguishes rows of the same mesh.
int LegalMeshes::leastAttention() const {
    return m_table->fontMetrics().horizontalAdvance(QStringLiteral("ulysses_ring U8 × R16")) + spacing;
}

int LegalMeshes::widthOfColumns() const {
    const QAbstractItemView& items = *m_table;
    int width = m_table->verticalScrollBar()->sizeHint().width() + 2 * m_table->frameWidth();
    for (int column = 0; column < LegalMeshModel::ColumnCount; ++column)
        if (!m_table->isColumnHidden(column))
            width += std::max({items.sizeHintForColumn(column),
                               m_table->horizontalHeader()->sectionSizeHint(column),
                               column == LegalMeshModel::Attention ? leastAttention() : 0});
    const QMargins margins = layout()->contentsMargins();
    return width + margins.left() + margins.right();
}

QSize LegalMeshes::sizeHint() const {
    const QSize usual = QWidget::sizeHint();
    return {std::max(usual.width(), m_width), usual.height()};
}

void LegalMeshes::chooseCurrent() {
    const QModelIndex index = m_table->currentIndex();
    if (!index.isValid())
        return;
    const LegalMesh mesh = m_model->meshes()[static_cast<std::size_t>(index.row())];
    emit chosen(mesh);
}

namespace {

constexpr int detailLines = 4;
constexpr int leastDetailLines = 2;
constexpr int leastDrawingWidth = 350;
constexpr int fieldWidth = 84;
constexpr int groupsWidth = 112;  ///< of Ulysses: it may say "automatic", in any language
constexpr int modeWidth = 230;
constexpr double smallTitles = 0.9;  ///< equal to those of BoundField

QFont smallFont(QFont font) {
    font.setPointSizeF(font.pointSizeF() * smallTitles);
    return font;
}

}  // namespace

MeshPanel::MeshPanel(ProjectDocument& document, TargetChoice& target, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_view(new MeshView(this)),
      m_transport(new WalkTransport(this)),
      m_legal(new LegalMeshes(this)),
      m_pages(new QStackedWidget(this)),
      m_split(new SideSplitter(leastDrawingWidth, this)),
      m_empty(makeEmptyState()),
      m_ring(new QLabel(this)),
      m_detail(new QLabel(this)),
      m_hosts(new QLabel(this)) {
    m_split->addPart(makeDrawing(), tr("drawing", "beside a divider"));
    m_split->addPart(m_legal, tr("valid meshes", "beside a divider"));
    m_split->setStretchFactor(0, 1);
    m_lastPlan = new LastPlanMark({m_split->widget(0), m_legal}, this);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_split);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(spacing);
    layout->addWidget(makeFields(target));
    m_hosts->setWordWrap(true);
    m_hosts->setTextFormat(Qt::PlainText);
    m_hosts->hide();
    layout->addWidget(m_hosts);
    layout->addWidget(m_lastPlan);
    layout->addWidget(m_pages, 1);

    connect(m_transport, &WalkTransport::stepShown, m_view, &MeshView::setStep);
    connect(m_view, &MeshView::deviceChosen, this, &MeshPanel::showDetail);
    connect(m_view, &MeshView::extentChosen, this, [this](const AxisChoice& choice) {
        m_document.setTexts(tr("Mesh: %1").arg(meshText(choice.layout.shape())), choice.changes);
    });
    connect(m_legal, &LegalMeshes::chosen, this, [this](const LegalMesh& mesh) {
        m_document.setTexts(tr("Mesh: %1").arg(layoutText(mesh.layout)), mesh.changes);
    });
}

/// The axes between hosts stand below those inside one.
QWidget* MeshPanel::makeFields(TargetChoice& target) {
    auto* fields = new QWidget(this);
    auto* grid = new QGridLayout(fields);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(spacing);
    grid->setVerticalSpacing(tightSpacing);
    const auto add = [&](std::string_view name, const QString& title, int row, int column, int columns = 1,
                         int width = fieldWidth) {
        auto* field = new BoundField(m_document, *findProjectKey(name), title, fields);
        field->setFixedWidth(columns > 1 ? modeWidth + spacing + fieldWidth
                                         : (column == 0 ? modeWidth : width));
        grid->addWidget(field, row, column, 1, columns);
        m_fields.emplace_back(findProjectKey(name), field);
    };
    const auto addBeside = [&](QWidget* widget, const QString& title, int row, int column, int columns) {
        auto* titled = new QWidget(fields);
        auto* rows = new QVBoxLayout(titled);
        rows->setContentsMargins(0, 0, 0, 0);
        rows->setSpacing(0);
        auto* label = new QLabel(title, titled);
        label->setFont(smallFont(label->font()));
        label->setBuddy(widget->focusProxy() != nullptr ? widget->focusProxy() : widget);
        rows->addWidget(label);
        rows->addWidget(widget, 1);
        grid->addWidget(titled, row, column, 1, columns);
    };
    add("attention", tr("Attention"), 0, 0);
    add("devices", tr("Devices"), 0, 1);
    add("hosts", tr("Hosts file"), 1, 0, 2);
    const QStringList titles{tr("Data"), tr("FSDP"), tr("Context"), tr("Tensor")};
    int column = 2;
    for (std::size_t i = 0; i < meshAxes.size(); ++i, ++column) {
        add(axisKey(MeshLevel::Ici, meshAxes.at(i)), titles[static_cast<int>(i)], 0, column);
        add(axisKey(MeshLevel::Dcn, meshAxes.at(i)), tr("× hosts", "factor of an axis"), 1, column);
    }
    add("ulysses_shards", tr("Ulysses"), 0, column, 1, groupsWidth);
    m_ring->setObjectName(QStringLiteral("ring"));
    m_ring->setAlignment(Qt::AlignVCenter | Qt::AlignLeading);
    m_ring->setToolTip(
        tr("R: Ulysses groups on the context axis, between which keys and values rotate or "
           "are gathered. It is what Ulysses leaves of the context axis: R × U = C."));
    addBeside(m_ring, tr("Ring"), 0, column + 1, 1);
    auto* chooser = new HardwareChooser(target, fields);
    chooser->setMinimumWidth(fieldWidth);  // in a narrow panel its tool tip and list show the rest
    chooser->setMaximumWidth(chooser->sizeHint().width());
    addBeside(makeHardwareField(*chooser, target), tr("Plan for"), 1, column, 3);
    grid->setColumnStretch(column + 2, 1);
    return fields;
}

EmptyState* MeshPanel::makeEmptyState() {
    auto* page = new EmptyState(
        tr("The devices are drawn here as soon as the project can be planned: Problems says what keeps it "
           "from that."),
        this);
    for (const int devices : {2, 4, 8}) {
        QPushButton* button = page->addButton({}, tr("%1 devices").arg(devices));
        button->hide();
        connect(button, &QPushButton::clicked, this, [this, devices] { takeDevices(devices); });
    }
    return page;
}

QWidget* MeshPanel::makeDrawing() {
    auto* drawing = new QWidget(this);
    m_detail->setWordWrap(true);
    m_detail->setTextFormat(Qt::PlainText);
    m_detail->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    const int line = m_detail->fontMetrics().lineSpacing();
    auto* detail = new QScrollArea(drawing);
    detail->setFrameShape(QFrame::NoFrame);
    detail->setAccessibleName(tr("The mesh in words"));
    detail->setWidgetResizable(true);
    detail->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    detail->setMinimumHeight(leastDetailLines * line);  // on low screens the rest is scrolled to
    detail->setMaximumHeight(detailLines * line);
    detail->setWidget(m_detail);
    auto* column = new QVBoxLayout(drawing);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_view, 1);
    column->addWidget(m_transport);
    column->addWidget(detail);
    return drawing;
}

void MeshPanel::showEffective(const ProjectForecast& forecast) {
    const RunPlan* plan = forecast.plan.get();
    const std::optional<Project> applied =
        plan == nullptr ? std::nullopt : std::optional(appliedProject(*plan));
    for (const auto& [key, field] : m_fields)
        field->showApplied(applied ? &*applied : nullptr);
    m_ring->setText(plan == nullptr ? QStringLiteral("–")
                                    : QLocale().toString(plan->attentions.self.split.ring));
}

void MeshPanel::showForecast(const ProjectForecast& forecast) {
    showHosts(forecast);
    showEffective(forecast);
    const bool draws = m_pages->currentWidget() == m_split;
    m_lastPlan->setMarked(forecast.plan == nullptr && forecast.hadPlan && draws);
    if (forecast.plan != nullptr)
        showDevices(forecast);
    else if (!m_lastPlan->isMarked())
        showSentence(whyNoPlan(forecast), false);
}

void MeshPanel::showDevices(const ProjectForecast& forecast) {
    m_picture = makeMeshPicture(*forecast.plan, forecast.hosts);
    m_view->setPicture(m_picture);
    m_transport->setSteps(walkAttention(m_picture));
    if (m_picture.layout.devices() > 1)
        m_pages->setCurrentWidget(m_split);
    else
        showSentence(tr("This project uses one device. Add devices to split tokens, heads or weights."),
                     true);
    showDetail();
    listExtents(forecast);
    m_legal->list(forecast);
}

void MeshPanel::showSentence(const QString& sentence, bool offersDevices) {
    m_empty->setSentence(sentence);
    for (QPushButton* button : m_empty->findChildren<QPushButton*>())
        button->setVisible(offersDevices);
    m_pages->setCurrentWidget(m_empty);
}

void MeshPanel::showHosts(const ProjectForecast& forecast) {
    const auto refused = std::ranges::find_if(forecast.problems, [](const Problem& problem) {
        return problem.key == "hosts" && problem.severity == Severity::Error;
    });
    const bool isRefused = refused != forecast.problems.end();
    keepInk(*m_hosts, isRefused ? errorColor : textColor);
    if (isRefused)
        m_hosts->setText(withHint(sentenceText(refused->message), sentenceText(refused->hint())));
    else if (!forecast.hosts.empty())
        m_hosts->setText(hostsSentence(forecast.hosts, forecast.plan ? forecast.plan->layout.devices() : 0));
    else
        m_hosts->clear();
    m_hosts->setVisible(!m_hosts->text().isEmpty());
}

void MeshPanel::listExtents(const ProjectForecast& forecast) {
    m_extents.run([plan = forecast.plan] { return legalExtents(*plan); },
                  [this](AxisChoices choices) { m_view->setChoices(std::move(choices)); },
                  [](const Problem&) {});
}

void MeshPanel::takeDevices(int devices) {
    m_document.setTexts(tr("%1 devices").arg(devices),
                        {{findProjectKey("devices"), QString::number(devices)},
                         {findProjectKey("ici_context_parallelism"), QStringLiteral("-1")}});
}

LegalMeshModel& MeshPanel::legalMeshes() const {
    return m_legal->model();
}

int MeshPanel::stepCount() const {
    return m_transport->stepCount();
}

void MeshPanel::goToStep(int step) {
    m_transport->goToStep(step);
}

QString MeshPanel::hostsText() const {
    return m_hosts->text();
}

QString MeshPanel::emptyText() const {
    return m_pages->currentWidget() == m_empty ? m_empty->sentence() : QString();
}

QString MeshPanel::detailText() const {
    return m_detail->text();
}

void MeshPanel::showDetail() {
    const int device = m_view->chosenDevice();
    m_detail->setText(device < 0 ? meshSentence(m_picture) : deviceText(m_picture, device));
    m_view->setAccessibleDescription(m_detail->text());
}

}  // namespace meshreel

#include "moc_mesh_panel.cpp"
