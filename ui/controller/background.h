// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <utility>

#include "ui/controller/run_news.h"

namespace meshreel {

/// Short work away from the thread of the widgets. Results come back on the thread of this object; whatever
/// is still waiting when it ends is dropped.
class Background : public QObject {
    Q_OBJECT

  public:
    explicit Background(QObject* parent = nullptr) : QObject(parent) {}
    ~Background() override {
        m_pool.clear();
        m_pool.waitForDone();
    }

    /// `work()` gives the value for `done(value)`; what it throws goes to `failed(trouble)`.
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
                Trouble trouble = Trouble::ofCurrentException();
                QMetaObject::invokeMethod(
                    this,
                    [failed = std::move(failed), trouble = std::move(trouble)]() mutable { failed(trouble); },
                    Qt::QueuedConnection);
            }
        });
    }

  private:
    QThreadPool m_pool;
};

}  // namespace meshreel
