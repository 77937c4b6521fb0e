// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>

#include "ui/controller/background.h"

namespace meshreel {

/// Work away from the thread of the widgets of which only what was asked for last matters: what earlier work
/// gives, or fails with, is dropped.
class LatestOnly {
  public:
    /// As Background::run().
    template <typename Work, typename Done, typename Failed>
    void run(Work work, Done done, Failed failed) {
        const int number = ++m_asked;
        m_background.run(
            std::move(work),
            [this, number, done = std::move(done)](auto&& value) mutable {
                if (number == m_asked)
                    done(std::forward<decltype(value)>(value));
            },
            [this, number, failed = std::move(failed)](const Trouble& trouble) mutable {
                if (number == m_asked)
                    failed(trouble);
            });
    }

    /// What is under way is of no interest any more.
    void forget() { ++m_asked; }

  private:
    int m_asked = 0;
    Background m_background;
};

}  // namespace meshreel
