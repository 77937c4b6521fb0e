// SPDX-License-Identifier: GPL-3.0-or-later
#include <exception>

#include "engine/base/error.h"
#include "ui/controller/run_news.h"

namespace meshreel {

Trouble Trouble::ofCurrentException() {
    try {
        throw;
    } catch (const Error& error) {
        return {QString::fromStdString(error.message()), QString::fromStdString(error.where()),
                QString::fromStdString(error.hint())};
    } catch (const std::exception& error) {
        return {QString::fromUtf8(error.what()), {}, {}};
    }
}

}  // namespace meshreel
