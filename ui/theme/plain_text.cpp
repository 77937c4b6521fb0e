// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/plain_text.h"

#include <QTextDocument>

namespace meshreel {

QString asPlainText(const QString& text) {
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

}  // namespace meshreel
