// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/number_edit.h"

#include <QLineEdit>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace meshreel {

namespace {

constexpr int realDigits = 6;  ///< significant ones, of a value reached with the arrows

}  // namespace

NumberEdit::NumberEdit(const Steps& steps, QWidget* parent) : QAbstractSpinBox(parent), m_steps(steps) {
    // The wheel belongs to the scrolling form unless the field was chosen.
    setFocusPolicy(Qt::StrongFocus);
    connect(lineEdit(), &QLineEdit::textEdited, this, &NumberEdit::edited);
}

QString NumberEdit::value() const {
    return lineEdit()->text();
}

void NumberEdit::setValue(const QString& text) {
    if (text != value())
        lineEdit()->setText(text);
}

void NumberEdit::stepBy(int steps) {
    bool readable = false;
    const double typed = value().toDouble(&readable);
    if (!readable)
        return;
    // A value between two legal ones goes to the neighbour in the direction asked for.
    const double slots_ = (typed - m_steps.minimum) / m_steps.step;
    const double onGrid = steps > 0 ? std::floor(slots_ + 1e-9) : std::ceil(slots_ - 1e-9);
    const double grid = std::isfinite(slots_) && m_steps.integer && m_steps.step > 1
                            ? m_steps.minimum + (onGrid + steps) * m_steps.step
                            : typed + steps * m_steps.step;
    const double next = std::clamp(grid, m_steps.minimum, m_steps.maximum);
    const QString text = m_steps.integer ? QString::number(static_cast<qlonglong>(next))
                                         : QString::number(next, 'g', realDigits);
    lineEdit()->setText(text);
    emit edited(text);
}

QValidator::State NumberEdit::validate(QString& /*input*/, int& /*position*/) const {
    return QValidator::Acceptable;
}

void NumberEdit::fixup(QString& /*input*/) const {}

QAbstractSpinBox::StepEnabled NumberEdit::stepEnabled() const {
    return StepUpEnabled | StepDownEnabled;
}

void NumberEdit::wheelEvent(QWheelEvent* event) {
    if (hasFocus())
        QAbstractSpinBox::wheelEvent(event);
    else
        event->ignore();
}

}  // namespace meshreel
