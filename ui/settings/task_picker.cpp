// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/task_picker.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QStyle>
#include <QStyleOptionToolButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <optional>

#include "engine/catalogue/model_offers.h"
#include "engine/checks/task_kinds.h"
#include "engine/models/families/model_family.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/project/task_switch.h"
#include "ui/settings/input_request.h"
#include "ui/theme/look.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr QSize pickerIconSize{18, 18};
constexpr double chosenRadius = 4;

/// How a kind of task is shown, in the order of TaskKind.
struct TaskWord {
    const char* icon;
    const char* title;
    const char* help;
};

constexpr std::array<TaskWord, taskKindCount> taskWords{{
    {"task-text", QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Text"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker",
                       "A video from a prompt; with Phantom, of the subjects in pictures")},
    {"task-image", QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Image"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker",
                       "A video that begins with a picture, ends with one, or shows pictures in between")},
    {"film", QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Video"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A video made over after a prompt")},
    {"task-edit", QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Edit"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A video edited with masks, controls and reference images")},
    {"task-character", QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Character"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A character that moves as a video of poses does")},
}};

/// A button whose chosen state is seen with light and dark palettes: it has the accent colour. The style
/// darkens it a little, which nobody sees in the dark.
class TaskButton : public QToolButton {
  public:
    TaskButton(const char* icon, QWidget* parent) : QToolButton(parent), m_picture(QLatin1String(icon)) {}

  protected:
    void paintEvent(QPaintEvent* event) override {
        if (!isChecked())
            return QToolButton::paintEvent(event);
        QStyleOptionToolButton option;
        initStyleOption(&option);
        const QColor ink = option.palette.color(QPalette::Active, QPalette::HighlightedText);
        option.palette.setColor(QPalette::ButtonText, ink);
        option.palette.setColor(QPalette::WindowText, ink);
        option.icon = QIcon(tintedPixmap(m_picture, option.iconSize, ink));
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(option.palette.color(QPalette::Active, QPalette::Highlight));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), chosenRadius, chosenRadius);
        style()->drawControl(QStyle::CE_ToolButtonLabel, &option, &painter, this);
        if (!option.state.testFlag(QStyle::State_KeyboardFocusChange) || !hasFocus())
            return;
        painter.setPen(ink);  // within the accent, which is the colour of the usual mark
        painter.setBrush(Qt::NoBrush);
        constexpr double inset = 3.5;
        painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), chosenRadius / 2,
                                chosenRadius / 2);
    }

  private:
    QString m_picture;
};

}  // namespace

TaskPicker::TaskPicker(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_switch(new TaskSwitch(document, this)),
      m_offer(new QWidget(this)),
      m_offerWords(new QLabel(this)),
      m_get(new QPushButton(themedIcon(QStringLiteral("down")), QString(), this)),
      m_request(new InputRequest(this)) {
    setAccessibleName(tr("What the video is made of"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing);
    column->addWidget(makeButtons());
    column->addWidget(makeOffer());
    column->addWidget(m_request);
    connect(m_switch, &TaskSwitch::changed, this, &TaskPicker::refresh);
    connect(m_switch, &TaskSwitch::switched, this, [this] {
        if (m_offer->isVisible())
            m_get->setFocus();
        else if (m_request->isVisible())
            m_request->setFocus();
    });
    connect(m_request, &InputRequest::chooseRequested, this, &TaskPicker::fileRequested);
    connect(m_request, &InputRequest::dropped, this, [this](const QString& key, const QString& text) {
        m_document.setText(*findProjectKey(key.toStdString()), text);
    });
    connect(m_get, &QPushButton::clicked, this,
            [this] { emit modelRequested(QString::fromStdString(m_offered)); });
    refresh();
}

QWidget* TaskPicker::makeButtons() {
    // One frame around all: buttons without frames of their own are as dark as the window.
    auto* buttons = new QFrame(this);
    buttons->setFrameShape(QFrame::StyledPanel);
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (const TaskWord& word : taskWords) {
        auto* button = new TaskButton(word.icon, buttons);
        button->setObjectName(QLatin1String(word.icon));
        button->setText(tr(word.title));
        button->setToolTip(tr(word.help));
        button->setAccessibleDescription(button->toolTip());
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIconSize(pickerIconSize);
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        // Not in a group, which would take Tab from all but the checked one.
        connect(button, &QToolButton::clicked, this, [this, kind = static_cast<TaskKind>(m_buttons.size())] {
            m_switch->choose(kind);
            refresh();  // a click on the chosen one would end its mark
        });
        row->addWidget(button, 1);
        m_buttons.push_back(button);
    }
    return buttons;
}

QWidget* TaskPicker::makeOffer() {
    m_offer->setObjectName(QStringLiteral("missingTask"));
    m_offerWords->setTextFormat(Qt::PlainText);
    m_offerWords->setWordWrap(true);
    m_get->setObjectName(QStringLiteral("getModel"));
    m_get->setToolTip(tr("Shows it in Models, with its licence and its files, where it is downloaded"));
    auto* column = new QVBoxLayout(m_offer);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_offerWords);
    column->addWidget(m_get, 0, Qt::AlignLeading);
    return m_offer;
}

void TaskPicker::setFamily(const ModelFamily* family) {
    m_switch->setFamily(family);
}

void TaskPicker::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void TaskPicker::refresh() {
    const std::optional<TaskKind> chosen = m_switch->kind();
    for (std::size_t i = 0; i < m_buttons.size(); ++i) {
        m_buttons[i]->setIcon(themedIcon(QLatin1String(taskWords.at(i).icon)));
        m_buttons[i]->setChecked(chosen == static_cast<TaskKind>(i));
    }
    refreshOffer();
    refreshRequest();
}

void TaskPicker::refreshOffer() {
    const std::optional<MissingTask>& missing = m_switch->missing();
    m_offer->setVisible(missing.has_value());
    if (!missing)
        return;
    const QString task = engineText(rowOf(missing->task).title);
    m_offerWords->setText(
        missing->get
            ? tr("No model on this machine does this: %1.", "title of a task").arg(task)
            : tr("No model on this machine does this: %1. Add one in Models.", "title of a task").arg(task));
    m_get->setVisible(missing->get.has_value());
    if (!missing->get)
        return;
    m_offered = missing->get->offer->id;
    m_get->setText(tr("Get %1 (%2)", "model, size")
                       .arg(QString::fromStdString(missing->get->offer->title),
                            QLocale().formattedDataSize(static_cast<qint64>(missing->get->bytesMissing))));
}

void TaskPicker::refreshRequest() {
    // Keyframes have a strip of their own, which shows where they belong.
    const std::vector<std::string_view> keys = m_switch->missingInputs();
    const auto file = std::ranges::find_if(
        keys, [](std::string_view key) { return findInputKey(key)->kind != InputKind::Keyframes; });
    m_request->ask(file == keys.end() ? nullptr : findProjectKey(*file));
}

}  // namespace meshreel

#include "moc_task_picker.cpp"
