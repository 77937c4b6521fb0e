// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mesh/mesh_panel.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project_keys.h"
#include "ui/mesh/axis_choices.h"
#include "ui/mesh/device_texts.h"
#include "ui/mesh/factoring_model.h"
#include "ui/mesh/host_texts.h"
#include "ui/mesh/mesh_view.h"
#include "ui/models/key_texts.h"
#include "ui/models/project_document.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/widgets/bound_field.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/key_field.h"

namespace meshreel {

namespace {

constexpr int secondsPerStepMilliseconds = 1200;
constexpr int detailLines = 4;
constexpr int leastDetailLines = 2;
constexpr int tableWidth = 330;
constexpr int fieldWidth = 84;
constexpr int modeWidth = 170;

}  // namespace

MeshPanel::MeshPanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_view(new MeshView(this)),
      m_factorings(new FactoringModel(this)),
      m_pages(new QStackedWidget(this)),
      m_empty(makeEmptyState()),
      m_table(new QTableView(this)),
      m_slider(new QSlider(Qt::Horizontal, this)),
      m_play(makeButton("play", tr("Play the steps"))),
      m_title(new QLabel(this)),
      m_sentence(new QLabel(this)),
      m_detail(new QLabel(this)),
      m_order(new QLabel(this)),
      m_hosts(new QLabel(this)) {
    auto* drawing = new QSplitter(Qt::Horizontal, this);
    drawing->addWidget(makeDrawing());
    drawing->addWidget(makeTable());
    drawing->setStretchFactor(0, 1);
    drawing->setSizes({2 * tableWidth, tableWidth});
    drawing->setChildrenCollapsible(false);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(drawing);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->setSpacing(spacing);
    layout->addWidget(makeFields());
    m_hosts->setWordWrap(true);
    m_hosts->setTextFormat(Qt::PlainText);
    m_hosts->setAccessibleName(tr("Hosts and ranks"));
    m_hosts->hide();
    layout->addWidget(m_hosts);
    layout->addWidget(m_pages, 1);

    m_clock.setInterval(secondsPerStepMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, [this] { goToStep((m_slider->value() + 1) % stepCount()); });
    connect(m_view, &MeshView::deviceChosen, this, &MeshPanel::showDetail);
    connect(m_view, &MeshView::extentChosen, this, [this](const AxisChoice& choice) {
        m_document.setTexts(tr("Mesh: %1").arg(meshText(choice.layout.shape())), choice.changes);
    });
}

/// The axes between hosts stand below those inside one.
QWidget* MeshPanel::makeFields() {
    auto* fields = new QWidget(this);
    auto* grid = new QGridLayout(fields);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(spacing);
    grid->setVerticalSpacing(tightSpacing);
    const auto add = [&](std::string_view name, const QString& title, int row, int column, int columns = 1) {
        auto* field = new BoundField(m_document, *findProjectKey(name), title, fields);
        field->setFixedWidth(columns > 1 ? modeWidth + spacing + fieldWidth
                                         : (column == 0 ? modeWidth : fieldWidth));
        grid->addWidget(field, row, column, 1, columns);
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
    add("ulysses_shards", tr("Ulysses"), 0, column);
    grid->setColumnStretch(column + 1, 1);
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
    detail->setWidgetResizable(true);
    detail->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    detail->setMinimumHeight(leastDetailLines * line);  // on low screens the rest is scrolled to
    detail->setMaximumHeight(detailLines * line);
    detail->setWidget(m_detail);
    auto* column = new QVBoxLayout(drawing);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_view, 1);
    column->addWidget(makeTransport());
    column->addWidget(detail);
    return drawing;
}

QWidget* MeshPanel::makeTransport() {
    auto* transport = new QWidget(this);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_sentence->setWordWrap(true);
    m_play->setCheckable(true);
    m_slider->setAccessibleName(tr("Step of the attention"));
    m_slider->setPageStep(1);
    QToolButton* back = makeButton("step-back", tr("Step before"));
    QToolButton* forward = makeButton("step-forward", tr("Next step"));
    connect(back, &QToolButton::clicked, this, [this] { goToStep(m_slider->value() - 1); });
    connect(forward, &QToolButton::clicked, this, [this] { goToStep(m_slider->value() + 1); });
    connect(m_play, &QToolButton::toggled, this, &MeshPanel::play);
    connect(m_slider, &QSlider::valueChanged, this, &MeshPanel::showStep);

    auto* steps = new QWidget(transport);
    steps->setLayoutDirection(Qt::LeftToRight);  // time runs to the right, whatever the language
    auto* row = new QHBoxLayout(steps);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    for (QWidget* widget : std::initializer_list<QWidget*>{back, m_play, forward})
        row->addWidget(widget);
    row->addWidget(m_slider, 1);
    row->addWidget(m_title, 1);
    auto* column = new QVBoxLayout(transport);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(steps);
    column->addWidget(m_sentence);
    return transport;
}

QWidget* MeshPanel::makeTable() {
    m_table->setModel(m_factorings);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + spacing);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setWordWrap(false);
    m_table->setAccessibleName(tr("Legal meshes"));
    auto* use = new QPushButton(themedIcon(QStringLiteral("check")), tr("Use this mesh"), this);
    use->setEnabled(false);
    const auto chosen = [this]() -> const Factoring* {
        const QModelIndex index = m_table->currentIndex();
        return index.isValid() ? &m_factorings->factorings()[static_cast<std::size_t>(index.row())] : nullptr;
    };
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, use,
            [use](const QModelIndex& current) { use->setEnabled(current.isValid()); });
    connect(m_factorings, &QAbstractItemModel::modelReset, use, [use] { use->setEnabled(false); });
    const auto takeChosen = [this, chosen] {
        if (const Factoring* factoring = chosen())
            take(Factoring(*factoring));
    };
    connect(use, &QPushButton::clicked, this, takeChosen);
    connect(m_table, &QTableView::activated, this, takeChosen);

    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(spacing, 0, 0, 0);
    column->setSpacing(tightSpacing);
    m_order->setWordWrap(true);
    column->addWidget(m_order);
    column->addWidget(m_table, 1);
    column->addWidget(use, 0, Qt::AlignTrailing);
    return side;
}

QToolButton* MeshPanel::makeButton(const char* icon, const QString& name) {
    auto* button = new QToolButton(this);
    button->setIcon(themedIcon(QLatin1String(icon)));
    button->setAutoRaise(true);
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

void MeshPanel::showForecast(const ProjectForecast& forecast) {
    showHosts(forecast);
    if (forecast.plan == nullptr)
        return;  // what was legal last stays in sight
    m_empty->setSentence(
        tr("This project runs on one device: several share out the tokens, the heads or the weights, each "
           "with workers of its own."));
    for (QPushButton* button : m_empty->findChildren<QPushButton*>())
        button->show();
    m_picture = meshPictureOf(*forecast.plan, forecast.hosts);
    m_steps = walkAttention(m_picture);
    m_view->setPicture(m_picture);
    m_slider->setRange(0, stepCount() - 1);
    m_pages->setCurrentIndex(m_picture.layout.devices() > 1 ? 1 : 0);
    showStep();
    showDetail();
    ++m_asked;
    listExtents(forecast);
    listFactorings(forecast);
}

void MeshPanel::showHosts(const ProjectForecast& forecast) {
    const auto refused = std::ranges::find_if(forecast.problems, [](const ProjectProblem& problem) {
        return problem.key == "hosts" && problem.severity == Severity::Error;
    });
    const bool isRefused = refused != forecast.problems.end();
    QPalette colors = palette();
    if (isRefused)
        colors.setColor(QPalette::WindowText, errorColor(colors));
    m_hosts->setPalette(colors);
    if (isRefused)
        m_hosts->setText(withHint(sentenceText(refused->message), sentenceText(refused->hint)));
    else if (!forecast.hosts.empty())
        m_hosts->setText(hostsSentence(forecast.hosts, forecast.plan ? forecast.plan->layout.devices() : 0));
    else
        m_hosts->clear();
    m_hosts->setVisible(!m_hosts->text().isEmpty());
}

void MeshPanel::listExtents(const ProjectForecast& forecast) {
    m_background.run([plan = forecast.plan] { return legalExtents(*plan); },
                     [this, number = m_asked](AxisChoices choices) {
                         if (number == m_asked)
                             m_view->setChoices(std::move(choices));
                     },
                     [](const Trouble&) {});
}

void MeshPanel::listFactorings(const ProjectForecast& forecast) {
    m_background.run(
        [plan = forecast.plan, basis = forecast.basis] {
            return legalFactorings(*plan, plan->layout.devices(), basis.get());
        },
        [this, number = m_asked](std::vector<Factoring> factorings) {
            if (number != m_asked)
                return;
            m_factorings->setFactorings(std::move(factorings));
            const bool predicted = m_factorings->hasSeconds();
            m_table->setColumnHidden(FactoringModel::Seconds, !predicted);
            m_order->setText(predicted ? tr("Legal meshes, the fastest first as predicted")
                                       : tr("Legal meshes, the least exchange first"));
            m_table->resizeColumnsToContents();
        },
        [](const Trouble&) {});
}

void MeshPanel::takeDevices(int devices) {
    m_document.setTexts(tr("%1 devices").arg(devices),
                        {{findProjectKey("devices"), QString::number(devices)},
                         {findProjectKey("ici_context_parallelism"), QStringLiteral("-1")}});
}

void MeshPanel::take(const Factoring& factoring) {
    m_document.setTexts(tr("Mesh: %1").arg(meshText(factoring.shape)), factoring.changes);
}

void MeshPanel::goToStep(int step) {
    m_slider->setValue(std::clamp(step, 0, stepCount() - 1));
}

QString MeshPanel::hostsText() const {
    return m_hosts->text();
}

QString MeshPanel::detailText() const {
    return m_detail->text();
}

void MeshPanel::showStep() {
    if (m_steps.empty())
        return;
    const WalkStep& step =
        m_steps[static_cast<std::size_t>(std::clamp(m_slider->value(), 0, stepCount() - 1))];
    m_view->setStep(step);
    m_title->setText(step.title);
    m_sentence->setText(step.sentence);
}

void MeshPanel::showDetail() {
    const int device = m_view->chosenDevice();
    m_detail->setText(device < 0 ? meshSentence(m_picture) : deviceText(m_picture, device));
    m_view->setAccessibleDescription(m_detail->text());
}

void MeshPanel::play(bool playing) {
    m_play->setIcon(themedIcon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    if (playing)
        m_clock.start();
    else
        m_clock.stop();
}

}  // namespace meshreel
