// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <mutex>

#include "ui/controller/run_news.h"

namespace meshreel {

/// Where the engine's thread leaves news for the Studio's. However often the engine posts, newsArrived() is
/// emitted once per take().
class Mailbox : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// Any thread: changes the waiting news.
    void post(const std::function<void(RunNews&)>& change);

    /// What is waiting, leaving nothing.
    RunNews take();

  signals:
    /// On the thread that posts; connect it queued.
    void newsArrived();

  private:
    std::mutex m_mutex;
    RunNews m_news;
    bool m_announced = false;
};

}  // namespace meshreel
