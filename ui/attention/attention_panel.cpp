// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attention/attention_panel.h"

#include <QAction>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <optional>

#include "engine/attention/attention_mode.h"
#include "engine/attention/context_split.h"
#include "engine/base/units.h"
#include "engine/foresight/mesh_foresight.h"
#include "engine/planning/applied_values.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/target_hardware.h"
#include "engine/project/block_presets.h"
#include "engine/project/block_size_rows.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_settings.h"
#include "ui/attention/attention_mode_model.h"
#include "ui/attention/tile_view.h"
#include "ui/charts/chart_style.h"
#include "ui/project/project_document.h"
#include "ui/settings/key_field.h"
#include "ui/settings/plan_parts.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/splitter.h"

namespace meshreel {

namespace {

constexpr int fieldsWidth = 430;
constexpr int modesHeight = 140;  ///< with little room; any more goes to both halves
constexpr int blocksHeight = 200;
constexpr int blockColumns = 3;

QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

/// Where the preset was published, and its sizes that are not automatic.
QString presetText(const BlockPreset& preset) {
    if (preset.source.empty())
        return AttentionPanel::tr("All sizes 0: the kernel then takes what suits this processor");
    QStringList words;
    for (const BlockSizeRow& row : blockSizeRows())
        if (const std::int64_t size = preset.sizes.*row.member; size != FlashBlockSizes().*row.member)
            words += QStringLiteral("%1 %2").arg(QLatin1String(row.name().data(), row.name().size()),
                                                 QString::number(size));
    return QStringLiteral("<p>%1</p><p>%2</p>")
        .arg(engineText(preset.source), words.join(QStringLiteral(", ")));
}

QString scratchSentence(const TilePlan& tiles) {
    if (tiles.scratchBytes == 0)
        return {};
    const QString bytes = QLocale().formattedDataSize(tiles.scratchBytes, 1);
    const QString share = QLocale().toString(percent * tiles.scratchShare().value_or(0), 'f', 0);
    if (tiles.hasScratchLimit())
        return AttentionPanel::tr("Scratch of a worker: %1, %2 % of the limit.").arg(bytes, share);
    return AttentionPanel::
        tr("Scratch of a worker: %1, %2 % of the %3 that it has in this machine's caches; no limit is set.")
            .arg(bytes, share, QLocale().formattedDataSize(tiles.cacheBytes, 1));
}

}  // namespace

QString tileSentences(const TilePlan& tiles) {
    if (!tiles.isTiled())
        return AttentionPanel::tr("dot_product computes all %1 scores of a query at once, without tiles.")
            .arg(number(tiles.keys));
    QStringList sentences{
        AttentionPanel::tr("%1 × %2 tiles of %3 queries × %4 keys, in products of %5 keys.")
            .arg(number(tiles.rows()), number(tiles.columns()), number(tiles.blocks.blockQ),
                 number(tiles.blocks.blockKv), number(tiles.blocks.blockKvCompute)),
        AttentionPanel::tr(
            "%1 % of the tiles lie outside the matrix: computed where blocks are padded, as on "
            "accelerators, and cut off here.")
            .arg(QLocale().toString(percent * tiles.padding(), 'f', 1)),
        scratchSentence(tiles)};
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char('\n'));
}

AttentionPanel::AttentionPanel(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_modes(new AttentionModeModel(this)),
      m_table(new QTableView(this)),
      m_tiles(new TileView(this)),
      m_letters(new QLabel(this)),
      m_facts(new QLabel(this)),
      m_foreseen(new QAction(this)),
      m_presets(new QMenu(this)),
      m_lastPlan(new LastPlanMark({m_table, m_tiles, m_letters, m_facts}, this)) {
    auto* splitter = new Splitter(Qt::Vertical, this);
    splitter->addPart(makeModes(), tr("modes", "beside a divider"));
    splitter->addPart(makeBlocks(), tr("block sizes", "beside a divider"));
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    splitter->setFirstSizes({modesHeight, blocksHeight});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    layout->addWidget(m_lastPlan);
    layout->addWidget(splitter, 1);
    connect(&m_document, &ProjectDocument::changed, this, &AttentionPanel::showPresets);
    showPresets();
}

QWidget* AttentionPanel::makeModes() {
    m_table->setModel(m_modes);
    setUpRowTable(*m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    new FillingColumn(*m_table->horizontalHeader(), AttentionModeModel::Holds);
    m_table->setAccessibleName(tr("Attention modes"));
    m_table->setToolTip(tr("Double click or press Enter to use a mode"));
    connect(m_table, &QTableView::activated, this, &AttentionPanel::takeMode);
    m_letters->setWordWrap(true);
    m_letters->setTextFormat(Qt::PlainText);
    m_letters->setToolTip(tr("The letters in “A device holds”: R × U = C"));
    auto* modes = new QWidget(this);
    auto* column = new QVBoxLayout(modes);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_table, 1);
    column->addWidget(m_letters);
    return modes;
}

QWidget* AttentionPanel::makeBlockFields() {
    auto* fields = new QWidget(this);
    auto* grid = new QGridLayout;
    grid->setSpacing(spacing);
    int index = 0;
    for (const BlockSizeRow& row : blockSizeRows()) {
        const ProjectKey& key = *findProjectKey(row.key);
        m_fields.push_back(new BoundField(m_document, key, engineText(key.title), fields));
        grid->addWidget(m_fields.back(), index / blockColumns, index % blockColumns);
        ++index;
    }
    fields->setFixedWidth(fieldsWidth);
    auto* column = new QVBoxLayout(fields);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    column->addLayout(grid);
    column->addWidget(makeBlockButtons());
    column->addStretch(1);
    return fields;
}

/// The sentences stand below everything, where their lines are few.
QWidget* AttentionPanel::makeBlocks() {
    m_facts->setTextFormat(Qt::PlainText);
    m_facts->setWordWrap(true);
    m_facts->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* blocks = new QWidget(this);
    auto* row = new QHBoxLayout;
    row->setSpacing(2 * panelMargin);
    row->addWidget(makeBlockFields());
    row->addWidget(m_tiles, 1);
    auto* column = new QVBoxLayout(blocks);
    column->setContentsMargins(0, spacing, 0, 0);
    column->setSpacing(spacing);
    column->addLayout(row, 1);
    column->addWidget(m_facts);
    auto* scroll = new QScrollArea(this);  // sentences grow with their numbers and language
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setAccessibleName(tr("Block sizes and tiles"));
    scroll->setWidget(blocks);
    return scroll;
}

QWidget* AttentionPanel::makeBlockButtons() {
    fillPresets();
    auto* buttons = new QWidget(this);
    auto* presets = new QPushButton(themedIcon(QStringLiteral("grid")), tr("Presets"), buttons);
    presets->setMenu(m_presets);
    presets->setToolTip(
        tr("Block sizes to start from: this machine's, and those published for accelerators"));
    auto* tune = new QPushButton(themedIcon(QStringLiteral("search")), tr("Tune on this machine…"), buttons);
    tune->setToolTip(tr("Opens Tune, which searches the sizes that are fastest here"));
    connect(tune, &QPushButton::clicked, this, &AttentionPanel::tuneRequested);
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(presets);
    row->addWidget(tune);
    row->addStretch(1);
    return buttons;
}

void AttentionPanel::fillPresets() {
    m_presets->setToolTipsVisible(true);
    for (const BlockPreset& preset : blockPresets()) {
        QAction* action =
            m_presets->addAction(engineText(preset.name), this, [this, &preset] { takePreset(preset); });
        action->setCheckable(true);
        if (preset.source.empty())
            m_presets->addSeparator();
    }
    m_foreseen->setVisible(false);
    m_presets->addSeparator();
    m_presets->addAction(m_foreseen);
}

/// Those that suit the mode can be chosen; the one with the project's sizes is checked.
void AttentionPanel::showPresets() {
    const AttentionMode* mode = findAttentionMode(m_document.project().attention);
    if (mode == nullptr)
        return;
    const FlashBlockSizes now = attentionSettings(m_document.project()).blocks;
    QList<QAction*> actions = m_presets->actions();
    actions.removeIf([this](const QAction* action) { return action->isSeparator() || action == m_foreseen; });
    for (qsizetype i = 0; i < actions.size(); ++i) {
        const BlockPreset& preset = blockPresets()[static_cast<std::size_t>(i)];
        const bool suits = preset.suits(*mode);
        actions[i]->setEnabled(suits);
        actions[i]->setChecked(suits && preset.sizes == now);
        actions[i]->setToolTip(suits ? presetText(preset) : engineText(preset.otherwise));
    }
}

void AttentionPanel::showForecast(const ProjectForecast& forecast) {
    m_lastPlan->setMarked(forecast.plan == nullptr && forecast.hadPlan);
    showEffective(forecast);
    showForeseen(forecast);
    if (forecast.plan != nullptr) {
        m_modes->setPlan(*forecast.plan);
        m_table->resizeColumnsToContents();
        showTiles(makeTilePlan(*forecast.plan));
    } else if (!forecast.hadPlan) {
        showNothing(whyNoPlan(forecast));
    }
    showMode(forecast.plan != nullptr ? forecast.plan->attention.mode
                                      : findAttentionMode(m_document.project().attention));
}

void AttentionPanel::showEffective(const ProjectForecast& forecast) {
    const RunPlan* plan = forecast.plan.get();
    const std::optional<Project> applied =
        plan == nullptr ? std::nullopt : std::optional(appliedProject(*plan));
    for (BoundField* field : m_fields)
        field->showApplied(applied ? &*applied : nullptr);
    if (plan == nullptr)
        return;
    const ContextSplit& split = plan->attentions.self.split;
    m_letters->setText(
        tr("C = %1 devices of the context axis · U = %2 in a Ulysses group · R = %3 such groups")
            .arg(number(split.devices()), number(split.ulysses), number(split.ring)));
}

void AttentionPanel::showForeseen(const ProjectForecast& forecast) {
    m_foreseen->setVisible(forecast.outlook != nullptr && !forecast.outlook->own.blocks.empty());
    if (!m_foreseen->isVisible())
        return;
    const ForeseenMesh& own = forecast.outlook->own;
    const auto best = std::ranges::min_element(own.blocks, {}, &ForeseenBlocks::stepSeconds);
    const QString name = tr("Fastest on %1: %2 × %3", "hardware, queries, keys")
                             .arg(QString::fromStdString(own.of.hardware->title), number(best->blocks.q),
                                  number(best->blocks.kv));
    FlashBlockSizes sizes;
    sizes.blockQ = best->blocks.q;
    sizes.blockKv = sizes.blockKvCompute = best->blocks.kv;
    m_foreseen->setText(name);
    m_foreseen->setToolTip(tr("Foreseen, not measured: %1 s a step").arg(threeDigits(best->stepSeconds)));
    m_foreseen->disconnect(this);
    connect(m_foreseen, &QAction::triggered, this, [this, name, sizes] { takeSizes(name, sizes); });
}

QString AttentionPanel::lettersText() const {
    return m_letters->text();
}

/// Moves the cursor if the mode has changed.
void AttentionPanel::showMode(const AttentionMode* mode) {
    m_modes->setCurrent(mode);
    const QModelIndex row = mode == nullptr ? QModelIndex() : m_modes->indexOf(mode);
    if (row.row() != m_table->currentIndex().row())
        m_table->setCurrentIndex(row);
}

QString AttentionPanel::tileText() const {
    return m_facts->text();
}

void AttentionPanel::takeMode(const QModelIndex& mode) {
    const AttentionMode& chosen = AttentionModeModel::mode(mode);
    if (chosen.runs())
        m_document.setText(*findProjectKey("attention"), QString::fromStdString(std::string(chosen.name)));
}

void AttentionPanel::takePreset(const BlockPreset& preset) {
    takeSizes(engineText(preset.name), preset.sizes);
}

void AttentionPanel::takeSizes(const QString& name, const FlashBlockSizes& sizes) {
    std::vector<KeyText> texts;
    for (const BlockSizeRow& row : blockSizeRows())
        texts.push_back({findProjectKey(row.key), QString::number(sizes.*row.member)});
    m_document.setTexts(tr("Block sizes: %1", "name of a preset").arg(name), texts);
    showPresets();  // the click has moved a check mark
}

void AttentionPanel::showNothing(const QString& reason) {
    m_modes->forgetPlan();
    m_tiles->clear();
    m_facts->setText(reason);
    m_tiles->setAccessibleDescription(reason);
}

void AttentionPanel::showTiles(const TilePlan& tiles) {
    m_tiles->setPlan(tiles);
    const QString text = tileSentences(tiles);
    m_facts->setText(text);
    m_tiles->setAccessibleDescription(text);
}

}  // namespace meshreel

#include "moc_attention_panel.cpp"
