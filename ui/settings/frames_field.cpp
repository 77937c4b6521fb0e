// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/frames_field.h"

#include <QAbstractSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <limits>
#include <utility>

#include "engine/project/clip_length.h"
#include "engine/project/project.h"
#include "ui/theme/look.h"
#include "ui/widgets/accessibility.h"
#include "ui/widgets/edits.h"

namespace meshreel {

namespace {

constexpr double lengthStep = 0.1;
constexpr int framesWidth = 76;  ///< with room for both in the narrowest form
constexpr int secondsWidth = 72;
constexpr int secondsDigits = 2;

}  // namespace

SecondsEdit::SecondsEdit(QWidget* parent)
    : NumberEdit(
          {.minimum = 0, .maximum = std::numeric_limits<double>::max(), .step = lengthStep, .integer = false},
          parent) {}

FramesField::FramesField(const NumberEdit::Steps& frames, QWidget* parent)
    : KeyField(parent, Extent::Wide),
      m_frames(new NumberEdit(frames, this)),
      m_seconds(new SecondsEdit(this)) {
    m_frames->setFixedWidth(framesWidth);
    m_seconds->setObjectName(QStringLiteral("seconds"));
    m_seconds->setFixedWidth(secondsWidth);
    nameControl(*m_seconds, tr("Length in seconds"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(m_frames);
    row->addSpacing(spacing);
    row->addWidget(m_seconds);
    row->addWidget(new QLabel(tr("s", "seconds, behind a number"), this));
    row->addStretch(1);
    setInput(m_frames);
    connect(m_frames, &NumberEdit::edited, this, &KeyField::edited);
    connect(m_seconds, &SecondsEdit::stepped, m_frames, &NumberEdit::stepBy);
    connect(m_seconds, &NumberEdit::edited, this, &FramesField::takeSeconds);
    connect(m_seconds, &QAbstractSpinBox::editingFinished, this, [this] {
        m_asked.reset();
        showSeconds();
    });
}

void FramesField::setText(const QString& text) {
    m_frames->setValue(text);
    showSeconds();
}

void FramesField::showProject(const Project& project) {
    if (std::exchange(m_fps, project.fps) != project.fps)
        m_asked.reset();
    m_seconds->setToolTip(tr("The nearest legal number of frames is taken: steps of %1 s")
                              .arg(QLocale().toString(secondsOfFrameStep(m_fps), 'f', secondsDigits)));
    showSeconds();
}

void FramesField::takeSeconds(const QString& typed) {
    bool isReadable = false;
    const double seconds = typed.toDouble(&isReadable);
    m_asked = isReadable ? QString::number(framesOfSeconds(seconds, m_fps)) : m_frames->value();
    if (isReadable)
        emit edited(QString(*m_asked));
}

void FramesField::showSeconds() {
    if (m_asked && *m_asked == m_frames->value())
        return;
    m_asked.reset();  // the length comes from elsewhere: an arrow, undoing, another project
    bool isReadable = false;
    const double frames = m_frames->value().toDouble(&isReadable);
    if (isReadable && m_fps > 0)
        m_seconds->setValue(QString::number(frames / m_fps, 'f', secondsDigits));
}

}  // namespace meshreel

#include "moc_frames_field.cpp"
