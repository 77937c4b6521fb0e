// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QApplication>
#include <QMessageBox>
#include <QString>
#include <QTest>
#include <QTimer>

namespace meshreel::testing {

/// Does what asks a question, and clicks the button of this role. Returns the question.
template <typename Ask>
QString answered(QMessageBox::ButtonRole role, const Ask& ask) {
    QString question;
    QTimer::singleShot(0, [&] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        QVERIFY(box != nullptr);
        question = box->text();
        for (QAbstractButton* button : box->buttons())
            if (box->buttonRole(button) == role)
                return button->click();
    });
    ask();
    return question;
}

}  // namespace meshreel::testing
