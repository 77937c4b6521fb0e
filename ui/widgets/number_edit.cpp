// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/number_edit.h"

#include <QLineEdit>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>

namespace meshreel {

namespace {

constexpr int realDigits = 6;  ///< significant ones, of a value reached with the arrows
constexpr double exactIntegers = 9007199254740992.0;  ///< 2^53: beyond it a double holds not every integer

/// `value` moved by whole steps; stays where it would leave its 64 bits.
qulonglong moved(qulonglong value, qlonglong by) {
    const qulonglong distance = by < 0 ? 0 - static_cast<qulonglong>(by) : static_cast<qulonglong>(by);
    const qulonglong room = by < 0 ? value : std::numeric_limits<qulonglong>::max() - value;
    if (distance > room)
        return value;
    return by < 0 ? value - distance : value + distance;
}

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
    bool isWhole = false;
    if (const qulonglong whole = value().toULongLong(&isWhole);
        isWhole && m_steps.integer && m_steps.step == 1 && typed >= exactIntegers) {
        setByArrows(QString::number(moved(whole, steps)));
        return;
    }
    // A value between two legal ones goes to the neighbour in the direction asked for.
    const double slots_ = (typed - m_steps.minimum) / m_steps.step;
    const double onGrid = steps > 0 ? std::floor(slots_ + 1e-9) : std::ceil(slots_ - 1e-9);
    const double grid = std::isfinite(slots_) && m_steps.integer && m_steps.step > 1
                            ? m_steps.minimum + (onGrid + steps) * m_steps.step
                            : typed + steps * m_steps.step;
    const double next = std::clamp(grid, m_steps.minimum, m_steps.maximum);
    setByArrows(m_steps.integer ? QString::number(static_cast<qlonglong>(next))
                                : QString::number(next, 'g', realDigits));
}

void NumberEdit::setByArrows(const QString& text) {
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
