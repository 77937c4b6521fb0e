// SPDX-License-Identifier: GPL-3.0-or-later
// Messages over the window: what moves for them, how long they stay, where they stand, and the keyboard.
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <string>
#include <utility>

#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/accessible_controls.h"
#include "tests/support/studio/studio_test_case.h"
#include "ui/compare/compare_panel.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/results_view.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/dock_host.h"

using namespace meshreel;
using namespace std::chrono_literals;

namespace {

constexpr auto shortPatience = 20ms;
constexpr int severalTimesThat = 100;  ///< milliseconds

const Problem noRoom{
    .place = {.file = "~/runs"}, .message = "The disk is full", .fixes = byHand("Free some space.")};

/// Where everything that is shown stands, but for the messages.
QMap<const QWidget*, QRect> placesIn(const QWidget& window, const QWidget& messages) {
    QMap<const QWidget*, QRect> places;
    for (const QWidget* widget : window.findChildren<QWidget*>())
        if (widget->isVisible() && widget != &messages && !messages.isAncestorOf(widget))
            places[widget] = QRect(widget->mapTo(&window, QPoint()), widget->size());
    return places;
}

/// A window with a field, and messages over it.
struct Messaged {
    QWidget window;
    QLineEdit* field = new QLineEdit(&window);
    MessageBanner messages{&window};

    Messaged() {
        window.resize(600, 400);
        messages.setPatience(shortPatience);
        window.show();
        window.activateWindow();
        field->setFocus();
    }
    [[nodiscard]] QToolButton* close() const { return messages.findChild<QToolButton*>(); }
};

}  // namespace

class MessagesTest : public meshreel::testing::StudioTestCase {
    Q_OBJECT

  private slots:
    void nothingMovesForMessages();
    void theyStandOverTheViewer();
    void theyStandOverTheDocksWhereTheViewerIsHidden();
    void notesCloseByThemselves();
    void errorsStayUntilTheyAreClosed();
    void notesStayWhileThePointerIsOverThem();
    void notesStayWhileTheyHaveTheFocus();
    void escapeClosesAndGivesTheFocusBack();
    void theNewestStandsOnTop();
    void aSentenceIsSaidOnce();
    void whatHasNoRoomWaits();
    void assistiveToolsAreToldWhatTheySay();
    void aDialogShowsWhatHappensInIt();
    void unreadableTimingsAreToldInTheirDialog();
};

void MessagesTest::nothingMovesForMessages() {
    MessageBanner& messages = m_window->banner();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    QTRY_VERIFY(!m_window->planWatch().isPending());
    auto before = placesIn(*m_window, messages);
    QTRY_VERIFY(!QTest::qWaitFor(
        [&] { return std::exchange(before, placesIn(*m_window, messages)) != before; }, severalTimesThat));
    const auto moved = [&] {
        QApplication::processEvents();
        const auto now = placesIn(*m_window, messages);
        QStringList names;
        for (auto place = before.begin(); place != before.end(); ++place)
            if (now.value(place.key()) != place.value())
                names += meshreel::testing::described(*place.key());
        return names.join(QLatin1Char('\n'));
    };
    QVERIFY(before.size() > 50);
    messages.showNote(QStringLiteral("A note that is long enough for a second line, whatever the font is."));
    messages.showProblem(noRoom);
    QVERIFY(messages.isVisible());
    QCOMPARE(moved(), QString());
    messages.closeAll();
    QVERIFY(!messages.isVisible());
    QCOMPARE(moved(), QString());
}

void MessagesTest::theyStandOverTheViewer() {
    MessageBanner& messages = m_window->banner();
    const QWidget& stage = m_window->panels().results().stage();
    messages.showProblem(noRoom);
    const auto place = [&] { return QRect(messages.mapTo(m_window.get(), QPoint()), messages.size()); };
    const auto viewer = [&] { return QRect(stage.mapTo(m_window.get(), QPoint()), stage.size()); };
    QVERIFY(viewer().contains(place()));
    m_window->resize(1024, 600);
    QApplication::processEvents();
    QVERIFY(viewer().contains(place().topRight()));
    QVERIFY(m_window->rect().contains(place()));
}

void MessagesTest::theyStandOverTheDocksWhereTheViewerIsHidden() {
    MessageBanner& messages = m_window->banner();
    messages.showProblem(noRoom);
    m_window->docks().showPanel(&m_window->panels().compare());
    QApplication::processEvents();
    const QRect place(messages.mapTo(m_window.get(), QPoint()), messages.size());
    const QRect docks(m_window->docks().mapTo(m_window.get(), QPoint()), m_window->docks().size());
    QVERIFY(docks.contains(place));
    QVERIFY(docks.bottom() - place.bottom() < 20);
}

void MessagesTest::notesCloseByThemselves() {
    Messaged messaged;
    messaged.messages.showNote(QStringLiteral("Done"));
    QVERIFY(messaged.messages.isVisible());
    QTRY_COMPARE(messaged.messages.count(), 0);
    QVERIFY(!messaged.messages.isVisible());
}

void MessagesTest::errorsStayUntilTheyAreClosed() {
    Messaged messaged;
    messaged.messages.showProblem(noRoom);
    QVERIFY(!QTest::qWaitFor([&messaged] { return messaged.messages.count() != 1; }, severalTimesThat));
    QVERIFY(messaged.messages.text().contains(QLatin1String("Free some space.")));
    QTest::mouseClick(messaged.close(), Qt::LeftButton);
    QCOMPARE(messaged.messages.count(), 0);
    QVERIFY(!messaged.messages.isVisible());
}

void MessagesTest::notesStayWhileThePointerIsOverThem() {
    Messaged messaged;
    messaged.messages.showNote(QStringLiteral("Done"));
    QWidget* card = messaged.close()->parentWidget();
    QEnterEvent enter(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5));
    QApplication::sendEvent(card, &enter);
    QVERIFY(!QTest::qWaitFor([&messaged] { return messaged.messages.count() != 1; }, severalTimesThat));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(card, &leave);
    QTRY_COMPARE(messaged.messages.count(), 0);
}

void MessagesTest::notesStayWhileTheyHaveTheFocus() {
    Messaged messaged;
    QVERIFY(QTest::qWaitForWindowActive(&messaged.window));
    messaged.messages.showNote(QStringLiteral("Done"));
    messaged.close()->setFocus();
    QVERIFY(!QTest::qWaitFor([&messaged] { return messaged.messages.count() != 1; }, severalTimesThat));
    messaged.field->setFocus();
    QTRY_COMPARE(messaged.messages.count(), 0);
}

void MessagesTest::escapeClosesAndGivesTheFocusBack() {
    Messaged messaged;
    QVERIFY(QTest::qWaitForWindowActive(&messaged.window));
    QCOMPARE(QApplication::focusWidget(), messaged.field);
    messaged.messages.showProblem(noRoom);
    QCOMPARE(QApplication::focusWidget(), messaged.field);  // people go on typing
    messaged.close()->setFocus();
    QTest::keyClick(messaged.close(), Qt::Key_Escape);
    QCOMPARE(messaged.messages.count(), 0);
    QCOMPARE(QApplication::focusWidget(), messaged.field);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    messaged.messages.showProblem(noRoom);
    auto* text = messaged.messages.findChild<QLabel*>(QStringLiteral("text"));
    text->setFocus();
    QTest::keyClick(text, Qt::Key_Escape);
    QCOMPARE(messaged.messages.count(), 0);
    QCOMPARE(QApplication::focusWidget(), messaged.field);
}

void MessagesTest::theNewestStandsOnTop() {
    Messaged messaged;
    messaged.messages.showProblem(noRoom);
    messaged.messages.showProblem({.message = "Another one"});
    QCOMPARE(messaged.messages.count(), 2);
    QVERIFY(messaged.messages.text().contains(QLatin1String("Another one")));
    const auto cards = messaged.messages.findChildren<QFrame*>(QString(), Qt::FindDirectChildrenOnly);
    QCOMPARE(cards.size(), 2);
    QVERIFY(cards[1]->geometry().bottom() < cards[0]->geometry().top());
}

void MessagesTest::aSentenceIsSaidOnce() {
    Messaged messaged;
    messaged.messages.showProblem(noRoom);
    messaged.messages.showProblem({.message = "Another one"});
    messaged.messages.showProblem(noRoom);
    QCOMPARE(messaged.messages.count(), 2);
    QVERIFY(messaged.messages.text().contains(QLatin1String("disk")));
}

void MessagesTest::whatHasNoRoomWaits() {
    Messaged messaged;
    constexpr int many = 20;
    for (int i = 0; i < many; ++i)
        messaged.messages.showProblem({.message = "Error " + std::to_string(i)});
    QCOMPARE(messaged.messages.count(), many);
    QVERIFY(messaged.window.rect().contains(messaged.messages.geometry()));
    for (int i = many - 1; i >= 0; --i) {
        QVERIFY(messaged.messages.text().contains(QStringLiteral("Error %1<").arg(i)));
        const auto buttons = messaged.messages.findChildren<QToolButton*>();
        const auto shown = std::ranges::find_if(buttons, [](const QToolButton* button) {
            return button->isVisible() && button->parentWidget()->y() == 0;
        });
        QVERIFY(shown != buttons.end());
        QTest::mouseClick(*shown, Qt::LeftButton);
    }
    QCOMPARE(messaged.messages.count(), 0);
}

void MessagesTest::assistiveToolsAreToldWhatTheySay() {
    Messaged messaged;
    messaged.messages.showProblem(noRoom);
    const QWidget* card = messaged.close()->parentWidget();
    QVERIFY2(card->accessibleName().startsWith(QLatin1String("The disk is full")),
             qPrintable(card->accessibleName()));
    QVERIFY(!card->accessibleName().contains(QLatin1Char('<')));
    QVERIFY(!messaged.close()->accessibleName().isEmpty());
    // What is announced.
    const QAccessibleInterface* text =
        QAccessible::queryAccessibleInterface(card->findChild<QLabel*>(QStringLiteral("text")));
    QCOMPARE(text->role(), QAccessible::StaticText);
    QVERIFY(text->text(QAccessible::Name).contains(QLatin1String("The disk is full")));
}

void MessagesTest::aDialogShowsWhatHappensInIt() {
    Messaged messaged;
    {
        QDialog dialog(&messaged.window);
        dialog.resize(400, 300);
        dialog.setModal(true);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        messaged.messages.showProblem(noRoom);
        QCOMPARE(messaged.messages.window(), &dialog);
        QVERIFY(messaged.messages.isVisible());
        QVERIFY(dialog.rect().contains(messaged.messages.geometry()));
    }
    QCOMPARE(messaged.messages.window(), &messaged.window);
    QCOMPARE(messaged.messages.count(), 1);
    QVERIFY(messaged.messages.isVisible());
}

void MessagesTest::unreadableTimingsAreToldInTheirDialog() {
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    bool wasTold = false;
    QTimer poll;
    poll.callOnTimeout([&] {
        auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr || !dialog->isVisible())
            return;
        poll.stop();
        dialog->accept();  // of nothing
        const auto labels = dialog->findChildren<QLabel*>();
        wasTold = dialog->isVisible() && std::ranges::any_of(labels, [](const QLabel* label) {
                      return label->text().contains(QLatin1String("There is no timing summary in it"));
                  });
        dialog->reject();
    });
    poll.start(5);
    m_window->findChild<QAction*>(QStringLiteral("paste"))->trigger();
    QVERIFY(wasTold);
    QVERIFY(!m_window->banner().isVisible());
}

MESHREEL_TEST_CLASS(MessagesTest)
#include "messages_test.moc"
