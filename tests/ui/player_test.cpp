// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

#include "ui/player/player_widget.h"

using namespace meshreel;

namespace {

constexpr int frameCount = 5;

/// Frame i is a plain picture of grey level i.
Clip greyClip() {
    Clip clip;
    clip.framesPerSecond = 50;
    for (int i = 0; i < frameCount; ++i) {
        QImage image(8, 8, QImage::Format_RGB888);
        image.fill(QColor(i, i, i));
        clip.frames.append(image);
    }
    return clip;
}

int shownLevel(const PlayerWidget& player) {
    return player.shownFrame().pixelColor(0, 0).red();
}

}  // namespace

class PlayerTest : public QObject {
    Q_OBJECT

  private slots:
    void playsToTheEndAndStops();
    void loopsUntilPaused();
    void keysStepAndSeek();
    void sliderScrubs();
    void speedChangesTheInterval();
    void emptyClipDisablesTheControls();
};

void PlayerTest::playsToTheEndAndStops() {
    Playback playback;
    playback.setLoops(false);
    playback.setLength(frameCount, 100);
    QSignalSpy positions(&playback, &Playback::positionChanged);
    playback.play();
    QTRY_VERIFY(!playback.isPlaying());
    QCOMPARE(playback.position(), frameCount - 1);
    QCOMPARE(positions.count(), frameCount - 1);
    playback.play();
    QCOMPARE(playback.position(), 0);
}

void PlayerTest::loopsUntilPaused() {
    Playback playback;
    playback.setLength(2, 200);
    QSignalSpy positions(&playback, &Playback::positionChanged);
    playback.play();
    QTRY_VERIFY(positions.count() > 4);
    playback.pause();
    const int seen = positions.count();
    QTest::qWait(30);
    QCOMPARE(positions.count(), seen);
}

void PlayerTest::keysStepAndSeek() {
    PlayerWidget player;
    player.setClip(greyClip());
    player.show();
    QCOMPARE(shownLevel(player), 0);
    QTest::keyClick(&player, Qt::Key_Right);
    QCOMPARE(shownLevel(player), 1);
    QTest::keyClick(&player, Qt::Key_End);
    QCOMPARE(shownLevel(player), frameCount - 1);
    QTest::keyClick(&player, Qt::Key_Right);  // wraps around: the player loops
    QCOMPARE(shownLevel(player), 0);
    QTest::keyClick(&player, Qt::Key_Left);
    QCOMPARE(shownLevel(player), frameCount - 1);
    QTest::keyClick(&player, Qt::Key_Space);
    QVERIFY(player.playback().isPlaying());
    QTest::keyClick(&player, Qt::Key_Left);
    QVERIFY(!player.playback().isPlaying());
}

void PlayerTest::sliderScrubs() {
    PlayerWidget player;
    player.setClip(greyClip());
    auto* slider = player.findChild<QSlider*>();
    QVERIFY(slider != nullptr);
    slider->setValue(3);
    QCOMPARE(shownLevel(player), 3);
    player.playback().seek(1);
    QCOMPARE(slider->value(), 1);
}

void PlayerTest::speedChangesTheInterval() {
    PlayerWidget player;
    player.setClip(greyClip());
    auto* speeds = player.findChild<QComboBox*>();
    QVERIFY(speeds != nullptr);
    speeds->setCurrentIndex(speeds->findData(0.5));
    QCOMPARE(player.playback().speed(), 0.5);
}

void PlayerTest::emptyClipDisablesTheControls() {
    PlayerWidget player;
    player.setClip({});
    const auto buttons = player.findChildren<QToolButton*>();
    QVERIFY(!buttons.isEmpty());
    for (const QToolButton* button : buttons)
        QVERIFY(!button->isEnabled());
    player.setClip(greyClip());
    for (const QToolButton* button : buttons) {
        QVERIFY(button->isEnabled());
        QVERIFY(!button->accessibleName().isEmpty());
    }
}

QTEST_MAIN(PlayerTest)
#include "player_test.moc"
