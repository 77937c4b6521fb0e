// SPDX-License-Identifier: GPL-3.0-or-later
// What the mouse drags the keyboard moves, too: dividers, columns and panels.
#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDialog>
#include <QDockWidget>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QSplitterHandle>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <algorithm>

#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/accessible_controls.h"
#include "tests/support/studio/filled_studio.h"
#include "tests/support/studio/studio_dialogs.h"
#include "ui/queue/queue_panel.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/splitter.h"
#include "ui/window/dock_host.h"
#include "ui/window/dock_tree.h"
#include "ui/window/main_window.h"
#include "ui/window/workspaces.h"

using namespace meshreel;
using meshreel::testing::described;
using meshreel::testing::FilledStudio;
using meshreel::testing::StudioDialog;

namespace {

constexpr int partLength = 120;

/// Two parts that can be made as small as a sixth of what there is.
std::unique_ptr<Splitter> dividedWindow(Qt::Orientation orientation) {
    auto splitter = std::make_unique<Splitter>(orientation, nullptr);
    for (const char* name : {"first", "second"}) {
        auto* part = new QLabel;
        part->setMinimumSize(partLength, partLength);
        splitter->addPart(part, QLatin1String(name));
    }
    splitter->setFirstSizes({1, 1});
    splitter->resize(6 * partLength, 6 * partLength);
    splitter->show();
    return splitter;
}

QHeaderView* toHeader(const QAbstractItemView& view) {
    if (const auto* table = qobject_cast<const QTableView*>(&view))
        return table->horizontalHeader();
    const auto* tree = qobject_cast<const QTreeView*>(&view);
    return tree == nullptr ? nullptr : tree->header();
}

/// In sight, with columns that have headings.
QList<QAbstractItemView*> tablesIn(const QWidget& part) {
    QList<QAbstractItemView*> tables;
    for (auto* view : part.findChildren<QAbstractItemView*>())
        if (const QHeaderView* header = toHeader(*view);
            view->isVisible() && header != nullptr && !header->isHidden())
            tables.append(view);
    return tables;
}

QAction* actionIn(const QList<QAction*>& actions, const QString& text) {
    const auto found = std::ranges::find(actions, text, &QAction::text);
    return found == actions.end() ? nullptr : *found;
}

/// An entry by its path through menus, which are filled as when they are opened; null where there is none.
QAction* entryAt(const QList<QAction*>& actions, const QStringList& path) {
    QAction* action = actionIn(actions, path.first());
    if (action == nullptr || path.size() == 1)
        return action;
    emit action->menu()->aboutToShow();
    return entryAt(action->menu()->actions(), path.mid(1));
}

/// The entries of the menu that the menu key opens.
QStringList menuKeyEntries(QWidget& view) {
    QStringList entries;
    QTimer::singleShot(0, &view, [&entries] {
        if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
            for (const QAction* action : menu->actions())
                entries += action->text();
            menu->close();
        }
    });
    const QPoint middle = view.rect().center();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, middle, view.mapToGlobal(middle));
    QApplication::sendEvent(&view, &event);
    return entries;
}

QStringList columnPath(const QAbstractItemView& view, const QHeaderView& header, int column,
                       const QString& entry) {
    const QString title =
        header.model()->headerData(column, Qt::Horizontal).toString().replace(u'&', QLatin1String("&&"));
    const QString columns = QStringLiteral("Columns");
    for (const QString& between : {QStringLiteral("Widths"), QStringLiteral("Widths and order")})
        if (entryAt(view.actions(), {columns, between}) != nullptr)
            return {columns, between, title, entry};
    return {columns, title, entry};
}

/// What keeps the keyboard from the columns of a view.
QStringList obstaclesToColumns(QAbstractItemView& view) {
    QStringList obstacles;
    QHeaderView& header = *toHeader(view);
    if (!menuKeyEntries(view).contains(QStringLiteral("Columns")))
        return {QStringLiteral("no menu of ") + described(view)};
    const QByteArray before = header.saveState();
    const auto act = [&](int column, const QString& entry) {
        const QAction* action = entryAt(view.actions(), columnPath(view, header, column, entry));
        if (action == nullptr)
            obstacles += QStringLiteral("no \"%1\" for column %2 of %3")
                             .arg(entry, QString::number(column), described(view));
        else
            const_cast<QAction*>(action)->trigger();
        QApplication::processEvents();
        return action != nullptr;
    };
    for (int column = 0; column < header.count(); ++column) {
        if (header.isSectionHidden(column))
            continue;
        const int width = header.sectionSize(column);
        if (!act(column, QStringLiteral("&Wider")))
            continue;
        const int wider = header.sectionSize(column);
        act(column, QStringLiteral("&Narrower"));
        if (wider <= width || header.sectionSize(column) >= wider)
            obstacles += QStringLiteral("column %1 of %2 went from %3 to %4 and %5")
                             .arg(QString::number(column), described(view), QString::number(width),
                                  QString::number(wider), QString::number(header.sectionSize(column)));
        act(column, QStringLiteral("As wide as its &contents"));
    }
    const int first = header.logicalIndex(0);
    if (header.sectionsMovable() && act(first, QStringLiteral("To the &right")) &&
        header.visualIndex(first) == 0)
        obstacles += QStringLiteral("the first column stays in ") + described(view);
    header.restoreState(before);
    return obstacles;
}

/// What keeps the keyboard from the dividers of a part of the window.
QStringList obstaclesToDividers(const QWidget& part, int& dividers) {
    QStringList obstacles;
    for (auto* divider : part.findChildren<QSplitterHandle*>()) {
        if (!divider->isVisible())
            continue;
        ++dividers;
        divider->setFocus(Qt::TabFocusReason);
        const QList<int> before = divider->splitter()->sizes();
        QTest::keyClick(divider, Qt::Key_Home);
        const QList<int> home = divider->splitter()->sizes();
        QTest::keyClick(divider, Qt::Key_End);
        const QList<int> end = divider->splitter()->sizes();
        QTest::keyClick(divider, Qt::Key_Return);
        if (!divider->hasFocus() || home == end || divider->splitter()->sizes() != before)
            obstacles += described(*divider);
    }
    return obstacles;
}

}  // namespace

class KeyboardTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void init();
    void cleanupTestCase();
    void arrowKeysMoveDividers_data();
    void arrowKeysMoveDividers();
    void dividersShowTheFocus();
    void dividersAreTold();
    void sideSplitterComesBackToWhatItAsksFor();
    void everyDividerIsMovedByKeys_data();
    void everyDividerIsMovedByKeys();
    void columnMenuSizesAndMoves();
    void columnMenuIsMirrored();
    void columnMenuStaysOpen();
    void fillingColumnsCanBeWidened();
    void everyColumnIsSizedByKeys_data();
    void everyColumnIsSizedByKeys();
    void columnsOfDialogsAreSizedByKeys();
    void viewMenuEntersPanels();
    void everyPanelIsMovedByActions_data();
    void everyPanelIsMovedByActions();
    void panelsAreSizedByKeys();
    void panelsKeepTabsFocusAndRoom();
    void closedPanelsComeBackBehindTabs();
    void filesAreQueuedWithoutDropping();

  private:
    [[nodiscard]] DockHost& docks() { return m_studio->window().docks(); }
    [[nodiscard]] QDockWidget* dock(const QString& name) { return docks().findChild<QDockWidget*>(name); }
    void act(const QStringList& path);
    void enter(const QDockWidget& dock);

    std::unique_ptr<FilledStudio> m_studio;
};

void KeyboardTest::initTestCase() {
    m_studio = std::make_unique<FilledStudio>();
}

void KeyboardTest::init() {
    m_studio->window().workspaces().show(Workspace::Create);
    act({QStringLiteral("&View"), QStringLiteral("&Reset layout")});
    m_studio->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_studio->window()));
}

void KeyboardTest::cleanupTestCase() {
    m_studio.reset();
}

/// Through the menus of the window.
void KeyboardTest::act(const QStringList& path) {
    QList<QAction*> menus;
    for (QAction* menu : m_studio->window().menuWidget()->actions())
        menus.append(menu);
    QAction* action = entryAt(menus, path);
    QVERIFY2(action != nullptr, qPrintable(path.join(QLatin1String(" > "))));
    action->trigger();
    QApplication::processEvents();
}

void KeyboardTest::enter(const QDockWidget& dock) {
    docks().showPanel(dock.widget());
    QApplication::processEvents();
    act({QStringLiteral("&View"),
         dock.objectName() == QLatin1String("problems") ? QStringLiteral("Problems") : dock.windowTitle()});
}

void KeyboardTest::arrowKeysMoveDividers_data() {
    QTest::addColumn<Qt::Orientation>("orientation");
    QTest::addColumn<Qt::LayoutDirection>("direction");
    QTest::newRow("beside each other") << Qt::Horizontal << Qt::LeftToRight;
    QTest::newRow("above each other") << Qt::Vertical << Qt::LeftToRight;
    QTest::newRow("from right to left") << Qt::Horizontal << Qt::RightToLeft;
}

void KeyboardTest::arrowKeysMoveDividers() {
    QFETCH(Qt::Orientation, orientation);
    QFETCH(Qt::LayoutDirection, direction);
    const auto splitter = dividedWindow(orientation);
    splitter->setLayoutDirection(direction);
    QVERIFY(QTest::qWaitForWindowActive(splitter.get()));
    QSplitterHandle* divider = splitter->handle(1);
    const bool across = orientation == Qt::Horizontal;
    const auto place = [&] { return across ? divider->x() : divider->y(); };
    const int first = place();
    const int reading = direction == Qt::RightToLeft ? -1 : 1;
    const auto moved = [&](Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        const int before = place();
        QTest::keyClick(divider, key, modifiers);
        return place() - before;
    };
    QCOMPARE(moved(across ? Qt::Key_Right : Qt::Key_Down), 16);
    QCOMPARE(moved(across ? Qt::Key_Left : Qt::Key_Up), -16);
    QCOMPARE(moved(across ? Qt::Key_Down : Qt::Key_Right), 0);
    QCOMPARE(moved(across ? Qt::Key_Left : Qt::Key_Up, Qt::ShiftModifier), -96);
    QCOMPARE(moved(across ? Qt::Key_Right : Qt::Key_Down, Qt::ShiftModifier), 96);
    QCOMPARE(moved(Qt::Key_PageUp), -96 * reading);
    QCOMPARE(moved(Qt::Key_PageDown), 96 * reading);
    QVERIFY(moved(Qt::Key_Home) * reading < 0);
    QCOMPARE(splitter->sizes().first(), partLength);
    QVERIFY(moved(Qt::Key_End) * reading > 0);
    QCOMPARE(splitter->sizes().last(), partLength);
    moved(Qt::Key_Return);
    QCOMPARE(place(), first);
    moved(Qt::Key_Home);
    QTest::mouseDClick(divider, Qt::LeftButton);
    QCOMPARE(place(), first);
}

void KeyboardTest::dividersShowTheFocus() {
    for (const QColor& ground : {QColor(Qt::white), QColor(Qt::black)}) {
        const auto splitter = dividedWindow(Qt::Horizontal);
        QVERIFY(QTest::qWaitForWindowActive(splitter.get()));
        QPalette colors(ground);
        colors.setColor(QPalette::Highlight, QColor(0x30, 0x80, 0xf0));
        splitter->setPalette(colors);
        QSplitterHandle* divider = splitter->handle(1);
        splitter->widget(0)->setFocus();
        const QImage without = divider->grab().toImage();
        QTest::keyClick(splitter.get(), Qt::Key_Tab);
        QVERIFY(divider->hasFocus());
        const QImage with = divider->grab().toImage();
        QCOMPARE(with.pixelColor(with.rect().center()), colors.color(QPalette::Highlight));
        QVERIFY(without.pixelColor(with.rect().center()) != colors.color(QPalette::Highlight));
    }
}

void KeyboardTest::dividersAreTold() {
    const auto splitter = dividedWindow(Qt::Vertical);
    QSplitterHandle* divider = splitter->handle(1);
    QCOMPARE(meshreel::testing::accessibleName(*divider), QStringLiteral("Divider between first and second"));
    QTest::keyClick(divider, Qt::Key_Home);
    QCOMPARE(divider->accessibleDescription(), QStringLiteral("first: 16 %"));
}

void KeyboardTest::sideSplitterComesBackToWhatItAsksFor() {
    SideSplitter splitter(partLength, nullptr);
    for (const char* name : {"first", "second"}) {
        auto* part = new QLabel(QLatin1String(name));
        part->setMinimumWidth(partLength);
        splitter.addPart(part, QLatin1String(name));
    }
    splitter.setStretchFactor(0, 1);
    splitter.resize(6 * partLength, partLength);
    splitter.show();
    QVERIFY(QTest::qWaitForWindowExposed(&splitter));
    const QList<int> first = splitter.sizes();
    QTest::keyClick(splitter.handle(1), Qt::Key_Home);
    splitter.resize(7 * partLength, partLength);
    QCOMPARE(splitter.sizes().last(), first.first());  // as it was moved to
    QTest::keyClick(splitter.handle(1), Qt::Key_Return);
    QCOMPARE(splitter.sizes().last(), first.last());
}

void KeyboardTest::everyDividerIsMovedByKeys_data() {
    QTest::addColumn<QString>("page");
    QTest::addColumn<int>("dividers");
    for (const QString& page : FilledStudio::pages()) {
        const QString panel = page.section(u' ', 0, 0);
        const bool isDivided =
            QStringList{QStringLiteral("attention"), QStringLiteral("compare"), QStringLiteral("foresight"),
                        QStringLiteral("mesh"),      QStringLiteral("models"),  QStringLiteral("storyboard"),
                        QStringLiteral("timeline")}
                .contains(panel);
        QTest::newRow(qPrintable(page)) << page << (isDivided ? 1 : 0);
    }
}

void KeyboardTest::everyDividerIsMovedByKeys() {
    QFETCH(QString, page);
    QFETCH(int, dividers);
    m_studio->showPage(page);
    int found = 0;
    const QStringList obstacles = obstaclesToDividers(*dock(page.section(u' ', 0, 0)), found);
    QVERIFY2(obstacles.isEmpty(), qPrintable(obstacles.join(QLatin1String(" | "))));
    QCOMPARE(found, dividers);
}

void KeyboardTest::columnMenuSizesAndMoves() {
    QStandardItemModel model(1, 3);
    model.setHorizontalHeaderLabels({QStringLiteral("A & B"), QStringLiteral("C"), QStringLiteral("D")});
    model.setData(model.index(0, 1), QString(40, u'x'));
    QTableView table;
    table.setModel(&model);
    QHeaderView& header = *table.horizontalHeader();
    header.setSectionsMovable(true);
    header.setStretchLastSection(true);
    setUpRowTable(table, ColumnMenu::Choice::Shown);
    table.resize(500, 200);
    table.show();
    const auto choose = [&](const QStringList& path) {
        QAction* action = entryAt(table.actions(), QStringList{QStringLiteral("Columns")} + path);
        QVERIFY2(action != nullptr, qPrintable(path.join(u'>')));
        action->trigger();
    };
    const QString widths = QStringLiteral("Widths and order");
    const int width = header.sectionSize(1);
    choose({widths, QStringLiteral("C"), QStringLiteral("&Wider")});
    QCOMPARE(header.sectionSize(1), width + 16);
    choose({widths, QStringLiteral("C"), QStringLiteral("As wide as its &contents")});
    QVERIFY(header.sectionSize(1) > width + 16);
    choose({widths, QStringLiteral("A && B"), QStringLiteral("To the &right")});
    QCOMPARE(header.visualIndex(0), 1);
    choose({QStringLiteral("C")});
    QVERIFY(header.isSectionHidden(1));
    choose({widths, QStringLiteral("A && B"), QStringLiteral("To the &right")});  // past what is hidden
    QCOMPARE(header.visualIndex(0), 2);
    QVERIFY(!entryAt(table.actions(), {QStringLiteral("Columns"), widths, QStringLiteral("A && B"),
                                       QStringLiteral("To the &right")})
                 ->isEnabled());
    const int last = header.sectionSize(0);
    choose({widths, QStringLiteral("A && B"), QStringLiteral("&Narrower")});
    QApplication::processEvents();
    QCOMPARE(header.sectionSize(0), last - 16);  // no longer what is left of the view
    choose({QStringLiteral("Reset columns")});
    QVERIFY(!header.isSectionHidden(1));
    QCOMPARE(header.visualIndex(0), 0);
    QCOMPARE(header.sectionSize(1), width);
    QVERIFY(header.stretchLastSection());
}

void KeyboardTest::columnMenuIsMirrored() {
    QStandardItemModel model(1, 2);
    model.setHorizontalHeaderLabels({QStringLiteral("A"), QStringLiteral("B")});
    QTableView table;
    table.setLayoutDirection(Qt::RightToLeft);
    table.setModel(&model);
    table.horizontalHeader()->setSectionsMovable(true);
    setUpRowTable(table);
    const QStringList column{QStringLiteral("Columns"), QStringLiteral("A")};
    QVERIFY(!entryAt(table.actions(), column + QStringList{QStringLiteral("To the &right")})->isEnabled());
    entryAt(table.actions(), column + QStringList{QStringLiteral("To the &left")})->trigger();
    QCOMPARE(table.horizontalHeader()->visualIndex(0), 1);
}

void KeyboardTest::columnMenuStaysOpen() {
    QStandardItemModel model(1, 2);
    model.setHorizontalHeaderLabels({QStringLiteral("A"), QStringLiteral("B")});
    QTableView table;
    table.setModel(&model);
    setUpRowTable(table);
    table.show();
    QMenu& menu = *entryAt(table.actions(), {QStringLiteral("Columns"), QStringLiteral("A")})->menu();
    const int width = table.columnWidth(0);
    menu.popup(table.mapToGlobal(QPoint()));
    QTest::keyClick(&menu, Qt::Key_Down);
    for (int press = 0; press < 3; ++press)
        QTest::keyClick(&menu, Qt::Key_Return);
    QCOMPARE(table.columnWidth(0), width + 3 * 16);
    QTest::mouseClick(&menu, Qt::LeftButton, Qt::NoModifier,
                      menu.actionGeometry(menu.actions().at(1)).center());
    QCOMPARE(table.columnWidth(0), width + 2 * 16);
    QVERIFY(menu.isVisible());
    QTest::keyClick(&menu, Qt::Key_Escape);
    QVERIFY(!menu.isVisible());
}

void KeyboardTest::fillingColumnsCanBeWidened() {
    QStandardItemModel model(1, 2);
    model.setHorizontalHeaderLabels({QStringLiteral("A"), QStringLiteral("B")});
    QTableView table;
    table.setModel(&model);
    new FillingColumn(*table.horizontalHeader(), 1);
    setUpRowTable(table);
    table.resize(400, 100);
    table.show();
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    const int width = table.columnWidth(1);
    const QString columns = QStringLiteral("Columns");
    entryAt(table.actions(), {columns, QStringLiteral("B"), QStringLiteral("&Wider")})->trigger();
    QCOMPARE(table.columnWidth(1), width + 16);
    entryAt(table.actions(), {columns, QStringLiteral("Reset columns")})->trigger();
    QTRY_COMPARE(table.columnWidth(1), width);
}

void KeyboardTest::everyColumnIsSizedByKeys_data() {
    QTest::addColumn<QString>("page");
    for (const QString& page : FilledStudio::pages())
        QTest::newRow(qPrintable(page)) << page;
}

void KeyboardTest::everyColumnIsSizedByKeys() {
    QFETCH(QString, page);
    m_studio->showPage(page);
    QStringList obstacles;
    for (QAbstractItemView* view : tablesIn(*dock(page.section(u' ', 0, 0))))
        obstacles += obstaclesToColumns(*view);
    QVERIFY2(obstacles.isEmpty(), qPrintable(obstacles.join(QLatin1String(" | "))));
}

void KeyboardTest::columnsOfDialogsAreSizedByKeys() {
    int tables = 0;
    for (const StudioDialog& dialog : meshreel::testing::studioDialogs())
        withDialog(dialog, *m_studio, [&tables](QDialog& shown) {
            if (qobject_cast<QFileDialog*>(&shown) != nullptr)
                return;
            for (QAbstractItemView* view : tablesIn(shown)) {
                const QStringList obstacles = obstaclesToColumns(*view);
                QVERIFY2(obstacles.isEmpty(), qPrintable(obstacles.join(QLatin1String(" | "))));
                ++tables;
            }
        });
    QVERIFY(tables > 0);
}

void KeyboardTest::viewMenuEntersPanels() {
    // In the order of the tabs: Project, Prompts, Model, Result, Models, Text, Mesh.
    QTest::keyClick(&m_studio->window(), Qt::Key_4, Qt::AltModifier);
    QCOMPARE(docks().currentDock(), dock(QStringLiteral("result")));
    QVERIFY(docks().currentDock()->isAncestorOf(QApplication::focusWidget()));
    QTest::keyClick(&m_studio->window(), Qt::Key_7, Qt::AltModifier);
    QCOMPARE(docks().currentDock(), dock(QStringLiteral("mesh")));
    QWidget* stop = QApplication::focusWidget();
    QVERIFY(docks().currentDock()->isAncestorOf(stop));
    QTest::keyClick(stop, Qt::Key_Tab);
    QWidget* second = QApplication::focusWidget();
    QVERIFY(second != stop);
    QTest::keyClick(&m_studio->window(), Qt::Key_4, Qt::AltModifier);
    QTest::keyClick(&m_studio->window(), Qt::Key_7, Qt::AltModifier);
    QCOMPARE(QApplication::focusWidget(), second);  // where one was there
}

void KeyboardTest::everyPanelIsMovedByActions_data() {
    QTest::addColumn<QString>("panel");
    for (const QString& page : FilledStudio::pages())
        if (!page.contains(u' '))
            QTest::newRow(qPrintable(page)) << page;
}

void KeyboardTest::everyPanelIsMovedByActions() {
    QFETCH(QString, panel);
    QDockWidget* moved = dock(panel);
    enter(*moved);
    const auto move = [this](const QStringList& path) {
        act(QStringList{QStringLiteral("&View"), QStringLiteral("&Move this panel")} + path);
    };
    const auto window = [this] { return QRect(QPoint(), docks().size()); };  // which grows where it has to
    move({QStringLiteral("To the &left edge")});
    QCOMPARE(moved->geometry().left(), window().left());
    QCOMPARE(moved->geometry().height(), window().height());
    move({QStringLiteral("To the &right edge")});
    QCOMPARE(moved->geometry().right(), window().right());
    QCOMPARE(moved->geometry().height(), window().height());
    move({QStringLiteral("To the &top")});
    QCOMPARE(moved->geometry().top(), window().top());
    QCOMPARE(moved->geometry().width(), window().width());
    move({QStringLiteral("To the &bottom")});
    QCOMPARE(moved->geometry().bottom(), window().bottom());
    QCOMPARE(moved->geometry().width(), window().width());

    QDockWidget* other =
        dock(panel == QLatin1String("summary") ? QStringLiteral("chart") : QStringLiteral("summary"));
    docks().showPanel(other->widget());
    QApplication::processEvents();
    const QString title = other->windowTitle();
    move({QStringLiteral("L&eft of"), title});
    QVERIFY(moved->geometry().right() < other->geometry().left());
    QVERIFY(moved->geometry().bottom() == other->geometry().bottom());
    move({QStringLiteral("Ri&ght of"), title});
    QVERIFY(moved->geometry().left() > other->geometry().right());
    move({QStringLiteral("&Above"), title});
    QVERIFY(moved->geometry().bottom() < other->geometry().top());
    QCOMPARE(moved->geometry().left(), other->geometry().left());
    move({QStringLiteral("Bel&ow"), title});
    QVERIFY(moved->geometry().top() > other->geometry().bottom());
    act({QStringLiteral("&View"), QStringLiteral("&Float this panel, or dock it again")});
    QVERIFY(moved->isFloating());
    move({QStringLiteral("As a tab w&ith"), title});
    QVERIFY(!moved->isFloating());
    QVERIFY(docks().tabifiedDockWidgets(moved).contains(other));
    QVERIFY(docks().rect().contains(moved->geometry()));  // and not behind other tabs
    QCOMPARE(docks().currentDock(), moved);
}

void KeyboardTest::panelsAreSizedByKeys() {
    QDockWidget* project = dock(QStringLiteral("project"));
    const QDockWidget* problems = dock(QStringLiteral("problems"));
    const auto press = [this](Qt::Key key) {
        QTest::keyClick(&m_studio->window(), key, Qt::AltModifier | Qt::ShiftModifier);
        QApplication::processEvents();
    };
    enter(*project);
    const QSize before = project->size();
    press(Qt::Key_Right);
    QCOMPARE(project->width(), before.width() + 32);
    press(Qt::Key_Left);
    QCOMPARE(project->width(), before.width());
    press(Qt::Key_Down);  // nothing stands above or below it
    QCOMPARE(project->size(), before);
    enter(*problems);
    const int height = problems->height();
    const int width = problems->width();
    press(Qt::Key_Down);
    QCOMPARE(problems->height(), height + 32);
    press(Qt::Key_Up);
    QCOMPARE(problems->height(), height);
    press(Qt::Key_Left);
    QCOMPARE(problems->width(), width - 32);
    QCOMPARE(project->width(), before.width() + 32);
    constexpr int many = 60;
    for (int i = 0; i < many; ++i)
        press(Qt::Key_Up);
    const int least = problems->height();
    QVERIFY(least < height);
    press(Qt::Key_Up);
    QCOMPARE(problems->height(), least);
}

void KeyboardTest::panelsKeepTabsFocusAndRoom() {
    constexpr int roomForThree = 2000;
    m_studio->window().resize(roomForThree, m_studio->window().height());
    QDockWidget* moved = dock(QStringLiteral("text"));  // stands behind the result
    const QDockWidget* project = dock(QStringLiteral("project"));
    enter(*moved);
    const QWidget* focused = QApplication::focusWidget();
    const auto tabs = [this](const char* panel) {
        QStringList names;
        QStringList closed;
        for (const QDockWidget* each : docks().tabifiedDockWidgets(dock(QLatin1String(panel))))
            (each->isHidden() ? closed : names) += each->objectName();
        closed.sort();  // they open behind the others, whatever their order
        return names + QStringList{QStringLiteral("closed:")} + closed;
    };
    QStringList others = tabs("result");
    const QStringList lower = tabs("problems");
    const int share = project->width();
    act({QStringLiteral("&View"), QStringLiteral("&Move this panel"), QStringLiteral("To the &right edge")});
    QCOMPARE(QApplication::focusWidget(), focused);
    others.removeOne(QStringLiteral("text"));
    QCOMPARE(tabs("result"), others);
    QCOMPARE(tabs("problems"), lower);
    QVERIFY(std::abs(3 * moved->width() - docks().width()) < 32);
    QVERIFY(project->width() < share);

    const QByteArray kept = docks().saveState();
    act({QStringLiteral("&View"), QStringLiteral("&Reset layout")});
    constexpr int divider = 4;
    QTRY_VERIFY2(std::abs(project->width() - share) <= divider,
                 qPrintable(QString::number(project->width())));
    QVERIFY(docks().restoreState(kept));
    QApplication::processEvents();
    QCOMPARE(moved->geometry().right(), docks().rect().right());
}

void KeyboardTest::closedPanelsComeBackBehindTabs() {
    QDockWidget* noise = dock(QStringLiteral("noise"));
    enter(*noise);
    act({QStringLiteral("&View"), QStringLiteral("&Move this panel"), QStringLiteral("To the &bottom")});
    act({QStringLiteral("&View"), QStringLiteral("&Close this panel")});
    QVERIFY(noise->isHidden());
    enter(*dock(QStringLiteral("attention")));
    act({QStringLiteral("&View"), QStringLiteral("&Move this panel"), QStringLiteral("To the &left edge")});
    QVERIFY(noise->isHidden());
    docks().showPanel(noise->widget());
    QApplication::processEvents();
    QVERIFY(docks().tabifiedDockWidgets(noise).contains(dock(QStringLiteral("mesh"))));
    QVERIFY(!noise->visibleRegion().isEmpty());
}

void KeyboardTest::filesAreQueuedWithoutDropping() {
    const QueuePanel& queue = m_studio->window().panels().queue();
    QSignalSpy given(&queue, &QueuePanel::pathsGiven);
    const QString file = QString::fromStdString((m_studio->runs().done / "project.yaml").string());
    QTimer answer;
    connect(&answer, &QTimer::timeout, &answer, [&file] {
        if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
            dialog->selectFile(file);
            static_cast<QDialog*>(dialog)->accept();
        }
    });
    answer.start(5);
    const int before = m_studio->window().queue().rowCount();
    queue.actions().addFiles->trigger();
    QCOMPARE(given.size(), 1);
    QCOMPARE(given.first().first().toStringList(), QStringList{file});
    QCOMPARE(m_studio->window().queue().rowCount(), before + 1);
}

MESHREEL_TEST_CLASS(KeyboardTest)
#include "keyboard_test.moc"
