// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/player_widget.h"

#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/player/clip_exporter.h"
#include "ui/player/frame_view.h"
#include "ui/player/playback.h"
#include "ui/theme/look.h"

namespace meshreel {

PlayerWidget::PlayerWidget(QWidget* parent)
    : QWidget(parent),
      m_view(new FrameView(this)),
      m_controls(new PlaybackControls(m_playback, this)),
      m_exporter(new ClipExporter(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(tightSpacing);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_controls);
    m_view->setAccessibleName(tr("Video"));
    addExportButton();
    connect(&m_playback, &Playback::positionChanged, this, &PlayerWidget::showFrame);
    setClip({});
}

void PlayerWidget::setClip(const Clip& clip) {
    m_clip = clip;
    m_controls->setLength(static_cast<int>(clip.frames.size()), clip.framesPerSecond);
}

const QImage& PlayerWidget::shownFrame() const {
    return m_view->image();
}

void PlayerWidget::setPlaceholder(const QString& text) {
    m_view->setPlaceholder(text);
}

bool PlayerWidget::takeKey(const QKeyEvent& event) {
    if (event.matches(QKeySequence::Copy) && !m_clip.isEmpty()) {
        m_exporter->copyFrame(shownFrame());
        return true;
    }
    return m_controls->takeKey(event);
}

void PlayerWidget::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_F && event->modifiers() == Qt::NoModifier && !m_clip.isEmpty())
        showFullScreenView();
    else if (!m_view->takeKey(*event) && !takeKey(*event))
        QWidget::keyPressEvent(event);
}

void PlayerWidget::showFullScreenView() {
    if (m_clip.isEmpty())
        return;
    auto* view = new FullScreenView(*this);
    view->showFullScreen();
    view->activateWindow();
}

void PlayerWidget::addExportButton() {
    auto* fullScreen = new QToolButton(this);
    fullScreen->setObjectName(QStringLiteral("fullScreen"));
    fullScreen->setIcon(themedIcon(QStringLiteral("full-screen")));
    fullScreen->setAutoRaise(true);
    fullScreen->setToolTip(tr("Full screen (F)"));
    fullScreen->setAccessibleName(tr("Full screen"));
    connect(fullScreen, &QToolButton::clicked, this, &PlayerWidget::showFullScreenView);
    m_controls->addButton(fullScreen);
    auto* button = new QToolButton(this);
    button->setIcon(themedIcon(QStringLiteral("export")));
    button->setAutoRaise(true);
    button->setToolTip(tr("Copy or write a frame, the clip, or a sheet of its frames"));
    button->setAccessibleName(tr("Export the video"));
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    fillExportMenu(menu);
    button->setMenu(menu);
    m_controls->addButton(button);
}

void PlayerWidget::fillExportMenu(QMenu* menu) {
    menu->addAction(tr("&Copy this frame"), this, [this] { m_exporter->copyFrame(shownFrame()); });
    menu->addAction(tr("Save this &frame…"), this,
                    [this] { m_exporter->askForFrame(m_clip, m_playback.position()); });
    menu->addSeparator();
    menu->addAction(tr("Export the c&lip…"), this, [this] { m_exporter->askForClip(m_clip); });
    menu->addAction(tr("Save a contact &sheet…"), this, [this] { m_exporter->askForSheet(m_clip); });
}

void PlayerWidget::showFrame(int frame) {
    m_view->setImage(m_clip.isEmpty() ? QImage() : m_clip.frames.at(frame));
}

FullScreenView::FullScreenView(PlayerWidget& player)
    : QWidget(&player, Qt::Window), m_player(player), m_view(new FrameView(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Video"));
    setAccessibleName(windowTitle());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    m_view->setAccessibleName(windowTitle());
    m_view->setImage(player.shownFrame());
    connect(&player.playback(), &Playback::positionChanged, this,
            [this] { m_view->setImage(m_player.shownFrame()); });
    setFocusProxy(m_view);
    m_view->setFocus();
}

void FullScreenView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape || event->key() == Qt::Key_F || event->key() == Qt::Key_F11)
        close();
    else if (!m_view->takeKey(*event) && !m_player.takeKey(*event))
        QWidget::keyPressEvent(event);
}

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

#include "moc_player_widget.cpp"
