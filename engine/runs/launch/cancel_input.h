// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <thread>

namespace meshreel {

/// While it lives, calls `onCancel` (once, from a thread of its own) when a descriptor has something to read:
/// how rank 0 hears from the program that launched it. Its being closed means nothing: mpirun closes it, too,
/// when another rank has died.
class CancelInput {
  public:
    CancelInput(int descriptor, std::function<void()> onCancel);
    ~CancelInput();
    CancelInput(const CancelInput&) = delete;
    CancelInput& operator=(const CancelInput&) = delete;

  private:
    int m_end;  // an event that ends the thread
    std::thread m_thread;
};

}  // namespace meshreel
