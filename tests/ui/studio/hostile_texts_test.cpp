// SPDX-License-Identifier: GPL-3.0-or-later
// Names, prompts, paths and messages from outside are shown as they are written: nothing of them is read as
// mark-up, in no label and in no tool tip.
#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>
#include <QTextDocument>
#include <QToolTip>
#include <algorithm>

#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/filled_studio.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/row_table.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

const QString hostile = QStringLiteral("<img src=x><b>owned</b>");

/// What Qt would read as mark-up.
bool readsMarkUp(const QString& text) {
    return text.contains(hostile) && Qt::mightBeRichText(text);
}

QString told(const QString& where, const QString& text) {
    return QStringLiteral("%1: %2").arg(where, text);
}

/// What the user reads in a tool tip over a place.
QString tipAt(QWidget& widget, const QPoint& place) {
    QToolTip::hideText();
    QHelpEvent help(QEvent::ToolTip, place, widget.mapToGlobal(place));
    QApplication::sendEvent(&widget, &help);
    return QToolTip::text();
}

}  // namespace

class HostileTextsTest : public QObject {
    Q_OBJECT

  private slots:
    void plainTextStaysAsItIs();
    void theWindowReadsNoMarkUpFromOutside();
    void tipsOfTablesAreThoseTexts();

  private:
    static void makeHostile(FilledStudio& studio);
    static void checkTips(QAbstractItemView& view);
};

/// Wherever the user, a file or another program can put a text.
void HostileTextsTest::makeHostile(FilledStudio& studio) {
    MainWindow& window = studio.window();
    ProjectDocument& document = window.document();
    for (const char* key : {"prompt", "negative_prompt", "run_name", "image", "pretrained_model_name_or_path",
                            "lora", "hosts", "transformer_path"})
        if (const ProjectKey* found = findProjectKey(key))
            document.setText(*found, hostile);
    for (int row = 0; row < window.history().rowCount(); ++row) {
        QAbstractItemModel& history = window.history();
        history.setData(history.index(row, RunHistoryModel::Note), hostile);
        history.setData(history.index(row, RunHistoryModel::Tags), hostile);
    }
    Project queued;
    queued.prompt = queued.name = hostile.toStdString();
    window.queue().add(queued);
}

void HostileTextsTest::plainTextStaysAsItIs() {
    QCOMPARE(asPlainText(QStringLiteral("3 < 4 & 5")), QStringLiteral("3 < 4 & 5"));
    const QString shown = asPlainText(hostile + QStringLiteral("\nbelow"));
    QTextDocument read;
    read.setHtml(shown);
    QCOMPARE(read.toPlainText(), hostile + QStringLiteral("\nbelow"));
}

void HostileTextsTest::theWindowReadsNoMarkUpFromOutside() {
    FilledStudio studio;
    makeHostile(studio);
    MainWindow& window = studio.window();
    QTRY_VERIFY(!window.planWatch().isPending());
    const QStringList pages = FilledStudio::pages();
    for (const QString& page : pages) {
        studio.showPage(page);
        QCoreApplication::processEvents();
        const QList<QWidget*> widgets = window.findChildren<QWidget*>();
        for (const QWidget* widget : widgets) {
            QVERIFY2(!readsMarkUp(widget->toolTip()), qPrintable(told(page, widget->toolTip())));
            if (const auto* label = qobject_cast<const QLabel*>(widget);
                label != nullptr && label->textFormat() == Qt::AutoText)
                QVERIFY2(!readsMarkUp(label->text()), qPrintable(told(page, label->text())));
        }
        const QList<QAbstractItemView*> views = window.findChildren<QAbstractItemView*>();
        for (QAbstractItemView* view : views)
            if (view->isVisible())
                checkTips(*view);
    }
}

/// Of the first rows in sight, as reading them shows them.
void HostileTextsTest::checkTips(QAbstractItemView& view) {
    constexpr int rows = 4;
    const QAbstractItemModel* model = view.model();
    for (int row = 0; model != nullptr && row < std::min(rows, model->rowCount()); ++row)
        for (int column = 0; column < model->columnCount(); ++column) {
            const QRect cell = view.visualRect(model->index(row, column));
            if (!view.viewport()->rect().contains(cell.center()))
                continue;
            const QString tip = tipAt(*view.viewport(), cell.center());
            QVERIFY2(!readsMarkUp(tip), qPrintable(told(view.accessibleName(), tip)));
        }
}

void HostileTextsTest::tipsOfTablesAreThoseTexts() {
    QStandardItemModel model(1, 1);
    auto* item = new QStandardItem(QStringLiteral("short"));
    item->setToolTip(hostile);
    model.setItem(0, 0, item);
    model.setHeaderData(0, Qt::Horizontal, hostile, Qt::ToolTipRole);
    QTableView table;
    table.setModel(&model);
    setUpRowTable(table);
    table.resize(400, 200);
    table.setColumnWidth(0, 300);
    table.show();
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    const auto toText = [](const QString& tip) {
        QTextDocument read;
        read.setHtml(tip);
        return read.toPlainText();
    };
    const QRect cell = table.visualRect(model.index(0, 0));
    QCOMPARE(toText(tipAt(*table.viewport(), cell.center())), hostile);
    QCOMPARE(toText(tipAt(*table.horizontalHeader()->viewport(), QPoint(10, 5))), hostile);
    item->setText(hostile.repeated(8));  // cut off, and told whole
    item->setToolTip({});
    QCOMPARE(toText(tipAt(*table.viewport(), cell.center())), hostile.repeated(8));
}

MESHREEL_TEST_CLASS(HostileTextsTest)
#include "hostile_texts_test.moc"
