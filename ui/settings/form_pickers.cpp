// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/form_pickers.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/models/families/model_family.h"
#include "engine/project/project_keys.h"
#include "ui/project/project_document.h"
#include "ui/theme/look.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

constexpr QSize pickerIconSize{18, 18};

/// Tasks that people call by one word.
struct TaskKind {
    const char* icon;
    const char* title;
    const char* help;
    std::array<WanTask, 3> tasks;  ///< the first is what a click sets, and stands for those that are missing
};

constexpr std::array<TaskKind, 5> taskKinds{{
    {"task-text",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Text"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker",
                       "A video from a prompt; with Phantom, of the subjects in pictures"),
     {WanTask::TextToVideo, WanTask::SubjectsToVideo, WanTask::TextToVideo}},
    {"task-image",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Image"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A video that begins with a picture, and may end with one"),
     {WanTask::ImageToVideo, WanTask::FirstLastFrame, WanTask::TracksToVideo}},
    {"film",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Video"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A video made over after a prompt"),
     {WanTask::VideoToVideo, WanTask::VideoToVideo, WanTask::VideoToVideo}},
    {"task-edit",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Edit"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A video edited with masks, controls and reference images"),
     {WanTask::VaceEditing, WanTask::VaceEditing, WanTask::VaceEditing}},
    {"task-character",
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "Character"),
     QT_TRANSLATE_NOOP("meshreel::TaskPicker", "A character that moves as a video of poses does"),
     {WanTask::Animation, WanTask::Replacement, WanTask::Animation}},
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

namespace {

/// Lines of 16:9, and its width where that is customary rather than the nearest multiple.
struct SizeClass {
    const char* name;
    int lines;
    QSize usual;  ///< of 16:9
};

constexpr std::array<SizeClass, 5> sizeClasses{{
    {"64p", 64, {112, 64}},
    {"128p", 128, {224, 128}},
    {"240p", 240, {416, 240}},
    {"480p", 480, {832, 480}},
    {"720p", 720, {1280, 720}},
}};

struct Aspect {
    const char* name;
    QSize ratio;
};

constexpr std::array<Aspect, 5> sizeAspects{{
    {"16:9", {16, 9}},
    {"4:3", {4, 3}},
    {"1:1", {1, 1}},
    {"3:4", {3, 4}},
    {"9:16", {9, 16}},
}};

constexpr int customSize = 0;  ///< the first entry of both lists

const ProjectKey& widthKey() {
    return *findProjectKey("width");
}

const ProjectKey& heightKey() {
    return *findProjectKey("height");
}

}  // namespace

QSize sizeOfClass(int lines, QSize aspect, int multiple) {
    const auto rounded = [multiple](double pixels) {
        return std::max(multiple, static_cast<int>(std::lround(pixels / multiple)) * multiple);
    };
    for (const SizeClass& row : sizeClasses)
        if (row.lines == lines) {
            const QSize wide(row.usual.width() - row.usual.width() % multiple,
                             row.usual.height() - row.usual.height() % multiple);
            if (aspect == QSize(16, 9))
                return wide;
            if (aspect == QSize(9, 16))
                return wide.transposed();
            if (aspect == QSize(1, 1) && lines <= 128)
                return {rounded(lines), rounded(lines)};  // what the small models were trained on
            const double area = static_cast<double>(row.usual.width()) * row.usual.height();
            const double height = std::sqrt(area * aspect.height() / aspect.width());
            return {rounded(height * aspect.width() / aspect.height()), rounded(height)};
        }
    return {};
}

SizePicker::SizePicker(ProjectDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_class(new FormComboBox(this)),
      m_aspect(new FormComboBox(this)),
      m_swap(new QToolButton(this)),
      m_seconds(new QLabel(this)) {
    m_class->setObjectName(QStringLiteral("sizeClass"));
    nameControl(*m_class, tr("Size class"));
    m_class->setToolTip(tr("How large: the lines of a wide video"));
    m_aspect->setObjectName(QStringLiteral("aspect"));
    nameControl(*m_aspect, tr("Aspect ratio"));
    m_aspect->setToolTip(tr("Width to height"));
    m_class->addItem(tr("Custom size"));
    for (const SizeClass& row : sizeClasses)
        m_class->addItem(QLatin1String(row.name));
    m_aspect->addItem(tr("Custom", "aspect ratio"));
    for (const Aspect& row : sizeAspects)
        m_aspect->addItem(QLatin1String(row.name));
    m_swap->setObjectName(QStringLiteral("swapSize"));
    m_swap->setToolTip(tr("Swap width and height"));
    m_swap->setAccessibleName(m_swap->toolTip());
    m_seconds->setTextFormat(Qt::PlainText);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(m_class, 3);
    row->addWidget(m_aspect, 2);
    row->addWidget(m_swap);
    row->addSpacing(spacing);
    row->addWidget(m_seconds);
    connect(m_class, &QComboBox::activated, this, &SizePicker::choose);
    connect(m_aspect, &QComboBox::activated, this, &SizePicker::choose);
    connect(m_swap, &QToolButton::clicked, this, &SizePicker::swap);
    connect(&m_document, &ProjectDocument::changed, this, &SizePicker::refresh);
    refresh();
}

void SizePicker::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        refresh();
    QWidget::changeEvent(event);
}

void SizePicker::choose() {
    if (m_class->currentIndex() == customSize && m_aspect->currentIndex() == customSize)
        return refresh();
    // One that was custom so far becomes what is usual, and the other is kept.
    constexpr int usualClass = 3;
    constexpr int usualAspect = 1;
    const int sizeClass = m_class->currentIndex() == customSize ? usualClass : m_class->currentIndex();
    const int aspect = m_aspect->currentIndex() == customSize ? usualAspect : m_aspect->currentIndex();
    setSize(sizeOfClass(sizeClasses.at(static_cast<std::size_t>(sizeClass - 1)).lines,
                        sizeAspects.at(static_cast<std::size_t>(aspect - 1)).ratio, m_multiple),
            tr("Set the size"));
}

void SizePicker::swap() {
    const Project& project = m_document.project();
    setSize(QSize(static_cast<int>(project.height), static_cast<int>(project.width)),
            tr("Swap width and height"));
}

void SizePicker::setSize(QSize size, const QString& title) {
    m_document.setTexts(title, std::vector<KeyText>{{&widthKey(), QString::number(size.width())},
                                                    {&heightKey(), QString::number(size.height())}});
    refresh();
}

void SizePicker::refresh() {
    const Project& project = m_document.project();
    const QSize size(static_cast<int>(project.width), static_cast<int>(project.height));
    int shownClass = customSize;
    int shownAspect = customSize;
    for (std::size_t i = 0; i < sizeClasses.size(); ++i)
        for (std::size_t j = 0; j < sizeAspects.size(); ++j)
            if (sizeOfClass(sizeClasses.at(i).lines, sizeAspects.at(j).ratio, m_multiple) == size) {
                shownClass = static_cast<int>(i) + 1;
                shownAspect = static_cast<int>(j) + 1;
            }
    m_class->setCurrentIndex(shownClass);
    m_aspect->setCurrentIndex(shownAspect);
    m_swap->setIcon(themedIcon(QStringLiteral("swap")));
    const double seconds = project.fps > 0 ? static_cast<double>(project.numFrames) / project.fps : 0;
    m_seconds->setText(tr("%1 s", "length of the video").arg(QLocale().toString(seconds, 'f', 1)));
    m_seconds->setToolTip(tr("Frames divided by the frame rate"));
}

namespace {

constexpr int mostVideos = 64;

}  // namespace

Variations::Variations(QWidget* parent)
    : QWidget(parent),
      m_videos(new QSpinBox(this)),
      m_fresh(new QCheckBox(tr("New seed for each run"), this)) {
    m_fresh->setObjectName(QStringLiteral("freshSeeds"));
    m_fresh->setToolTip(tr("Run sets a random seed first; the seed of every run is kept with it"));
    m_videos->setObjectName(QStringLiteral("videos"));
    m_videos->setRange(1, mostVideos);
    m_videos->setAccessibleName(tr("Videos to make"));
    m_videos->setToolTip(tr("The first runs at once, the others are queued; each has a seed of its own"));
    auto* title = new QLabel(tr("Videos"), this);
    title->setBuddy(m_videos);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing);
    row->addWidget(m_fresh, 1);
    row->addWidget(title);
    row->addWidget(m_videos);
    connect(m_videos, &QSpinBox::valueChanged, this, &Variations::changed);
    connect(m_fresh, &QCheckBox::toggled, this, &Variations::changed);
}

int Variations::videos() const {
    return m_videos->value();
}

bool Variations::freshSeeds() const {
    return m_fresh->isChecked();
}

void Variations::set(int videos, bool freshSeeds) {
    m_videos->setValue(videos);
    m_fresh->setChecked(freshSeeds);
}

}  // namespace meshreel

#include "moc_form_pickers.cpp"
