// SPDX-License-Identifier: GPL-3.0-or-later
// Keyframes in the form: pictures on a strip of the clip, and a line for each.
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QMimeData>
#include <QPainter>
#include <QTest>
#include <QToolButton>
#include <QUrl>
#include <vector>

#include "engine/models/families/model_family.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/accessible_controls.h"
#include "tests/support/studio/editor_test_case.h"
#include "ui/settings/key_row.h"
#include "ui/settings/keyframe_field.h"
#include "ui/settings/keyframe_strip.h"
#include "ui/widgets/edits.h"

using namespace meshreel;
using namespace meshreel::testing;

class KeyframesTest : public EditorTestCase {
    Q_OBJECT

  private slots:
    void picturesAreAddedInTheWidestGap();
    void aDropPutsThemWhereItFalls();
    void picturesAreDraggedAlongTheStrip();
    void keysMoveAndRemoveThem();
    void placesAreTyped();
    void unitsKeepTheFrame();
    void theStripFollowsTheClip();
    void thumbnailsStandAtTheirPlaces();
    void onlyModelsThatTakeThemShowThem();

  private:
    [[nodiscard]] KeyframeField& field() const {
        return dynamic_cast<KeyframeField&>(rowOf(*m_editor, "keyframes").field());
    }
    [[nodiscard]] const KeyframeList& keyframes() const { return m_document->project().keyframes; }
    [[nodiscard]] std::vector<std::int64_t> frames() const {
        std::vector<std::int64_t> list;
        for (const Keyframe& keyframe : keyframes())
            list.push_back(
                keyframe.place.frameOf(m_document->project().numFrames, m_document->project().fps));
        return list;
    }
    void set(const char* key, const char* text) {
        m_document->setText(*findProjectKey(key), QString::fromLatin1(text));
    }
};

void KeyframesTest::picturesAreAddedInTheWidestGap() {
    field().add({QStringLiteral("/pictures/a.png")});
    QCOMPARE(frames(), (std::vector<std::int64_t>{8}));
    field().add({QStringLiteral("/pictures/b.png"), QStringLiteral("/pictures/c.png")});
    QCOMPARE(frames(), (std::vector<std::int64_t>{8, 0, 16}));
    QCOMPARE(keyframes()[2].image, std::string("/pictures/c.png"));
    m_document->undoStack().undo();
    QCOMPARE(keyframes().size(), 1U);
    QCOMPARE(field().findChildren<NumberEdit*>().size() >= 1, true);
    m_document->undoStack().undo();
    QVERIFY(keyframes().empty());
    QVERIFY(namelessControls(field()).isEmpty());
}

void KeyframesTest::aDropPutsThemWhereItFalls() {
    KeyframeStrip& strip = field().strip();
    int x = 0;
    while (strip.frameAt(x) != 12)
        ++x;
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QStringLiteral("/pictures/a.png"))});
    QDragEnterEvent enter(QPoint(x, 8), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&strip, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(x, 8), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&strip, &drop);
    QCOMPARE(frames(), (std::vector<std::int64_t>{12}));
    QCOMPARE(strip.chosen(), 0);
}

void KeyframesTest::picturesAreDraggedAlongTheStrip() {
    set("keyframes", "[{frame: 0, image: /a.png}, {seconds: 1.0, image: /b.png}]");
    KeyframeStrip& strip = field().strip();
    const QPoint from = strip.thumbnailOf(1).center();
    QTest::mousePress(&strip, Qt::LeftButton, {}, from);
    int x = from.x();
    while (strip.frameAt(x) != 5)
        --x;
    QTest::mouseMove(&strip, QPoint(x, from.y()));
    QCOMPARE(frames(), (std::vector<std::int64_t>{0, 16}));  // not before it is let go
    QTest::mouseRelease(&strip, Qt::LeftButton, {}, QPoint(x, from.y()));
    QCOMPARE(frames(), (std::vector<std::int64_t>{0, 5}));
    QCOMPARE(keyframes()[1].place.unit, PlaceUnit::Seconds);
    m_document->undoStack().undo();
    QCOMPARE(frames(), (std::vector<std::int64_t>{0, 16}));
    QCOMPARE(strip.thumbnailOf(1).center().x(), from.x());
}

void KeyframesTest::keysMoveAndRemoveThem() {
    set("keyframes", "[{frame: 0, image: /a.png}, {frame: 8, image: /b.png}]");
    KeyframeStrip& strip = field().strip();
    QTest::keyClick(&strip, Qt::Key_Down);
    QTest::keyClick(&strip, Qt::Key_Left);  // there is nothing before the first frame
    QTest::keyClick(&strip, Qt::Key_Down);
    QTest::keyClick(&strip, Qt::Key_Right);
    QTest::keyClick(&strip, Qt::Key_PageUp);
    QCOMPARE(frames(), (std::vector<std::int64_t>{0, 13}));
    QCOMPARE(field().findChildren<NumberEdit*>().at(1)->value(), QStringLiteral("13"));
    m_document->undoStack().undo();  // moved in one go
    QCOMPARE(frames(), (std::vector<std::int64_t>{0, 8}));
    QTest::keyClick(&strip, Qt::Key_Delete);
    QCOMPARE(frames(), (std::vector<std::int64_t>{0}));
    QVERIFY(strip.accessibleDescription().contains(QLatin1String("a.png")));
}

void KeyframesTest::placesAreTyped() {
    set("keyframes", "[{frame: 0, image: /a.png}]");
    auto* number = field().findChild<NumberEdit*>();
    number->findChild<QLineEdit*>()->selectAll();
    QTest::keyClicks(number->findChild<QLineEdit*>(), QStringLiteral("6"));
    QCOMPARE(frames(), (std::vector<std::int64_t>{6}));
    auto* file = field().findChild<PathEdit*>();
    file->selectAll();
    QTest::keyClicks(file, QStringLiteral("/c.png"));
    QCOMPARE(keyframes().front().image, std::string("/c.png"));
    number->findChild<QLineEdit*>()->selectAll();
    QTest::keyClicks(number->findChild<QLineEdit*>(), QStringLiteral("60"));
    QVERIFY(field().isInvalid());
    QVERIFY(!rowOf(*m_editor, "keyframes").message().isEmpty());
    QTest::mouseClick(field().findChild<QToolButton*>(), Qt::LeftButton);
    QVERIFY(keyframes().empty());
}

void KeyframesTest::unitsKeepTheFrame() {
    set("keyframes", "[{frame: 4, image: /a.png}]");
    auto* unit = field().findChild<QComboBox*>();
    unit->setCurrentIndex(2);
    emit unit->activated(2);
    QCOMPARE(m_document->text(*findProjectKey("keyframes")),
             QStringLiteral("[{percent: 25.0, image: /a.png}]"));
    QCOMPARE(frames(), (std::vector<std::int64_t>{4}));
}

void KeyframesTest::theStripFollowsTheClip() {
    set("keyframes", "[{percent: 50, image: /a.png}]");
    KeyframeStrip& strip = field().strip();
    const int half = strip.thumbnailOf(0).center().x();
    set("num_frames", "33");
    QCOMPARE(strip.thumbnailOf(0).center().x(), half);
    QCOMPARE(strip.frameAt(strip.width()), 32);
    set("keyframes", "[{frame: 16, image: /a.png}]");
    QCOMPARE(strip.thumbnailOf(0).center().x(), half);
    set("image", "/first.png");
    QVERIFY(strip.thumbnailOf(1).center().x() < half);  // stands there, but is not moved
    QTest::mouseClick(&strip, Qt::LeftButton, {}, strip.thumbnailOf(1).center());
    QVERIFY(strip.chosen() != 1);
}

void KeyframesTest::thumbnailsStandAtTheirPlaces() {
    const auto picture = [this](const char* name, const QColor& colour) {
        QImage image(160, 90, QImage::Format_RGB32);
        image.fill(colour);
        QPainter painter(&image);
        painter.setBrush(Qt::white);
        painter.drawEllipse(60, 25, 40, 40);
        painter.end();
        const QString file = m_folder.filePath(QLatin1String(name));
        image.save(file);
        return file;
    };
    const QString red = picture("red.png", Qt::red);
    const QString blue = picture("blue.png", Qt::blue);
    const QString green = picture("green.png", Qt::darkGreen);
    set("num_frames", "81");
    m_editor->resize(420, 900);
    m_document->setText(*findProjectKey("image"), green);
    m_document->setText(
        *findProjectKey("keyframes"),
        QStringLiteral("[{frame: 28, image: %1}, {frame: 36, image: %2}, {percent: 100, image: "
                       "%1}]")
            .arg(red, blue));
    m_editor->setFamily(familyOfArchitecture("wan2.2-i2v-a14b"));
    m_editor->goTo(QStringLiteral("keyframes"));
    KeyframeStrip& strip = field().strip();
    const auto colourAt = [&](int index) {
        return strip.grab().toImage().pixelColor(
            strip.thumbnailOf(index).topLeft() * strip.devicePixelRatio() + QPoint(8, 8));
    };
    QTRY_COMPARE(colourAt(0), QColor(Qt::red));
    QTRY_COMPARE(colourAt(1), QColor(Qt::blue));
    QTRY_COMPARE(colourAt(3), QColor(Qt::darkGreen));
    strip.choose(1);
    QVERIFY(!strip.thumbnailOf(0).intersects(strip.thumbnailOf(1)));
    QVERIFY(strip.rect().contains(strip.thumbnailOf(2)) && strip.rect().contains(strip.thumbnailOf(3)));
    QTRY_COMPARE(strip.height(), strip.sizeHint().height());
}

void KeyframesTest::onlyModelsThatTakeThemShowThem() {
    m_editor->setShowsAdvanced(false);
    const KeyRow& row = rowOf(*m_editor, "keyframes");
    for (const char* family : {"wan2.1-t2v-1.3b", "wan2.1-phantom", "wan2.2-animate-14b"}) {
        m_editor->setFamily(familyOfArchitecture(family));
        QVERIFY2(!row.isVisible(), family);
    }
    for (const char* family : {"wan2.1-i2v-14b", "wan2.2-i2v-a14b", "wan2.2-ti2v-5b", "wan2.1-vace-14b"}) {
        m_editor->setFamily(familyOfArchitecture(family));
        QVERIFY2(row.isVisible(), family);
    }
}

MESHREEL_TEST_CLASS(KeyframesTest)
#include "keyframes_test.moc"
