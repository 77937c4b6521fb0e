// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/task_picker.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <string>

#include "engine/models/families/model_family.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr QSize pickerIconSize{18, 18};

/// Tasks that people call by one word.
struct TaskKind {
    const char* icon;
    const char* title;
    const char* help;
    std::array<WanTask, 4> tasks;  ///< the first is what a click sets, and stands for those that are missing
};

constexpr std::array<TaskKind, 5> taskKinds{{
    {"task-text",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Text"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker",
                       "A video from a prompt; with Phantom, of the subjects in pictures"),
     {WanTask::TextToVideo, WanTask::SubjectsToVideo, WanTask::TextToVideo, WanTask::TextToVideo}},
    {"task-image",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Image"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker",
                       "A video that begins with a picture, ends with one, or shows pictures in between"),
     {WanTask::ImageToVideo, WanTask::FirstLastFrame, WanTask::TracksToVideo, WanTask::KeyframesToVideo}},
    {"film",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Video"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A video made over after a prompt"),
     {WanTask::VideoToVideo, WanTask::VideoToVideo, WanTask::VideoToVideo, WanTask::VideoToVideo}},
    {"task-edit",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Edit"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A video edited with masks, controls and reference images"),
     {WanTask::VaceEditing, WanTask::VaceEditing, WanTask::VaceEditing, WanTask::VaceEditing}},
    {"task-character",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Character"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A character that moves as a video of poses does"),
     {WanTask::Animation, WanTask::Replacement, WanTask::Animation, WanTask::Animation}},
}};

int kindOf(WanTask task) {
    const auto found = std::ranges::find_if(
        taskKinds, [task](const TaskKind& kind) { return std::ranges::count(kind.tasks, task) > 0; });
    return static_cast<int>(found - taskKinds.begin());
}

const ProjectKey& taskKey() {
    return *findProjectKey("task");
}

}  // namespace

TaskPicker::TaskPicker(ProjectDocument& document, QWidget* parent) : QWidget(parent), m_document(document) {
    setAccessibleName(tr("What the video is made of"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (const TaskKind& kind : taskKinds) {
        auto* button = new QToolButton(this);
        button->setObjectName(QLatin1String(kind.icon));
        button->setText(tr(kind.title));
        button->setToolTip(tr(kind.help));
        button->setAccessibleDescription(button->toolTip());
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIconSize(pickerIconSize);
        button->setCheckable(true);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        // Not in a group, which would take Tab from all but the checked one.
        connect(button, &QToolButton::clicked, this,
                [this, kind = static_cast<int>(m_buttons.size())] { choose(kind); });
        row->addWidget(button, 1);
        m_buttons.push_back(button);
    }
    connect(&m_document, &ProjectDocument::changed, this, &TaskPicker::refresh);
    refresh();
}

void TaskPicker::setFamily(const ModelFamily* family) {
    m_family = family;
    refresh();
}

void TaskPicker::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

int TaskPicker::chosenKind() const {
    if (const WanTaskRow* row = findWanTask(m_document.project().task))
        return kindOf(row->task);
    return m_family == nullptr ? -1 : kindOf(m_family->tasks.front());
}

void TaskPicker::choose(int kind) {
    if (kind != chosenKind())
        m_document.setText(taskKey(),
                           QString::fromStdString(std::string(
                               rowOf(taskKinds.at(static_cast<std::size_t>(kind)).tasks.front()).name)));
    refresh();
}

void TaskPicker::refresh() {
    const int chosen = chosenKind();
    for (std::size_t i = 0; i < m_buttons.size(); ++i) {
        m_buttons[i]->setIcon(themedIcon(QLatin1String(taskKinds.at(i).icon)));
        m_buttons[i]->setChecked(static_cast<int>(i) == chosen);
    }
}

}  // namespace meshreel

#include "moc_task_picker.cpp"
