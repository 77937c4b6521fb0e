// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/tune_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "engine/project/project_keys.h"
#include "ui/charts/chart_export.h"
#include "ui/models/project_document.h"
#include "ui/theme/icons.h"
#include "ui/theme/look.h"
#include "ui/tune/tune_form.h"
#include "ui/tune/tune_results.h"
#include "ui/widgets/export_button.h"

namespace meshreel {

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
      m_write(new QPushButton(themedIcon(QStringLiteral("check")), tr("Write to project"), this)),
      m_export(new ExportButton(QStringLiteral("block-sizes"), this)) {
    m_write->setToolTip(tr("Sets the project's block sizes to the fastest; can be undone"));
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
    auto* words = new QLabel(
        tr("Times one block of the transformer with this project's video, mesh and attention."), this);
    words->setWordWrap(true);
    QPalette muted = words->palette();
    muted.setColor(QPalette::WindowText, mutedColor(muted));
    words->setPalette(muted);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_start, 1);
    buttons->addWidget(m_cancel, 1);
    auto* side = new QWidget(this);
    side->setFixedWidth(std::max(sideWidth, m_form->sizeHint().width()));
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(panelMargin);
    column->addWidget(words);
    column->addWidget(m_form);
    column->addLayout(buttons);
    column->addStretch(1);
    return side;
}

void TunePanel::connectTuner() {
    connect(m_start, &QPushButton::clicked, this, &TunePanel::start);
    connect(m_cancel, &QPushButton::clicked, m_tuner, &TileTuner::cancel);
    connect(m_write, &QPushButton::clicked, this, &TunePanel::writeToProject);
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
    connect(m_tuner, &TileTuner::cancelled, this, [this] { m_results->showEnd(tr("Cancelled.")); });
    connect(m_tuner, &TileTuner::failed, this, [this](const Trouble& trouble) {
        m_results->showEnd(trouble.message);
        emit troubled(trouble);
    });
}

void TunePanel::setObstacle(const QString& reason) {
    m_obstacle = reason;
    refresh();
}

void TunePanel::start() {
    if (!m_obstacle.isEmpty())
        return;
    m_result.reset();
    m_results->begin();
    m_tuner->start(m_document.runnableProject(), m_form->options());
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
    exportChart(file, m_results->sheet());
}

void TunePanel::refresh() {
    const bool busy = m_tuner->isBusy();
    m_start->setEnabled(!busy && m_obstacle.isEmpty());
    m_start->setToolTip(m_obstacle);
    m_cancel->setEnabled(busy);
    m_results->setBusy(busy);
    m_write->setEnabled(!busy && m_result && m_result->fastest() != nullptr);
    m_export->setEnabled(m_results->sheet().draw != nullptr);
}

}  // namespace meshreel
