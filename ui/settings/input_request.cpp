// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/input_request.h"

#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStringList>

#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

constexpr double cardRadius = 6;
constexpr double aimedTint = 0.16;
constexpr double outlineWidth = 1.5;

}  // namespace

InputRequest::InputRequest(QWidget* parent)
    : QFrame(parent),
      m_words(new QLabel(this)),
      m_choose(new QPushButton(themedIcon(QStringLiteral("folder")), tr("Choose…"), this)) {
    setObjectName(QStringLiteral("inputRequest"));
    setAcceptDrops(true);
    setFocusProxy(m_choose);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setWordWrap(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(panelMargin, panelMargin, panelMargin, panelMargin);
    row->setSpacing(spacing);
    row->addWidget(m_words, 1);
    row->addWidget(m_choose);
    connect(m_choose, &QPushButton::clicked, this, [this] { emit chooseRequested(keyName()); });
    hide();
}

QString InputRequest::keyName() const {
    return m_key == nullptr ? QString() : QString::fromStdString(std::string(m_key->name));
}

void InputRequest::ask(const ProjectKey* key) {
    if (key == m_key)
        return;
    m_key = key;
    m_isAimedAt = false;
    if (key != nullptr) {
        const QString title = engineText(key->title);
        m_words->setText(tr("%1: drop the file here.", "title of an input").arg(title));
        m_choose->setAccessibleName(tr("Choose: %1", "title of an input").arg(title));
        m_choose->setToolTip(engineText(key->help));
    }
    setVisible(key != nullptr);
}

void InputRequest::dragEnterEvent(QDragEnterEvent* event) {
    if (draggedPaths(event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    m_isAimedAt = true;
    update();
}

void InputRequest::dragLeaveEvent(QDragLeaveEvent* event) {
    QFrame::dragLeaveEvent(event);
    m_isAimedAt = false;
    update();
}

void InputRequest::dropEvent(QDropEvent* event) {
    m_isAimedAt = false;
    update();
    QStringList paths = draggedPaths(event->mimeData());
    const InputKey* input = m_key == nullptr ? nullptr : findInputKey(m_key->name);
    if (paths.isEmpty() || input == nullptr)
        return;
    event->acceptProposedAction();
    if (!input->namesSeveral())
        paths = paths.mid(0, 1);
    for (QString& path : paths)
        path = shownPath(path);
    emit dropped(keyName(), paths.join(QStringLiteral(", ")));
}

void InputRequest::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor accent = palette().color(QPalette::Active, QPalette::Highlight);
    painter.setPen(QPen(accent, outlineWidth, Qt::DashLine));
    painter.setBrush(m_isAimedAt ? QBrush(mixedColor(palette().color(QPalette::Window), accent, aimedTint))
                                 : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), cardRadius, cardRadius);
}

}  // namespace meshreel

#include "moc_input_request.cpp"
