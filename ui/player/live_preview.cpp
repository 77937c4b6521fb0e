// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/live_preview.h"

#include <QLabel>
#include <QVBoxLayout>

#include "ui/player/frame_view.h"
#include "ui/theme/look.h"

namespace meshreel {

LivePreview::LivePreview(QWidget* parent)
    : QWidget(parent),
      m_view(new FrameView(this)),
      m_caption(new QLabel(tr("Live preview of the latents; the video itself is decoded at the end"), this)) {
    m_view->setPlaceholder(tr("The first preview comes after the first step"));
    m_view->setAccessibleName(tr("Live preview"));
    m_caption->setAlignment(Qt::AlignCenter);
    m_caption->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_caption);
    connect(&m_playback, &Playback::positionChanged, this, &LivePreview::showFrame);
}

void LivePreview::setClip(const Clip& clip) {
    const int position = m_playback.position();
    m_clip = clip;
    m_playback.setLength(static_cast<int>(clip.frames.size()), clip.framesPerSecond);
    m_playback.seek(position);
    m_playback.play();
}

void LivePreview::clear() {
    setClip({});
}

const QImage& LivePreview::shownFrame() const {
    return m_view->image();
}

void LivePreview::hideEvent(QHideEvent* event) {
    m_playback.pause();
    QWidget::hideEvent(event);
}

void LivePreview::showFrame(int frame) {
    m_view->setImage(m_clip.isEmpty() ? QImage() : m_clip.frames.at(frame));
}

}  // namespace meshreel
