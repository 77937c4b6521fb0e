// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/keyframe_field.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/project/keyframes.h"
#include "ui/settings/keyframe_strip.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

constexpr int placeWidth = 84;
constexpr double wholePercent = 100;
constexpr double secondsStep = 0.1;
constexpr std::array shownUnits{PlaceUnit::Frame, PlaceUnit::Seconds, PlaceUnit::Percent};

QString unitText(PlaceUnit unit) {
    switch (unit) {
        case PlaceUnit::Frame:
            return KeyframeField::tr("frame");
        case PlaceUnit::Seconds:
            return KeyframeField::tr("seconds");
        case PlaceUnit::Percent:
            break;
    }
    return KeyframeField::tr("percent");
}

NumberEdit::Steps stepsOf(PlaceUnit unit, const Project& project) {
    const auto last = static_cast<double>(project.numFrames - 1);
    switch (unit) {
        case PlaceUnit::Frame:
            return {.minimum = 0, .maximum = last, .step = 1, .integer = true};
        case PlaceUnit::Seconds:
            return {.minimum = 0,
                    .maximum = project.fps > 0 ? last / project.fps : 0,
                    .step = secondsStep,
                    .integer = false};
        case PlaceUnit::Percent:
            break;
    }
    return {.minimum = 0, .maximum = wholePercent, .step = 1, .integer = false};
}

/// As short as it says the place.
QString numberText(const ClipPlace& place) {
    return place.unit == PlaceUnit::Frame ? QString::number(static_cast<qlonglong>(place.value))
                                          : QString::number(place.value);
}

}  // namespace

KeyframeField::KeyframeField(const ProjectKey& key, QWidget* parent)
    : KeyField(parent, Extent::Paragraph),
      m_key(key),
      m_strip(new KeyframeStrip(this)),
      m_lines(new QVBoxLayout),
      m_add(new QPushButton(themedIcon(QStringLiteral("add")), tr("Add pictures…"), this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(tightSpacing);
    column->addWidget(m_strip);
    column->addSpacing(tightSpacing);
    column->addLayout(m_lines);
    column->addWidget(m_add, 0, Qt::AlignLeading);
    m_lines->setSpacing(tightSpacing);
    m_add->setToolTip(tr("Choose pictures, or drop them on the strip at their frames"));
    setInput(m_add);
    setAcceptDrops(true);
    connect(m_add, &QPushButton::clicked, this, &KeyframeField::choose);
    connect(m_strip, &KeyframeStrip::moved, this, [this](int index, std::int64_t frame, bool typed) {
        move(static_cast<std::size_t>(index), frame, typed);
    });
    connect(m_strip, &KeyframeStrip::removed, this,
            [this](int index) { remove(static_cast<std::size_t>(index)); });
    connect(m_strip, &KeyframeStrip::dropped, this, &KeyframeField::addAt);
    showStrip();
}

QString KeyframeField::text() const {
    return QString::fromStdString(keyframesText(m_keyframes));
}

void KeyframeField::setText(const QString& text) {
    Project project;
    if (trySetFromText(project, m_key, text.toStdString()))
        return;  // lines could show nothing: the text view does
    const bool sameLines = std::ranges::equal(
        m_keyframes, project.keyframes, {},
        [](const Keyframe& of) { return std::pair(of.image, of.place.unit); },
        [](const Keyframe& of) { return std::pair(of.image, of.place.unit); });
    m_keyframes = std::move(project.keyframes);
    if (!sameLines)
        return rebuild();
    for (std::size_t index = 0; index < m_widgets.size(); ++index)
        m_widgets[index]->findChild<NumberEdit*>()->setValue(numberText(m_keyframes[index].place));
    showStrip();
}

void KeyframeField::showProject(const Project& project) {
    if (project.numFrames == m_project.numFrames && project.fps == m_project.fps &&
        project.image == m_project.image && project.lastImage == m_project.lastImage)
        return;
    const bool sameClip = project.numFrames == m_project.numFrames && project.fps == m_project.fps;
    m_project = project;
    if (sameClip)
        showStrip();
    else
        rebuild();
}

void KeyframeField::add(const QStringList& files) {
    if (files.isEmpty())
        return;
    KeyframeList keyframes = m_keyframes;
    for (const QString& file : files)
        keyframes.push_back({.place = placeAt(widestGap(keyframes), PlaceUnit::Frame),
                             .image = shownPath(file).toStdString()});
    change(&KeyField::chosen, std::move(keyframes));
    rebuild();
    m_strip->choose(static_cast<int>(m_keyframes.size()) - 1);
}

void KeyframeField::addAt(const QStringList& files, std::int64_t frame) {
    if (files.isEmpty())
        return;
    KeyframeList keyframes = m_keyframes;
    keyframes.push_back(
        {.place = placeAt(frame, PlaceUnit::Frame), .image = shownPath(files.front()).toStdString()});
    for (const QString& file : files.sliced(1))
        keyframes.push_back({.place = placeAt(widestGap(keyframes), PlaceUnit::Frame),
                             .image = shownPath(file).toStdString()});
    change(&KeyField::chosen, std::move(keyframes));
    rebuild();
    m_strip->choose(static_cast<int>(m_keyframes.size()) - 1);
}

void KeyframeField::move(std::size_t index, std::int64_t frame, bool typed) {
    const auto set = [&](Keyframe& changed) { changed.place = placeAt(frame, changed.place.unit); };
    changeOne(index, typed ? &KeyField::edited : &KeyField::chosen, set);
    m_widgets[index]->findChild<NumberEdit*>()->setValue(numberText(m_keyframes[index].place));
}

void KeyframeField::remove(std::size_t index) {
    KeyframeList keyframes = m_keyframes;
    keyframes.erase(keyframes.begin() + static_cast<std::ptrdiff_t>(index));
    change(&KeyField::chosen, std::move(keyframes));
    rebuild();
}

void KeyframeField::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedPaths(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void KeyframeField::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    add(draggedPaths(event->mimeData()));
}

void KeyframeField::choose() {
    add(QFileDialog::getOpenFileNames(
        window(), tr("Choose pictures"), QString(),
        PathField::tr("Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)") + QStringLiteral(";;") +
            PathField::tr("All files (*)")));
}

/// Returns the frame in the middle between two pictures, or between one and an end of the clip, that are the
/// farthest apart; an end that has no picture counts as one that is far.
std::int64_t KeyframeField::widestGap(const KeyframeList& keyframes) const {
    const std::int64_t last = m_project.numFrames - 1;
    std::vector<std::int64_t> taken;
    if (!m_project.image.empty())
        taken.push_back(0);
    if (!m_project.lastImage.empty())
        taken.push_back(last);
    for (const Keyframe& keyframe : keyframes)
        taken.push_back(std::min(last, keyframe.place.frameOf(m_project.numFrames, m_project.fps)));
    if (taken.empty())
        return last / 2;
    std::ranges::sort(taken);
    std::int64_t widest = taken.front();
    std::int64_t frame = 0;
    for (std::size_t index = 1; index < taken.size(); ++index)
        if (const std::int64_t gap = (taken[index] - taken[index - 1]) / 2; gap > widest) {
            widest = gap;
            frame = taken[index - 1] + gap;
        }
    return last - taken.back() > widest ? last : frame;
}

ClipPlace KeyframeField::placeAt(std::int64_t frame, PlaceUnit unit) const {
    constexpr double thousand = 1000;
    const auto rounded = [](double value) { return std::round(value * thousand) / thousand; };
    const auto number = static_cast<double>(frame);
    switch (unit) {
        case PlaceUnit::Frame:
            break;
        case PlaceUnit::Seconds:
            if (m_project.fps > 0)
                return {.unit = unit, .value = rounded(number / m_project.fps)};
            break;
        case PlaceUnit::Percent:
            if (m_project.numFrames > 1)
                return {
                    .unit = unit,
                    .value = rounded(wholePercent * number / static_cast<double>(m_project.numFrames - 1))};
            break;
    }
    return {.unit = PlaceUnit::Frame, .value = number};
}

void KeyframeField::showStrip() {
    std::vector<KeyframeStrip::Mark> marks;
    for (const Keyframe& keyframe : m_keyframes)
        marks.push_back({.frame = keyframe.place.frameOf(m_project.numFrames, m_project.fps),
                         .file = QString::fromStdString(keyframe.image)});
    if (!m_project.image.empty())
        marks.push_back({.frame = 0, .file = QString::fromStdString(m_project.image), .isFixed = true});
    if (!m_project.lastImage.empty())
        marks.push_back({.frame = m_project.numFrames - 1,
                         .file = QString::fromStdString(m_project.lastImage),
                         .isFixed = true});
    m_strip->setClip(m_project.numFrames, m_project.fps);
    m_strip->setMarks(std::move(marks));
}

void KeyframeField::rebuild() {
    for (QWidget* line : std::exchange(m_widgets, {})) {
        line->hide();
        line->deleteLater();
    }
    for (std::size_t index = 0; index < m_keyframes.size(); ++index) {
        m_widgets.push_back(makeLine(index));
        m_lines->insertWidget(static_cast<int>(index), m_widgets.back());
    }
    showStrip();
    tabAsLaidOut(*this);
}

QWidget* KeyframeField::makeLine(std::size_t index) {
    auto* line = new QWidget(this);
    auto* remove = new QToolButton(line);
    remove->setIcon(themedIcon(QStringLiteral("close")));
    remove->setAutoRaise(true);
    remove->setToolTip(tr("Remove keyframe %1").arg(index + 1));
    remove->setAccessibleName(remove->toolTip());
    connect(remove, &QToolButton::clicked, this, [this, index] { this->remove(index); });
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(makeFile(index, line), 1);
    row->addWidget(makePlace(index, line));
    row->addWidget(makeUnit(index, line));
    row->addWidget(remove);
    return line;
}

QWidget* KeyframeField::makeFile(std::size_t index, QWidget* line) {
    auto* file = new PathEdit(PathEdit::Count::One, line);
    file->setText(QString::fromStdString(m_keyframes[index].image));
    file->setAccessibleName(tr("Picture of keyframe %1").arg(index + 1));
    file->setToolTip(asPlainText(file->text()));
    const auto setFile = [this, index](Told told, const QString& path) {
        if (!path.isEmpty())  // a keyframe has a picture: nothing is written meanwhile
            changeOne(index, told, [&](Keyframe& changed) { changed.image = path.toStdString(); });
    };
    connect(file, &QLineEdit::textEdited, this,
            [setFile](const QString& path) { setFile(&KeyField::edited, path); });
    connect(file, &PathEdit::taken, this,
            [setFile](const QString& path) { setFile(&KeyField::chosen, path); });
    return file;
}

QWidget* KeyframeField::makePlace(std::size_t index, QWidget* line) {
    const ClipPlace& place = m_keyframes[index].place;
    auto* number = new NumberEdit(stepsOf(place.unit, m_project), line);
    number->setValue(numberText(place));
    number->setFixedWidth(placeWidth);
    number->setAccessibleName(tr("Place of keyframe %1").arg(index + 1));
    number->setToolTip(tr("Where the picture stands in the clip; frames are counted from 0"));
    connect(number, &NumberEdit::edited, this, [this, index](const QString& typed) {
        bool readable = false;
        const double value = typed.toDouble(&readable);
        const PlaceUnit unit = m_keyframes[index].place.unit;
        const double most = unit == PlaceUnit::Percent ? wholePercent : farthestFrame;
        const bool whole = unit != PlaceUnit::Frame || value == std::floor(value);
        if (readable && whole && value >= 0 && value <= most)
            changeOne(index, &KeyField::edited, [&](Keyframe& changed) { changed.place.value = value; });
    });
    return number;
}

QWidget* KeyframeField::makeUnit(std::size_t index, QWidget* line) {
    auto* unit = new FormComboBox(line);
    unit->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const PlaceUnit each : shownUnits)
        unit->addItem(unitText(each));
    const auto current = std::ranges::find(shownUnits, m_keyframes[index].place.unit);
    unit->setCurrentIndex(static_cast<int>(current - shownUnits.begin()));
    nameControl(*unit, tr("How the place of keyframe %1 is counted").arg(index + 1));
    connect(unit, &QComboBox::activated, this, [this, index](int chosen) {
        changeOne(index, &KeyField::chosen, [&](Keyframe& changed) {
            const std::int64_t frame = changed.place.frameOf(m_project.numFrames, m_project.fps);
            changed.place = placeAt(frame, shownUnits.at(static_cast<std::size_t>(chosen)));
        });
        rebuild();
    });
    return unit;
}

void KeyframeField::changeOne(std::size_t index, Told told, const std::function<void(Keyframe&)>& set) {
    KeyframeList keyframes = m_keyframes;
    set(keyframes[index]);
    change(told, std::move(keyframes));
}

void KeyframeField::change(Told told, KeyframeList keyframes) {
    m_keyframes = std::move(keyframes);
    showStrip();
    emit(this->*told)(text());
}

}  // namespace meshreel

#include "moc_keyframe_field.cpp"
