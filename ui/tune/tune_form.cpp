// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/tune_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QSpinBox>

#include "ui/models/key_texts.h"

namespace meshreel {

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
    m_form->setRowVisible(m_count, smart);
    m_form->setRowVisible(m_step, !smart);
    m_form->setRowVisible(m_most, !smart);
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

}  // namespace meshreel
