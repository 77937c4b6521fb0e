// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QLineF>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "engine/media/video_reader.h"
#include "engine/project/project_file.h"
#include "tests/support/charts/test_classes.h"
#include "ui/player/clip_exporter.h"
#include "ui/player/frame_view.h"
#include "ui/player/playback.h"
#include "ui/player/player_widget.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/panel_parts.h"

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
    void aNarrowPlayerSaysItsPlaceInShort();
    void sliderScrubs();
    void speedChangesTheInterval();
    void emptyClipDisablesTheControls();
    void fieldsOfTheExportAreNamed();
    void framesAreNotExportedOverOtherFiles();
    void wheelZoomsAboutThePointer();
    void keysZoomMoveAndFit();
    void zoomedPicturesStayInSight();
    void sheetShowsFirstAndLastFrame();
    void framesAreCopiedAndWritten();
    void clipsAreWrittenInEveryFormat();
    void clipsThatNoFileHoldsAreRefused();
    void exportsAreCalledAsTheirRunAndGoWhereTheLastOneWent();
    void picturesAreCalledAsTheirRun();

  private:
    QTemporaryDir m_folder;
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
    QVERIFY(!QTest::qWaitFor([&] { return positions.count() != seen; }, 30));
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

void PlayerTest::fieldsOfTheExportAreNamed() {
    const ClipExportDialog dialog(greyClip());
    const QList<QWidget*> fields =
        QList<QWidget*>{dialog.findChild<QComboBox*>(), dialog.findChild<QSpinBox*>(),
                        dialog.findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly)};
    for (QWidget* field : fields) {
        QVERIFY(field != nullptr);
        const QString name = QAccessible::queryAccessibleInterface(field)->text(QAccessible::Name);
        QVERIFY2(!name.isEmpty(), field->metaObject()->className());
    }
    const QList<QLabel*> labels = dialog.findChildren<QLabel*>();
    QVERIFY(
        std::ranges::any_of(labels, [&](const QLabel* label) { return label->buddy() == fields.last(); }));
}

void PlayerTest::framesAreNotExportedOverOtherFiles() {
    ClipExportDialog dialog(greyClip());
    const QList<QPushButton*> buttons = dialog.findChildren<QPushButton*>();
    const QPushButton* exports = *std::ranges::find(buttons, QLatin1String("Export"), &QAbstractButton::text);
    auto* format = dialog.findChild<QComboBox*>();
    format->setCurrentIndex(format->findData(static_cast<int>(VideoFormat::Png)));
    dialog.show();
    QTemporaryDir album;
    dialog.findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly)->setText(album.path());
    QVERIFY(exports->isEnabled());  // it is empty
    QFile picture(album.filePath(QStringLiteral("holiday.jpg")));
    QVERIFY(picture.open(QIODevice::WriteOnly));
    format->setCurrentIndex(format->findData(static_cast<int>(VideoFormat::Gif)));
    QVERIFY(exports->isEnabled());
    format->setCurrentIndex(format->findData(static_cast<int>(VideoFormat::Png)));
    QVERIFY(!exports->isEnabled());
    const QList<QLabel*> labels = dialog.findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text().contains(QLatin1String("other files than frames"));
    }));
    QCoreApplication::processEvents();
    QVERIFY(format->height() >= format->sizeHint().height());  // the words did not take its room
}

void PlayerTest::wheelZoomsAboutThePointer() {
    PictureZoom zoom;
    const QSize picture(100, 50);
    const QSize widget(200, 200);
    QCOMPARE(zoom.target(picture, widget), QRectF(0, 50, 200, 100));
    const QPointF at(50, 80);
    const auto share = [&] {
        const QRectF target = zoom.target(picture, widget);
        return QPointF((at.x() - target.left()) / target.width(), (at.y() - target.top()) / target.height());
    };
    zoom.zoom(4, at, picture, widget);
    const QPointF before = share();
    zoom.zoom(2, at, picture, widget);
    QVERIFY(QLineF(before, share()).length() < 1e-9);
    QVERIFY(!zoom.isFitted());
    zoom.fit();
    QVERIFY(zoom.isFitted());
    PlayerWidget player;
    player.resize(300, 300);
    player.setClip(greyClip());
    player.show();
    QTest::keyClick(&player, Qt::Key_Plus);
    QVERIFY(!player.view().pictureZoom().isFitted());
    QTest::keyClick(&player, Qt::Key_0);
    QVERIFY(player.view().pictureZoom().isFitted());
}

void PlayerTest::keysZoomMoveAndFit() {
    PlayerWidget player;
    player.resize(300, 300);
    player.setClip(greyClip());
    player.show();
    FrameView& view = player.view();
    const auto shown = [&view] { return view.pictureZoom().target(view.image().size(), view.size()); };
    QTest::keyClick(&view, Qt::Key_Plus);
    QTest::keyClick(&view, Qt::Key_Plus);
    const QRectF before = shown();
    QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(shown().left() < before.left());
    QTest::keyClick(&view, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(shown(), before);
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(shownLevel(player), 1);
    QTest::keyClick(&view, Qt::Key_0);
    QVERIFY(view.pictureZoom().isFitted());
}

void PlayerTest::zoomedPicturesStayInSight() {
    PictureZoom zoom;
    const QSize size(100, 100);
    zoom.zoom(3, {50, 50}, size, size);
    zoom.move({1000, -1000}, size, size);
    QCOMPARE(zoom.target(size, size), QRectF(0, -200, 300, 300));
}

void PlayerTest::sheetShowsFirstAndLastFrame() {
    QCOMPARE(spreadFrames(1, sheetFrames), QList<int>({0}));
    QCOMPARE(spreadFrames(5, sheetFrames), QList<int>({0, 1, 2, 3, 4}));
    const QList<int> frames = spreadFrames(81, sheetFrames);
    QCOMPARE(frames.size(), sheetFrames);
    QCOMPARE(frames.first(), 0);
    QCOMPARE(frames.last(), 80);
    const QImage sheet = contactSheet(greyClip());
    QVERIFY(sheet.width() > 5 * 160);  // small frames are enlarged
    QVERIFY(sheet.height() > 160);
}

void PlayerTest::framesAreCopiedAndWritten() {
    PlayerWidget player;
    player.setClip(greyClip());
    player.show();
    player.playback().seek(2);
    QTest::keyClick(&player, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->image().pixelColor(0, 0).red(), 2);
    QSignalSpy written(&player.exporter(), &ClipExporter::written);
    QSignalSpy wentWrong(&player.exporter(), &ClipExporter::wentWrong);
    const QString file = m_folder.filePath(QStringLiteral("frame.png"));
    player.exporter().writePicture(player.shownFrame(), file.toStdString());
    QTRY_COMPARE(written.count(), 1);
    QCOMPARE(QImage(file).pixelColor(0, 0).red(), 2);
    player.exporter().writePicture(player.shownFrame(),
                                   m_folder.filePath(QStringLiteral("missing/frame.png")).toStdString());
    QTRY_COMPARE(wentWrong.count(), 1);
}

void PlayerTest::clipsAreWrittenInEveryFormat() {
    PlayerWidget player;
    Clip clip = greyClip();
    for (int i = 0; i < frameCount; ++i)
        clip.frames[i].fill(QColor(50 * i, 50 * i, 50 * i));  // animated WebP joins frames that look equal
    clip.project = resolvedYaml(Project());
    for (const VideoFormatInfo& info : videoFormats()) {
        const QString name = QString::fromStdString(std::string(info.name));
        const std::filesystem::path file =
            withVideoExtension(m_folder.filePath(QStringLiteral("clip-") + name).toStdString(), info.format);
        QSignalSpy written(&player.exporter(), &ClipExporter::written);
        player.exporter().writeClip(clip, file, info.format, 90);
        QTRY_VERIFY2_WITH_TIMEOUT(written.count() == 1, qPrintable(name), 20'000);
        QCOMPARE(readVideo(file).extent(0), frameCount);
        QCOMPARE(readProjectFromMedia(file), clip.project);  // nothing of what made it is lost
    }
}

void PlayerTest::clipsThatNoFileHoldsAreRefused() {
    PlayerWidget player;
    Clip odd;
    odd.framesPerSecond = 8;
    QImage image(7, 5, QImage::Format_RGB888);
    image.fill(Qt::red);
    odd.frames = {image, image};
    QSignalSpy wentWrong(&player.exporter(), &ClipExporter::wentWrong);
    player.exporter().writeClip(odd, m_folder.filePath(QStringLiteral("odd.mp4")).toStdString(),
                                VideoFormat::Mp4, 90);
    QTRY_COMPARE(wentWrong.count(), 1);
    const auto trouble = wentWrong.first().first().value<Problem>();
    QVERIFY2(!sentenceText(trouble.hint()).isEmpty(), qPrintable(sentenceText(trouble.message)));
}

void PlayerTest::exportsAreCalledAsTheirRunAndGoWhereTheLastOneWent() {
    QSettings().clear();
    Clip clip = greyClip();
    QCOMPARE(QFileInfo(ClipExportDialog(clip).file()).completeBaseName(), QStringLiteral("clip"));
    clip.name = "20261123-170048-demo";
    ClipExportDialog first(clip);
    QCOMPARE(QFileInfo(first.file()).fileName(), QStringLiteral("20261123-170048-demo.mp4"));
    auto* format = first.findChild<QComboBox*>();
    format->setCurrentIndex(format->findData(static_cast<int>(VideoFormat::WebM)));
    first.findChild<QSpinBox*>()->setValue(37);
    auto* file = first.findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
    file->setText(m_folder.filePath(QStringLiteral("another")));
    first.reject();
    QCOMPARE(ClipExportDialog(clip).format(), VideoFormat::Mp4);  // what was given up is not remembered
    first.accept();
    clip.name = "next";
    const ClipExportDialog second(clip);
    QCOMPARE(second.file(), m_folder.filePath(QStringLiteral("next.webm")));
    QCOMPARE(second.quality(), 37);
}

void PlayerTest::picturesAreCalledAsTheirRun() {
    keepExportFolder(m_folder.filePath(QStringLiteral("before.mp4")));
    PlayerWidget player;
    Clip clip = greyClip();
    clip.name = "demo";
    QStringList offered;
    QTimer answer;
    answer.callOnTimeout([&offered] {
        if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
            offered += dialog->selectedFiles();
            dialog->reject();
        }
    });
    constexpr int pollMilliseconds = 20;
    answer.start(pollMilliseconds);
    player.exporter().askForFrame(clip, 2);
    player.exporter().askForSheet(clip);
    QCOMPARE(offered, QStringList({m_folder.filePath(QStringLiteral("demo-frame-3.png")),
                                   m_folder.filePath(QStringLiteral("demo-sheet.png"))}));
}

void PlayerTest::aNarrowPlayerSaysItsPlaceInShort() {
    Playback playback;
    PlaybackControls controls(playback);
    controls.setLength(33, 16);
    controls.resize(800, 40);
    controls.show();
    const auto* place = controls.findChild<QLabel*>();
    QCOMPARE(place->text(), QStringLiteral("Frame 1 of 33 · 0.00 s"));
    controls.resize(controls.minimumSizeHint().width(), 40);
    QTRY_COMPARE(place->text(), QStringLiteral("1/33"));
    QCOMPARE(place->toolTip(), QStringLiteral("Frame 1 of 33 · 0.00 s"));
}

MESHREEL_TEST_CLASS(PlayerTest)
#include "player_test.moc"
