// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/player/player_widget.h"

#include <QKeyEvent>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

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

}  // namespace meshreel

#include "moc_player_widget.cpp"
