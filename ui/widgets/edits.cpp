// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edits.h"

#include <QDragEnterEvent>
#include <QLineEdit>
#include <QLocale>
#include <QMimeData>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QTextCursor>
#include <QUrl>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/paths.h"

namespace meshreel {

namespace {

constexpr int realDigits = 6;  ///< significant ones, of a value reached with the arrows
constexpr double exactIntegers = 9007199254740992.0;  ///< 2^53: beyond it a double holds not every integer

/// Returns `value` moved by whole steps; unchanged if it would leave its 64 bits.
qulonglong moved(qulonglong value, qlonglong by) {
    const qulonglong distance = by < 0 ? 0 - static_cast<qulonglong>(by) : static_cast<qulonglong>(by);
    const qulonglong room = by < 0 ? value : std::numeric_limits<qulonglong>::max() - value;
    if (distance > room)
        return value;
    return by < 0 ? value - distance : value + distance;
}

bool isNumber(const QString& text) {
    bool readable = false;
    text.toDouble(&readable);
    return readable;
}

/// Texts of one number say the same: "0" and "0.0".
bool saysSame(const QString& text, const QString& other) {
    return text == other || (isNumber(text) && isNumber(other) && text.toDouble() == other.toDouble());
}

/// A number that files spell with a point has the locale's, as everything beside it; other texts are as they
/// are.
QString shownNumber(const QString& spelled, bool integer) {
    return !integer && isNumber(spelled)
               ? QString(spelled).replace(QLatin1String("."), QLocale().decimalPoint())
               : spelled;
}

}  // namespace

NumberEdit::NumberEdit(const Steps& steps, QWidget* parent) : QAbstractSpinBox(parent), m_steps(steps) {
    // The wheel belongs to the scrolling form unless the field was chosen.
    setFocusPolicy(Qt::StrongFocus);
    connect(lineEdit(), &QLineEdit::textEdited, this, [this] {
        m_showsWords = false;  // whatever had the focus: this was typed
        emit edited(value());
    });
}

QString NumberEdit::value() const {
    if (m_showsWords)
        return m_standsFor;
    const QString shown = lineEdit()->text();
    const QString spelled = QString(shown).replace(QLocale().decimalPoint(), QStringLiteral("."));
    return !m_steps.integer && isNumber(spelled) ? spelled : shown;
}

void NumberEdit::setValue(const QString& text) {
    // Keeps "4" while the user is about to type "4.5", though files spell it "4.0".
    const QString now = value();
    const bool isTyped = hasFocus() && isNumber(text) && isNumber(now) && text.toDouble() == now.toDouble();
    if (text != now && !isTyped)
        showValue(text);
}

void NumberEdit::setStandIn(const QString& value, const QString& words) {
    const QString now = this->value();
    m_standsFor = value;
    m_words = words;
    showValue(now);
}

QString NumberEdit::shownText() const {
    return lineEdit()->text();
}

void NumberEdit::showValue(const QString& value) {
    m_showsWords = !m_words.isEmpty() && saysSame(value, m_standsFor) && !hasFocus();
    const QString text = m_showsWords ? m_words : shownNumber(value, m_steps.integer);
    if (text != lineEdit()->text())
        lineEdit()->setText(text);
}

void NumberEdit::focusInEvent(QFocusEvent* event) {
    QAbstractSpinBox::focusInEvent(event);
    if (m_showsWords) {
        showValue(value());
        selectAll();
    }
}

void NumberEdit::focusOutEvent(QFocusEvent* event) {
    QAbstractSpinBox::focusOutEvent(event);
    showValue(value());
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
    showValue(text);
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

namespace {

constexpr QLatin1String separator(", ");

}  // namespace

QStringList draggedPaths(const QMimeData* data) {
    QStringList paths;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile())
            paths += url.toLocalFile();
    return paths;
}

QString shownPath(const QString& path) {
    return QString::fromStdString(withTilde(path.toStdString()));
}

PathEdit::PathEdit(Count count, QWidget* parent) : QLineEdit(parent), m_count(count) {}

void PathEdit::take(const QStringList& paths) {
    if (paths.isEmpty())
        return;
    QStringList shown;
    if (m_count == Count::Several && !text().trimmed().isEmpty())
        shown += text().trimmed();
    for (const QString& path : m_count == Count::One ? paths.mid(0, 1) : paths)
        shown += shownPath(path);
    setText(shown.join(separator));
    emit taken(text());
}

void PathEdit::keyPressEvent(QKeyEvent* event) {
    const QScopedValueRollback typing(m_typing, true);
    QLineEdit::keyPressEvent(event);
}

void PathEdit::inputMethodEvent(QInputMethodEvent* event) {
    const QScopedValueRollback typing(m_typing, true);
    QLineEdit::inputMethodEvent(event);
}

void PathEdit::dragEnterEvent(QDragEnterEvent* event) {
    if (draggedPaths(event->mimeData()).isEmpty())
        QLineEdit::dragEnterEvent(event);
    else
        event->acceptProposedAction();
}

void PathEdit::dragMoveEvent(QDragMoveEvent* event) {
    if (draggedPaths(event->mimeData()).isEmpty())
        QLineEdit::dragMoveEvent(event);
    else
        event->acceptProposedAction();
}

void PathEdit::dropEvent(QDropEvent* event) {
    const QStringList paths = draggedPaths(event->mimeData());
    if (paths.isEmpty()) {
        QLineEdit::dropEvent(event);
        return;
    }
    event->acceptProposedAction();
    take(paths);
}

namespace {

bool holdsFiles(const QDropEvent& event) {
    return !draggedPaths(event.mimeData()).isEmpty();
}

}  // namespace

TextEdit::TextEdit(QWidget* parent) : QPlainTextEdit(parent) {}

void TextEdit::replaceText(const QString& text) {
    const QString now = toPlainText();
    if (now == text)
        return;
    const auto [left, right] = std::mismatch(now.begin(), now.end(), text.begin(), text.end());
    const auto begin = static_cast<int>(left - now.begin());
    const auto [leftEnd, rightEnd] =
        std::mismatch(now.rbegin(), now.rend() - begin, text.rbegin(), text.rend() - begin);
    const auto tail = static_cast<int>(leftEnd - now.rbegin());
    const QSignalBlocker blocker(this);
    QTextCursor cursor(document());
    cursor.setPosition(begin);
    cursor.setPosition(static_cast<int>(now.size()) - tail, QTextCursor::KeepAnchor);
    cursor.insertText(text.mid(begin, text.size() - tail - begin));
}

void TextEdit::dragEnterEvent(QDragEnterEvent* event) {
    if (holdsFiles(*event))
        event->ignore();
    else
        QPlainTextEdit::dragEnterEvent(event);
}

void TextEdit::dragMoveEvent(QDragMoveEvent* event) {
    if (holdsFiles(*event))
        event->ignore();
    else
        QPlainTextEdit::dragMoveEvent(event);
}

void TextEdit::dropEvent(QDropEvent* event) {
    if (holdsFiles(*event))
        event->ignore();
    else
        QPlainTextEdit::dropEvent(event);
}

}  // namespace meshreel

#include "moc_edits.cpp"
