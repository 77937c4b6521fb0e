// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/live_preview.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/player/frame_view.h"
#include "ui/theme/look.h"

namespace meshreel {

LivePreview::LivePreview(QWidget* parent)
    : QWidget(parent), m_view(new FrameView(this)), m_caption(new QLabel(this)) {
    m_view->setAccessibleName(tr("Live preview"));
    m_caption->setTextFormat(Qt::PlainText);
    m_caption->setAlignment(Qt::AlignCenter);
    m_caption->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_caption);
    tellState();
    connect(&m_playback, &Playback::positionChanged, this, &LivePreview::showFrame);
}

void LivePreview::setClip(const Clip& clip) {
    const int position = m_playback.position();
    m_hasEnded = false;
    m_decoded = 0;
    m_total = 0;
    m_pictureSize = {};
    m_hasLatents = !clip.isEmpty();
    m_clip = clip;
    tellState();
    playFrom(position);
}

void LivePreview::addDecoded(const ClipPart& part) {
    int position = m_playback.position();
    if (m_decoded == 0) {
        const double rate = m_clip.framesPerSecond;
        position = rate > 0 ? static_cast<int>(position / rate * part.clip.framesPerSecond) : 0;
        makeRoomFor(part);
    }
    if (!m_hasLatents)
        m_clip.frames.resize(part.first);
    for (int i = 0; i < part.clip.frames.size(); ++i) {
        if (m_hasLatents)
            m_clip.frames[part.first + i] = part.clip.frames[i];
        else
            m_clip.frames.append(part.clip.frames[i]);
    }
    m_decoded = part.first + static_cast<int>(part.clip.frames.size());
    tellState();
    if (m_clip.frames.size() != m_playback.length())
        playFrom(position);
    else
        showFrame(m_playback.position());
}

void LivePreview::clear() {
    setClip({});
}

void LivePreview::end() {
    m_hasEnded = true;
    tellState();
}

/// The clip at the video's length and rate: where nothing is decoded yet, the preview of the latents that the
/// frame is made from (the first frame has a latent frame of its own).
void LivePreview::makeRoomFor(const ClipPart& part) {
    const Clip latents =
        std::exchange(m_clip, Clip{.frames = {}, .framesPerSecond = part.clip.framesPerSecond});
    m_total = part.total;
    m_pictureSize = part.clip.frames.first().size();
    if (!m_hasLatents)
        return;
    const qsizetype behindFirst = std::max(m_total - 1, 1);
    for (qsizetype frame = 0; frame < m_total; ++frame)
        m_clip.frames.append(
            latents.frames.at((frame * (latents.frames.size() - 1) + behindFirst - 1) / behindFirst));
}

void LivePreview::playFrom(int position) {
    m_playback.setLength(static_cast<int>(m_clip.frames.size()), m_clip.framesPerSecond);
    m_playback.seek(position);
    m_playback.play();
}

void LivePreview::tellState() {
    m_view->setPlaceholder(m_hasEnded ? tr("The run failed before its first preview.")
                                      : tr("The first preview comes after the first step"));
    m_caption->setText(caption());
    m_caption->setVisible(!m_caption->text().isEmpty());
}

QString LivePreview::caption() const {
    if (m_hasEnded && m_clip.isEmpty())
        return {};
    if (m_hasEnded && m_decoded == 0)
        return tr("Preview at the last finished step");
    if (m_decoded == 0)
        return tr("Live preview of the latents; decoded frames will take its place");
    if (m_hasLatents && m_decoded < m_total)
        return tr("%1 of %2 frames decoded; the others are the preview of the latents")
            .arg(m_decoded)
            .arg(m_total);
    return tr("%1 of %2 frames decoded").arg(m_decoded).arg(m_total);
}

const QImage& LivePreview::shownFrame() const {
    return m_view->image();
}

void LivePreview::showEvent(QShowEvent* event) {
    m_playback.play();
    QWidget::showEvent(event);
}

void LivePreview::hideEvent(QHideEvent* event) {
    m_playback.pause();
    QWidget::hideEvent(event);
}

void LivePreview::showFrame(int frame) {
    if (frame >= m_clip.frames.size()) {
        m_view->setImage({});
        return;
    }
    // One size, so that a view that is zoomed in stays so.
    const QImage& picture = m_clip.frames.at(frame);
    m_view->setImage(m_pictureSize.isEmpty() || picture.size() == m_pictureSize
                         ? picture
                         : picture.scaled(m_pictureSize, Qt::IgnoreAspectRatio, Qt::SmoothTransformation));
}

}  // namespace meshreel

#include "moc_live_preview.cpp"
