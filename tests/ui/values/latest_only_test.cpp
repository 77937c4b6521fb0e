// SPDX-License-Identifier: GPL-3.0-or-later
// Work of which only what was asked for last is shown.
#include <QSemaphore>
#include <QTest>
#include <atomic>

#include "engine/base/error.h"
#include "tests/support/charts/test_classes.h"
#include "ui/values/background.h"
#include "ui/values/engine_texts.h"

using namespace meshreel;

class LatestOnlyTest : public QObject {
    Q_OBJECT

  private slots:
    void resultsAndTroublesArrive();
    void whatWasAskedEarlierIsDropped_data();
    void whatWasAskedEarlierIsDropped();
    void whatIsForgottenDoesNotArrive();
    void ofManyRequestsTheFirstAndTheLastRunAtMost();
    void whatIsForgottenBeforeItBeginsNeverRuns();
    void theEndWaitsForWorkAndHearsNothing();

  private:
    QStringList m_told;

    /// That ends when `gate` lets it, and fails where `problem` says why.
    void ask(LatestOnly& latest, const QString& name, QSemaphore& gate, const char* problem = nullptr) {
        latest.run(
            [name, &gate, problem] {
                gate.acquire();
                if (problem != nullptr)
                    throw Error(ErrorKind::Input, sentence("{}", problem));
                return name;
            },
            [this](const QString& value) { m_told += value; },
            [this](const Problem& told) { m_told += sentenceText(told.message); });
    }
};

void LatestOnlyTest::resultsAndTroublesArrive() {
    m_told.clear();
    LatestOnly latest;
    QSemaphore open(2);
    ask(latest, QStringLiteral("first"), open);
    QTRY_COMPARE(m_told, QStringList{QStringLiteral("first")});
    ask(latest, QStringLiteral("second"), open, "out of order");
    QTRY_COMPARE(m_told.size(), 2);
    QCOMPARE(m_told.last(), QStringLiteral("out of order"));
}

void LatestOnlyTest::whatWasAskedEarlierIsDropped_data() {
    QTest::addColumn<bool>("fails");
    QTest::newRow("a result") << false;
    QTest::newRow("a trouble") << true;
}

void LatestOnlyTest::whatWasAskedEarlierIsDropped() {
    QFETCH(const bool, fails);
    m_told.clear();
    QSemaphore slow;
    QSemaphore quick(1);
    {
        LatestOnly latest;
        ask(latest, QStringLiteral("slow"), slow, fails ? "slow" : nullptr);
        ask(latest, QStringLiteral("quick"), quick);
        // One runs at a time: the slow one is in front if it has begun.
        slow.release();
        QTRY_COMPARE(m_told, QStringList{QStringLiteral("quick")});
    }
    QCoreApplication::processEvents();
    QCOMPARE(m_told, QStringList{QStringLiteral("quick")});
}

void LatestOnlyTest::whatIsForgottenDoesNotArrive() {
    m_told.clear();
    QSemaphore gate;
    LatestOnly latest;
    ask(latest, QStringLiteral("forgotten"), gate);
    latest.forget();
    gate.release();
    QVERIFY(!QTest::qWaitFor([this] { return !m_told.isEmpty(); }, 50));
    ask(latest, QStringLiteral("wanted"), gate);
    gate.release();
    QTRY_COMPARE(m_told, QStringList{QStringLiteral("wanted")});
}

void LatestOnlyTest::ofManyRequestsTheFirstAndTheLastRunAtMost() {
    constexpr int requests = 20;
    std::atomic<int> ran = 0;
    int told = -1;
    QSemaphore gate;
    LatestOnly latest;
    for (int request = 0; request < requests; ++request)
        latest.run(
            [&ran, &gate, request] {
                ++ran;
                gate.acquire();
                return request;
            },
            [&told](int value) { told = value; }, [](const Problem&) {});
    gate.release(requests);
    QTRY_COMPARE(told, requests - 1);
    QVERIFY2(ran <= 2, qPrintable(QString::number(ran)));
}

void LatestOnlyTest::whatIsForgottenBeforeItBeginsNeverRuns() {
    QSemaphore begun;
    QSemaphore gate;
    LatestOnly latest;
    const auto ask = [&] {
        latest.run(
            [&] {
                begun.release();
                gate.acquire();
                return 0;
            },
            [](int) {}, [](const Problem&) {});
    };
    ask();
    begun.acquire();
    ask();
    latest.forget();
    gate.release(2);
    QVERIFY(!begun.tryAcquire(1, 50));
}

void LatestOnlyTest::theEndWaitsForWorkAndHearsNothing() {
    m_told.clear();
    QSemaphore begun;
    bool ended = false;
    {
        LatestOnly latest;
        latest.run(
            [&] {
                begun.release();
                QTest::qSleep(50);
                ended = true;
                return 0;
            },
            [this](int) { m_told += QStringLiteral("told"); }, [](const Problem&) {});
        begun.acquire();
    }
    QVERIFY(ended);
    QCoreApplication::processEvents();
    QCOMPARE(m_told, QStringList());
}

MESHREEL_TEST_CLASS_WITHOUT_WINDOWS(LatestOnlyTest)
#include "latest_only_test.moc"
