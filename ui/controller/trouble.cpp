// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <exception>

#include "engine/base/error.h"
#include "ui/controller/run_news.h"
#include "ui/models/key_texts.h"

namespace meshreel {

Trouble Trouble::ofCurrentException() {
    try {
        throw;
    } catch (const Error& error) {
        return {sentenceText(error.message()), QString::fromStdString(error.where()),
                sentenceText(error.hint())};
    } catch (const std::exception& error) {
        return {QString::fromUtf8(error.what()), {}, {}};
    }
}

QString Trouble::text() const {
    const QString what =
        where.isEmpty()
            ? message
            : QCoreApplication::translate("Trouble", "%1: %2", "place and what is wrong").arg(where, message);
    return withHint(what, hint);
}

}  // namespace meshreel
