// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {

/// Short work away from the thread of the widgets. Results come back on the thread of this object; whatever
/// is still waiting when it ends is dropped.
class Background : public QObject {
    Q_OBJECT

  public:
    explicit Background(QObject* parent = nullptr) : QObject(parent) {}
    ~Background() override;

    /// How much runs at once, beside each other; the rest waits.
    void setMostAtOnce(int most) { m_pool.setMaxThreadCount(most); }
    /// Work that has not begun never runs, and neither of its functions is called.
    void dropWaiting() { m_pool.clear(); }

    /// `work()` gives the value for `done(value)`; what it throws goes to `failed(problem)`.
    template <typename Work, typename Done, typename Failed>
    void run(Work work, Done done, Failed failed) {
        m_pool.start([this, work = std::move(work), done = std::move(done),
                      failed = std::move(failed)]() mutable {
            try {
                auto value = work();
                QMetaObject::invokeMethod(
                    this,
                    [done = std::move(done), value = std::move(value)]() mutable { done(std::move(value)); },
                    Qt::QueuedConnection);
            } catch (...) {
                Problem problem = currentProblem();
                QMetaObject::invokeMethod(
                    this,
                    [failed = std::move(failed), problem = std::move(problem)]() mutable { failed(problem); },
                    Qt::QueuedConnection);
            }
        });
    }

  private:
    QThreadPool m_pool;
};

/// Work away from the thread of the widgets of which only the latest request matters: results and failures of
/// earlier work are dropped, and earlier work that has not begun never runs. One piece of work runs at a
/// time.
class LatestOnly {
  public:
    LatestOnly() { m_background.setMostAtOnce(1); }

    /// As Background::run().
    template <typename Work, typename Done, typename Failed>
    void run(Work work, Done done, Failed failed) {
        forget();
        const int number = m_asked;
        m_background.run(
            std::move(work),
            [this, number, done = std::move(done)](auto&& value) mutable {
                if (number == m_asked)
                    done(std::forward<decltype(value)>(value));
            },
            [this, number, failed = std::move(failed)](const Problem& problem) mutable {
                if (number == m_asked)
                    failed(problem);
            });
    }

    /// Drops the result of the work in progress, and the work that waits.
    void forget() {
        ++m_asked;
        m_background.dropWaiting();
    }

  private:
    int m_asked = 0;
    Background m_background;
};

}  // namespace meshreel
