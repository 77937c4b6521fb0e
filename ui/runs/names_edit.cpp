// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/names_edit.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QLabel>
#include <QScreen>
#include <QStringListModel>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/runs/run_history.h"
#include "ui/theme/look.h"

namespace meshreel {

NamesEdit::NamesEdit(const QStringList& known, QWidget* parent)
    : QLineEdit(parent), m_known(known), m_completer(new QCompleter(this)) {
    m_completer->setModel(new QStringListModel(m_completer));
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_completer->setWidget(this);  // not setCompleter(), which completes the whole line
    connect(this, &QLineEdit::textEdited, this, &NamesEdit::offer);
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &NamesEdit::take);
}

QStringList NamesEdit::names() const {
    QStringList names;
    for (const std::string& name : readTags(text().toStdString()))
        names += QString::fromStdString(name);
    return names;
}

qsizetype NamesEdit::beginOfName() const {
    qsizetype begin =
        cursorPosition() == 0 ? 0 : text().lastIndexOf(QLatin1Char(','), cursorPosition() - 1) + 1;
    while (begin < cursorPosition() && text().at(begin).isSpace())
        ++begin;
    return begin;
}

void NamesEdit::offer() {
    const QString typed = text().mid(beginOfName(), cursorPosition() - beginOfName());
    QStringList others = m_known;
    for (const QString& name : names())
        if (name.compare(typed, Qt::CaseInsensitive) != 0)
            others.removeOne(name);
    static_cast<QStringListModel*>(m_completer->model())->setStringList(others);
    m_completer->setCompletionPrefix(typed);
    const bool helps =
        !typed.isEmpty() && m_completer->completionCount() > 0 && m_completer->currentCompletion() != typed;
    if (helps)
        m_completer->complete();
    else
        m_completer->popup()->hide();
}

void NamesEdit::take(const QString& name) {
    const qsizetype begin = beginOfName();
    qsizetype end = text().indexOf(QLatin1Char(','), cursorPosition());
    if (end < 0)
        end = text().size();
    const QString whole = text();
    setText(whole.left(begin) + name + whole.mid(end));
    setCursorPosition(static_cast<int>(begin + name.size()));
}

void NamesEdit::keyPressEvent(QKeyEvent* event) {
    const bool chooses = m_completer->popup()->isVisible();
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Escape:
        case Qt::Key_Tab:
            if (chooses)
                return event->ignore();  // the list takes it
            break;
        default:
            break;
    }
    QLineEdit::keyPressEvent(event);
}

NamesDelegate::NamesDelegate(std::function<QStringList()> known, QObject* parent)
    : QStyledItemDelegate(parent), m_known(std::move(known)) {}

QWidget* NamesDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& /*option*/,
                                     const QModelIndex& index) const {
    auto* edit = new NamesEdit(m_known(), parent);
    edit->setFrame(false);
    edit->setAccessibleName(index.model()->headerData(index.column(), Qt::Horizontal).toString());
    return edit;
}

namespace {

constexpr int popupWidth = 280;

}  // namespace

NamesPopup::NamesPopup(const Names& names, QWidget* parent)
    : QFrame(parent, Qt::Popup), m_edit(new NamesEdit(names.known, this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    setWindowTitle(names.title);
    setMinimumWidth(popupWidth);
    auto* title = new QLabel(names.title, this);
    title->setBuddy(m_edit);
    auto* help = new QLabel(tr("Names between commas; Enter keeps them."), this);
    keepInk(*help, mutedColor);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(panelMargin, spacing, panelMargin, spacing);
    column->setSpacing(tightSpacing);
    column->addWidget(title);
    column->addWidget(m_edit);
    column->addWidget(help);
    m_edit->setText(names.present.join(QStringLiteral(", ")) +
                    (names.present.isEmpty() ? QString() : QStringLiteral(", ")));
    m_edit->setAccessibleName(names.title);
    setFocusProxy(m_edit);
    connect(m_edit, &QLineEdit::returnPressed, this, [this] {
        emit entered(m_edit->names());
        close();
    });
}

void NamesPopup::showAt(const QPoint& place) {
    adjustSize();
    const QRect room = screen()->availableGeometry();
    move(std::clamp(place.x(), room.left(), std::max(room.left(), room.right() - width())),
         std::clamp(place.y(), room.top(), std::max(room.top(), room.bottom() - height())));
    show();
    m_edit->setFocus();
}

}  // namespace meshreel

#include "moc_names_edit.cpp"
